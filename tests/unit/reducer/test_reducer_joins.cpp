// SPDX-License-Identifier: Apache-2.0
// Reducers at the joins of every front end, with strands that are certainly stolen.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <numeric>
#include <ranges>
#include <string>
#include <thread>
#include <vector>

#include "nopal/nopal.hpp"
#include "support/build.hpp"
#include "support/reducer_tree.hpp"

namespace {

using namespace std::chrono_literals;
using nopal::reducer;
namespace monoid = nopal::monoid;
using numbers = reducer<monoid::vector<unsigned>>;

std::vector<unsigned> first(unsigned n) {
  std::vector<unsigned> v(n);
  std::iota(v.begin(), v.end(), 0U);
  return v;
}

/// Waits until the function that forked this has been stolen, or will not be.
void linger(unsigned i) { std::this_thread::sleep_for(std::chrono::microseconds(50 * (i % 5))); }

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

nopal::task<> leaf(numbers& all, unsigned i) {
  linger(i);
  all->push_back(2 * i);
  co_return;
}
nopal::task<> loop_of_tasks(numbers& all, unsigned n) {
  for (unsigned i = 0; i < n; ++i) {
    co_await nopal::fork(leaf, all, i);
    all->push_back(2 * i + 1);
  }
  co_await nopal::join();
}

void halves(numbers& all, unsigned from, unsigned n) {
  if (n == 1) {
    linger(from);
    return all->push_back(from);
  }
  nopal::parallel_invoke([&all, from, n] { halves(all, from, n / 2); },
                         [&all, from, n] { halves(all, from + n / 2, n - n / 2); });
}

class ReducerJoins : public testing::Test {
 protected:
  nopal::runtime workers{{.workers = 4}};
};

TEST_F(ReducerJoins, Frames) {
  workers.run([] {
    numbers all;
    loop(all, 100);
    EXPECT_EQ(*all, first(200));
  });
  EXPECT_GT(workers.stats().total.steals, 0U);
}

TEST_F(ReducerJoins, Closures) {
  workers.run([] {
    numbers all;
    halves(all, 0, 200);
    EXPECT_EQ(*all, first(200));
  });
}

TEST_F(ReducerJoins, Tasks) {
  workers.run([] {
    numbers all;
    nopal::wait(loop_of_tasks(all, 100));
    EXPECT_EQ(*all, first(200));
  });
}

TEST_F(ReducerJoins, AFrameOfAThreadThatIsNoWorker) {
  numbers all;
  loop(all, 50);
  EXPECT_EQ(*all, first(100));
}

TEST_F(ReducerJoins, Algorithms) {
  numbers all;
  workers.run([&] {
    nopal::for_each(std::views::iota(0U, 10'000U), [&](unsigned i) { all->push_back(i); });
  });
  EXPECT_EQ(*all, first(10'000));
}

TEST_F(ReducerJoins, RandomTrees) {
  for (std::uint64_t seed = 1; seed <= (nopal_test::with_sanitizer ? 40 : 200); ++seed) {
    nopal_test::log_reducer all;
    workers.run([&] { nopal_test::run_log_tree(all, 4, seed, 5, seed % 2 == 0 ? 0 : 8); });
    ASSERT_EQ(*all, nopal_test::serial_log(seed, 5, seed % 2 == 0 ? 0 : 8)) << seed;
  }
}

/// The rest of the function that is not executed by the serial program has no effect.
NOPAL_FORKS void throws_early(numbers& all, std::atomic<bool>& stolen) {
  nopal::fork_frame frame;
  frame.fork([&] {
    all->push_back(0);
    while (!stolen.load(std::memory_order_acquire)) std::this_thread::yield();
    throw 7;
  });
  all->push_back(1);
  numbers begun_here;  // it ends behind the join
  begun_here->push_back(1);
  stolen.store(true, std::memory_order_release);
  frame.join();
}

TEST_F(ReducerJoins, WhatTheSerialProgramDoesNotRunHasNoEffect) {
  workers.run([] {
    numbers all;
    std::atomic<bool> stolen{false};
    EXPECT_THROW(throws_early(all, stolen), int);
    EXPECT_EQ(*all, first(1));
    stolen = false;
    EXPECT_THROW(nopal::parallel_invoke(
                     [&] {
                       all->push_back(1);
                       while (!stolen.load(std::memory_order_acquire)) std::this_thread::yield();
                       throw 7;
                     },
                     [&] {
                       all->push_back(7);
                       stolen.store(true, std::memory_order_release);
                     }),
                 int);
    EXPECT_EQ(*all, first(2));
  });
}

TEST_F(ReducerJoins, ScopesLoseNothing) {
  reducer<monoid::add<unsigned>> sum;
  numbers all;
  workers.run([&] {
    nopal::task_scope s;
    for (unsigned i = 0; i < 1000; ++i)
      s.spawn([&, i] {
        sum += i;
        all->push_back(i);
      });
    nopal::pending<int> p = s.async([&] {
      sum += 500;
      return 1;
    });
    EXPECT_EQ(p.get(), 1);
    s.join();
    EXPECT_EQ(*sum, 500U * 1000);
    s.spawn([&] { sum += 1; });
    s.join();
  });
  EXPECT_EQ(*sum, 500U * 1000 + 1);
  std::vector<unsigned> sorted = *all;
  std::ranges::sort(sorted);
  EXPECT_EQ(sorted, first(1000));
}

TEST_F(ReducerJoins, AScopeOfAThreadThatIsNoWorker) {
  reducer<monoid::add<unsigned>> sum(1U);
  {
    nopal::task_scope s(workers);
    for (unsigned i = 0; i < 100; ++i) s.spawn([&] { ++sum; });
  }
  EXPECT_EQ(*sum, 101U);
}

nopal::task<> waits(reducer<monoid::string>& text, nopal::pending<int>& p) {
  *text += 'a';
  const int i = co_await p;
  *text += static_cast<char>('a' + i);
  co_await nopal::resume_on(1);
  *text += 'c';
}

TEST_F(ReducerJoins, ATaskTakesItsViewsAlong) {
  workers.run([] {
    for (unsigned round = 0; round < 50; ++round) {
      nopal::task_scope s;
      nopal::pending<int> one = s.async([] {
        std::this_thread::sleep_for(100us);
        return 1;
      });
      reducer<monoid::string> text;
      nopal::wait(waits(text, one));
      *text += 'd';
      EXPECT_EQ(*text, "abcd");
    }
  });
}

}  // namespace
