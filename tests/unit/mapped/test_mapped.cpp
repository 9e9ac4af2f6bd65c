// SPDX-License-Identifier: Apache-2.0
// What programs do on workers that are processes.
#include <gtest/gtest.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <random>
#include <semaphore>
#include <set>
#include <shared_mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "nopal/fork_frame.hpp"
#include "nopal/mapped.hpp"
#include "nopal/parallel_invoke.hpp"
#include "support/random_tree.hpp"
#include "support/seed.hpp"

namespace {

using nopal::fork_frame;
using nopal::parallel_invoke;
using nopal_test::random_numbers;

NOPAL_FORKS std::uint64_t fib(unsigned n) {
  if (n < 2) return n;
  fork_frame frame;
  std::uint64_t a;
  frame.fork(&a, fib, n - 1);
  const std::uint64_t b = fib(n - 2);
  frame.join();
  return a + b;
}

std::uint64_t fib_by_closures(unsigned n) {
  if (n < 2) return n;
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  parallel_invoke([&] { a = fib_by_closures(n - 1); }, [&] { b = fib_by_closures(n - 2); });
  return a + b;
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

class Mapped : public testing::Test {
 protected:
  nopal::mapped::runtime four{{.workers = 4}};
};

TEST_F(Mapped, CallsRunOnTheWorkers) {
  EXPECT_EQ(four.workers(), 4U);
  EXPECT_EQ(four.run([](int a, int b) { return a * b; }, 6, 7), 42);
  int local = 1;
  four.run([&] { local = 2; });
  EXPECT_EQ(local, 2);
  EXPECT_NE(four.run([] { return getpid(); }), getpid());
  EXPECT_EQ(&four.run([&]() -> int& { return local; }), &local);
  EXPECT_EQ(four.run([&] { return four.run([] { return 3; }); }), 3);
}

TEST_F(Mapped, FibByFrames) {
  for (int i = 0; i < 20; ++i) ASSERT_EQ(four.run([] { return fib(20); }), 6765U);
}

TEST_F(Mapped, FibByClosures) {
  for (int i = 0; i < 20; ++i) ASSERT_EQ(four.run([] { return fib_by_closures(20); }), 6765U);
}

/// What a process saw at an address.
struct sight {
  pid_t process = 0;
  const int* address = nullptr;
  int value = 0;
};

NOPAL_FORKS void look(const int* local, meeting& m, sight& seen) {
  m.come();
  seen = {getpid(), local, *local};
}

NOPAL_FORKS void three_see(std::array<sight, 3>& seen) {
  int local = 17;
  meeting m(3);
  fork_frame frame;
  frame.fork(look, &local, std::ref(m), std::ref(seen[0]));
  frame.fork(look, &local, std::ref(m), std::ref(seen[1]));
  look(&local, m, seen[2]);
  frame.join();
  local = 0;
}

/// Three workers at once, which see one local at one address.
TEST_F(Mapped, ALocalIsSeenAtItsAddress) {
  std::array<sight, 3> seen;
  for (int i = 0; i < 20; ++i) {
    four.run([&] { three_see(seen); });
    std::set<pid_t> processes;
    for (const sight& s : seen) {
      processes.insert(s.process);
      EXPECT_EQ(s.address, seen[0].address);
      EXPECT_EQ(s.value, 17);
    }
    EXPECT_EQ(processes.size(), 3U);
  }
}

TEST_F(Mapped, ALocalIsSeenByClosures) {
  for (int i = 0; i < 20; ++i)
    four.run([&] {
      int local = 17;
      meeting m(3);
      std::array<sight, 3> seen;
      const auto looks = [&](sight& s) {
        return [&] {
          m.come();
          s = {getpid(), &local, local};
        };
      };
      parallel_invoke(looks(seen[0]), looks(seen[1]), looks(seen[2]));
      const std::set<pid_t> processes{seen[0].process, seen[1].process, seen[2].process};
      EXPECT_EQ(processes.size(), 3U);
      for (const sight& s : seen) EXPECT_EQ(s.value, 17);
    });
}

/// Where frames of two strands are at once, each on its own level of its worker: what one has
/// there the other has not.
TEST_F(Mapped, TwoWorkersHaveDifferentMemoryAtOneAddress) {
  std::array<const volatile int*, 2> at{};
  std::array<int, 2> found{};
  for (int tries = 0; tries < 20; ++tries) {
    meeting stolen(3);
    meeting written(2);
    four.run([&] {
      // The second and the third are stolen, and begin one level below.
      const auto write_and_read = [&](int i) {
        volatile int mine = i;
        at[static_cast<std::size_t>(i)] = &mine;
        stolen.come();
        mine = i + 100;
        written.come();
        found[static_cast<std::size_t>(i)] = mine;
      };
      parallel_invoke([&] { stolen.come(); }, [&] { write_and_read(0); },
                      [&] { write_and_read(1); });
    });
    EXPECT_EQ(found[0], 100);
    EXPECT_EQ(found[1], 101);
  }
}

// Trees of frames and closures.

std::uint64_t run_forks(std::uint64_t seed, unsigned depth, const nopal_test::tree_shape& shape) {
  const nopal_test::tree_detail::node n(seed, depth, shape);
  if (n.throws) throw nopal_test::node_failure{n.value};
  nopal_test::tree_detail::seeds results{};
  // In the order of closures, as possible_failures() has it for tasks.
  if (n.by == nopal_test::tree_detail::front_end::frame)
    nopal_test::tree_detail::by_frame(n, depth, shape, results, run_forks);
  else if (n.by == nopal_test::tree_detail::front_end::returning_closures)
    nopal_test::tree_detail::by_returning_closures(n, depth, shape, results, run_forks);
  else
    nopal_test::tree_detail::by_closures(n, depth, shape, results, run_forks);
  return nopal_test::tree_detail::combine(n, results);
}

TEST_F(Mapped, RandomTrees) {
  const std::uint64_t seed = nopal_test::seed_or(25);
  random_numbers random(seed);
  for (int i = 0; i < 40; ++i) {
    const std::uint64_t root = random.next();
    const nopal_test::tree_shape shape{.depth = 7, .most_children = 4};
    ASSERT_EQ(four.run([&] { return run_forks(root, shape.depth, shape); }),
              nopal_test::run_tree_serially(root, shape.depth, shape))
        << "seed " << seed << ", tree " << i;
  }
}

TEST_F(Mapped, RandomTreesThatThrow) {
  const std::uint64_t seed = nopal_test::seed_or(25);
  random_numbers random(seed);
  for (int i = 0; i < 40; ++i) {
    const std::uint64_t root = random.next();
    const nopal_test::tree_shape shape{.depth = 6, .most_children = 4, .throws_one_in = 40};
    const std::set<std::uint64_t> possible =
        nopal_test::possible_failures(root, shape.depth, shape);
    try {
      const std::uint64_t result = four.run([&] { return run_forks(root, shape.depth, shape); });
      EXPECT_TRUE(possible.empty());
      EXPECT_EQ(result, nopal_test::run_tree_serially(root, shape.depth, shape));
    } catch (const nopal_test::node_failure& f) {
      EXPECT_TRUE(possible.contains(f.node)) << "seed " << seed << ", tree " << i;
    }
  }
}

void work_for_a_while() {
  for (int i = 0; i < 2000; ++i) asm volatile("");
}

void small_fork(int i, std::atomic<int>& right) {
  volatile int local = i;
  int a = -1;
  int b = -1;
  parallel_invoke(
      [&] {
        work_for_a_while();
        a = local;
      },
      [&] {
        work_for_a_while();
        b = local;
      });
  if (a == i && b == i) right.fetch_add(1);
}

NOPAL_FORKS void many_small_forks(int n, std::atomic<int>& right) {
  fork_frame frame;
  for (int i = 0; i < n; ++i) frame.fork(small_fork, i, std::ref(right));
  frame.join();
}

/// Workers leave the segments from which others have just stolen, for others at the same level.
TEST_F(Mapped, ManySmallForks) {
  std::atomic<int> right{0};
  for (int i = 0; i < 20; ++i)
    four.run([&] {
      parallel_invoke([&] { many_small_forks(100, right); }, [&] { many_small_forks(100, right); });
    });
  EXPECT_EQ(right, 20 * 200);
}

/// Serial code of a precompiled library calls back, and the callback forks.
TEST_F(Mapped, CallbacksOfQsortFork) {
  std::vector<unsigned> numbers(300);
  std::iota(numbers.begin(), numbers.end(), 0U);
  std::ranges::shuffle(numbers, std::mt19937(1));
  four.run([&] {
    std::qsort(numbers.data(), numbers.size(), sizeof(unsigned), [](const void* a, const void* b) {
      const unsigned left = *static_cast<const unsigned*>(a);
      const unsigned right = *static_cast<const unsigned*>(b);
      const std::uint64_t same = fib(8);
      if (same != fib_by_closures(8)) std::abort();
      return left < right ? -1 : left > right ? 1 : 0;
    });
  });
  EXPECT_TRUE(std::ranges::is_sorted(numbers));
}

// The heap.

/// What each worker allocates others free.
void build_and_break(unsigned depth, std::vector<std::unique_ptr<std::string>>& all) {
  if (depth == 0) {
    for (std::size_t i = 0; i < 20; ++i)
      all.push_back(std::make_unique<std::string>(20 + i * i * 7, 'x'));
    return;
  }
  std::vector<std::unique_ptr<std::string>> left;
  std::vector<std::unique_ptr<std::string>> right;
  parallel_invoke([&] { build_and_break(depth - 1, left); },
                  [&] { build_and_break(depth - 1, right); });
  for (auto* side : {&left, &right})
    for (std::size_t i = 0; i < side->size(); ++i) {
      std::unique_ptr<std::string>& s = (*side)[i];
      if (s->find_first_not_of('x') != std::string::npos) std::abort();
      if (i % 4 == 0)
        all.push_back(std::move(s));
      else
        s.reset();
    }
}

TEST_F(Mapped, MemoryIsFreedElsewhere) {
  for (int i = 0; i < 10; ++i) {
    std::vector<std::unique_ptr<std::string>> all;
    four.run([&] { build_and_break(8, all); });
    EXPECT_EQ(all.size(), 2U);  // a quarter of 20, rounded up, and twice as many, eight times
  }
}

TEST_F(Mapped, LargeMemoryIsSeenEverywhere) {
  four.run([] {
    std::vector<std::uint64_t> numbers(std::size_t{20} << 20);
    const auto fill = [&](std::size_t from, std::size_t to) {
      for (std::size_t i = from; i < to; ++i) numbers[i] = i;
    };
    const std::size_t half = numbers.size() / 2;
    meeting m(2);
    parallel_invoke([&] { m.come(), fill(0, half); },
                    [&] { m.come(), fill(half, numbers.size()); });
    for (std::size_t i = 0; i < numbers.size(); ++i)
      if (numbers[i] != i) std::abort();
  });
}

TEST_F(Mapped, MemoryThatIsNotThereIsNotGiven) {
  // Not by a new-expression, which clang leaves out.
  const auto ask = [] { return ::operator new(std::size_t{1} << 46, std::nothrow) == nullptr; };
  EXPECT_TRUE(four.run(ask));
  EXPECT_TRUE(ask());
}

std::map<int, std::string> global_map;
int global_number = 1;

TEST_F(Mapped, GlobalsAreShared) {
  four.run([] {
    meeting m(2);
    parallel_invoke(
        [&] {
          global_map[1] = std::string(100, 'a');
          m.come();
        },
        [&] {
          m.come();
          global_number += static_cast<int>(global_map[1].size());
        });
  });
  EXPECT_EQ(global_map[1], std::string(100, 'a'));
  EXPECT_EQ(std::exchange(global_number, 1), 101);
  global_map.clear();
}

// Locks, that are contended by processes.

/// Calls f on all four workers at once.
template <class F>
void on_all(nopal::mapped::runtime& four, F&& f) {
  four.run([&] {
    meeting m(4);
    const auto one = [&] { m.come(), f(); };
    parallel_invoke(one, one, one, one);
  });
}

constexpr int rounds = 2000;
std::mutex static_mutex;

TEST_F(Mapped, Mutexes) {
  std::array<int, 4> counted{};
  std::mutex on_stack;
  std::recursive_mutex recursive;
  std::timed_mutex timed;
  on_all(four, [&] {
    for (int i = 0; i < rounds; ++i) {
      const std::lock_guard first(static_mutex);
      ++counted[0];
    }
    for (int i = 0; i < rounds; ++i) {
      const std::lock_guard first(on_stack);
      if (i % 16 == 0) sched_yield();
      ++counted[1];
    }
    for (int i = 0; i < rounds; ++i) {
      const std::lock_guard first(recursive);
      const std::lock_guard again(recursive);
      ++counted[2];
    }
    for (int i = 0; i < rounds; ++i) {
      while (!timed.try_lock_for(std::chrono::seconds(1))) {
      }
      ++counted[3];
      timed.unlock();
    }
  });
  for (const int c : counted) EXPECT_EQ(c, 4 * rounds);
}

TEST_F(Mapped, SharedMutexes) {
  std::shared_mutex m;
  int counted = 0;
  on_all(four, [&] {
    for (int i = 0; i < rounds; ++i) {
      if (i % 4 == 0) {
        const std::unique_lock lock(m);
        ++counted;
      } else {
        const std::shared_lock lock(m);
        if (counted < 0) std::abort();
      }
    }
  });
  EXPECT_EQ(counted, rounds);
}

/// A worker waits for another without a pause, so that each sleep is ended by another process.
TEST_F(Mapped, Conditions) {
  std::mutex m;
  std::condition_variable turned;
  int turn = 0;
  std::atomic<int> next_number{0};
  on_all(four, [&] {
    const int me = next_number.fetch_add(1);
    for (int i = 0; i < 200; ++i) {
      std::unique_lock lock(m);
      turned.wait(lock, [&] { return turn % 4 == me; });
      ++turn;
      turned.notify_all();
    }
  });
  EXPECT_EQ(turn, 800);
}

TEST_F(Mapped, AtomicsAreWaitedFor) {
  std::atomic<int> turn{0};
  std::atomic<int> next_number{0};
  on_all(four, [&] {
    const int me = next_number.fetch_add(1);
    for (int i = 0; i < 200; ++i) {
      for (int now = turn.load(); now % 4 != me; now = turn.load()) turn.wait(now);
      turn.fetch_add(1);
      turn.notify_all();
    }
  });
  EXPECT_EQ(turn, 800);
}

TEST_F(Mapped, Semaphores) {
  std::counting_semaphore<4> two(2);
  std::atomic<int> inside{0};
  on_all(four, [&] {
    for (int i = 0; i < rounds; ++i) {
      two.acquire();
      if (inside.fetch_add(1) > 1) std::abort();
      inside.fetch_sub(1);
      two.release();
    }
  });
}

TEST_F(Mapped, Barriers) {
  pthread_barrier_t b;
  ASSERT_EQ(pthread_barrier_init(&b, nullptr, 4), 0);
  std::atomic<int> last{0};
  on_all(four, [&] {
    for (int i = 0; i < 200; ++i)
      if (pthread_barrier_wait(&b) == PTHREAD_BARRIER_SERIAL_THREAD) ++last;
  });
  EXPECT_EQ(last, 200);
  pthread_barrier_destroy(&b);
}

TEST_F(Mapped, OnceIsOnce) {
  for (int i = 0; i < 20; ++i) {
    std::once_flag flag;
    std::atomic<int> calls{0};
    std::atomic<int> thrown{0};
    on_all(four, [&] {
      try {
        std::call_once(flag, [&] {
          usleep(100);
          if (calls.fetch_add(1) == 0) throw std::runtime_error("once more");
        });
        EXPECT_EQ(calls, 2);
      } catch (const std::runtime_error&) {
        ++thrown;
      }
    });
    EXPECT_EQ(thrown, 1);
  }
}

int slow_to_make() {
  usleep(10000);
  static int made = 0;
  return ++made;
}

TEST_F(Mapped, StaticLocalsAreMadeOnce) {
  on_all(four, [] {
    static const int made = slow_to_make();
    EXPECT_EQ(made, 1);
  });
}

// Runtimes.

TEST_F(Mapped, ThereIsOneAtATime) { EXPECT_THROW(nopal::mapped::runtime{}, std::logic_error); }

TEST_F(Mapped, ExceptionsComeOut) {
  try {
    four.run([] { throw std::runtime_error("from a worker"); });
    FAIL();
  } catch (const std::runtime_error& e) {
    EXPECT_STREQ(e.what(), "from a worker");
  }
}

TEST(MappedRuntimes, OneAfterTheOther) {
  for (unsigned workers = 1; workers <= 8; ++workers) {
    nopal::mapped::runtime r({.workers = workers, .stack_bytes = std::size_t{workers} << 17});
    EXPECT_EQ(r.run([] { return fib(15); }), 610U);
    EXPECT_EQ(r.run([] { return fib_by_closures(15); }), 610U);
  }
}

TEST(MappedRuntimes, RuntimesOfThreadsBeforeAndAfter) {
  for (int i = 0; i < 3; ++i) {
    {
      nopal::runtime threads({.workers = 2});
      EXPECT_EQ(threads.run([] { return fib(15); }), 610U);
      EXPECT_THROW(nopal::mapped::runtime{}, std::logic_error) << "there are threads";
    }
    nopal::mapped::runtime processes({.workers = 2});
    EXPECT_EQ(processes.run([] { return fib(15); }), 610U);
  }
}

/// S_P: what is left when all is done is a few pages a worker, and while it runs no more than
/// P (S_1 + D).
TEST(MappedRuntimes, PagesOfStacks) {
  constexpr unsigned workers = 4;
  nopal::mapped::runtime four({.workers = workers, .reclaim = nopal::reclaim_policy::dontneed});
  EXPECT_EQ(four.stacks().pages, 0U);
  four.run([] { return fib(22); });
  const nopal::mapped::stack_statistics s = four.stacks();
  EXPECT_GE(s.pages, 0U);
  EXPECT_LE(s.pages, 4U * workers);
  EXPECT_GE(s.segments, 1U);
  EXPECT_GE(s.mapped, 1U);
}

}  // namespace
