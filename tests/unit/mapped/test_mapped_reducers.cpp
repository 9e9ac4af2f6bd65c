// SPDX-License-Identifier: Apache-2.0
// Reducers on workers that are processes: views lie on the shared heap, and joins put them
// together.
#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <numeric>
#include <ranges>
#include <string>
#include <vector>

#include "nopal/algorithm.hpp"
#include "nopal/fork_frame.hpp"
#include "nopal/mapped.hpp"
#include "nopal/parallel_invoke.hpp"
#include "nopal/reducer.hpp"
#include "nopal/reducer/c_reducer.h"
#include "support/reducer_tree.hpp"

namespace {

namespace monoid = nopal::monoid;
using numbers = nopal::reducer<monoid::vector<unsigned>>;

std::vector<unsigned> first(unsigned n) {
  std::vector<unsigned> v(n);
  std::iota(v.begin(), v.end(), 0U);
  return v;
}

/// Waits for as long as others may take to steal what forked this.
void linger(unsigned i) { usleep(50 * (i % 5)); }

NOPAL_FORKS void loop(numbers& all, unsigned n) {
  nopal::fork_frame frame;
  for (unsigned i = 0; i < n; ++i) {
    frame.fork(
        [&all](unsigned j) {
          linger(j);
          all->push_back(2 * j);
        },
        i);
    all->push_back(2 * i + 1);
  }
  frame.join();
}

void halves(numbers& all, unsigned from, unsigned n) {
  if (n == 1) {
    linger(from);
    return all->push_back(from);
  }
  nopal::parallel_invoke([&all, from, n] { halves(all, from, n / 2); },
                         [&all, from, n] { halves(all, from + n / 2, n - n / 2); });
}

class MappedReducers : public testing::Test {
 protected:
  /// Otherwise a test would show nothing of joins.
  void TearDown() override { EXPECT_GT(four.stats().total.steals, 0U); }

  nopal::mapped::runtime four{{.workers = 4}};
};

TEST_F(MappedReducers, Frames) {
  for (int i = 0; i < 5; ++i)
    four.run([] {
      numbers all;
      loop(all, 50);
      if (*all != first(100)) std::abort();
    });
}

TEST_F(MappedReducers, Closures) {
  for (int i = 0; i < 5; ++i)
    four.run([] {
      numbers all;
      halves(all, 0, 100);
      if (*all != first(100)) std::abort();
    });
}

/// The reducer and what it has at first are the main process's.
TEST_F(MappedReducers, AReducerOfTheCaller) {
  numbers all;
  four.run([&] { halves(all, 0, 100); });
  EXPECT_EQ(*all, first(100));
  four.run([&] { halves(all, 100, 100); });
  EXPECT_EQ(*all, first(200));
}

TEST_F(MappedReducers, Algorithms) {
  numbers all;
  for (unsigned begin = 0; begin < 100; begin += 20)
    four.run([&] {
      nopal::for_each(std::views::iota(begin, begin + 20), [&](unsigned i) {
        linger(i);
        all->push_back(i);
      });
    });
  EXPECT_EQ(*all, first(100));
}

/// Waits, while others run, until so many have come.
struct meeting {
  explicit meeting(unsigned n) : missing(n) {}
  std::atomic<unsigned> missing;
  void come() {
    missing.fetch_sub(1);
    while (missing.load() != 0) sched_yield();
  }
};

/// What a child saw that has a reducer of its own.
struct own_reducer {
  const void* address = nullptr;
  pid_t process = 0;
  std::vector<unsigned> result;
};

using own_reducers = std::array<own_reducer, 3>;

NOPAL_NOINLINE void use_own(own_reducers& all, unsigned i, meeting& begun, meeting& done) {
  numbers mine;
  own_reducer& own = all[i];
  own.address = &mine;
  own.process = getpid();
  begun.come();
  halves(mine, 100 * i, 30);
  done.come();
  own.result = *mine;
}

/// The second and the third child begin on stacks of their own, one level below.
NOPAL_FORKS void three_use_their_own(own_reducers& all, meeting& begun, meeting& done) {
  nopal::fork_frame frame;
  for (unsigned i = 0; i < all.size(); ++i)
    frame.fork(use_own, std::ref(all), i, std::ref(begun), std::ref(done));
  frame.join();
}

/// What is at one address in two workers is two reducers, and each has views of its own.
TEST_F(MappedReducers, TwoReducersAtOneAddress) {
  for (int tries = 0; tries < 20; ++tries) {
    own_reducers all;
    meeting begun(3);
    meeting done(3);
    four.run([&] { three_use_their_own(all, begun, done); });
    EXPECT_NE(all[1].process, all[2].process);
    EXPECT_EQ(all[1].address, all[2].address);
    for (unsigned i = 0; i < all.size(); ++i) {
      for (unsigned& number : all[i].result) number -= 100 * i;
      EXPECT_EQ(all[i].result, first(30));
    }
  }
}

/// As nopal_test::run_log_tree(), but some strands wait until others may have stolen from them.
void run_slow_tree(nopal_test::log_reducer& all, std::uint64_t seed, unsigned depth,
                   unsigned throws_one_in) {
  constexpr unsigned workers = 4;
  constexpr bool with_tasks = false;
  auto log = [&](std::uint64_t v) {
    if (v / 8 % 16 == 0) usleep(20);
    all->push_back(v);
  };
  nopal_test::log_tree::tree<decltype(log)> t{log, throws_one_in, workers, with_tasks};
  try {
    t.run(seed, depth);
  } catch (const nopal_test::log_tree::failure&) {
    log(0);
  }
}

TEST_F(MappedReducers, RandomTrees) {
  constexpr unsigned depth = 5;
  constexpr bool with_tasks = false;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const unsigned throws_one_in = seed % 2 == 0 ? 0 : 8;
    nopal_test::log_reducer all;
    four.run([&] { run_slow_tree(all, seed, depth, throws_one_in); });
    ASSERT_EQ(*all, nopal_test::serial_log(seed, depth, throws_one_in, with_tasks)) << seed;
  }
}

// Variables of static storage, by the calls that a compiler makes for them.

std::string written("<");
constexpr nopal_reducer_type appended{sizeof(std::string),
                                      [](void* view) { new (view) std::string; },
                                      [](void* left, void* right) {
                                        auto& r = *static_cast<std::string*>(right);
                                        *static_cast<std::string*>(left) += r;
                                        std::destroy_at(&r);
                                      }};
std::string& view() {
  return *static_cast<std::string*>(nopal_reducer_lookup_static(&written, &appended));
}

void write(char from, unsigned n) {
  if (n == 1) {
    linger(static_cast<unsigned>(from));
    view() += from;
    return;
  }
  nopal::parallel_invoke([=] { write(from, n / 2); },
                         [=] { write(static_cast<char>(from + n / 2), n - n / 2); });
}

TEST_F(MappedReducers, AVariableOfStaticStorage) {
  nopal_reducer_begin_program();
  for (int i = 0; i < 5; ++i) {
    four.run([] { write('a', 26); });
    EXPECT_EQ(written, "<abcdefghijklmnopqrstuvwxyz");
    EXPECT_EQ(&view(), &written);
    written = "<";
  }
}

}  // namespace
