// SPDX-License-Identifier: Apache-2.0
// Callbacks that fork: of libc's qsort, and of a shared library in C. A callback may come back on
// another thread than it was called on; the caller, whose frames lie between two forking functions
// on one stack, must not notice.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <vector>

#include "foreign.h"
#include "nopal/nopal.hpp"

namespace {

/// Calls round(runtime, 0), round(runtime, 1)… at least 10 times, and then until enough was stolen,
/// for half a minute at most.
template <class F>
void repeat(F&& round) {
  nopal::options o;
  o.workers = 4;
  o.pin = false;
  o.idle = nopal::idle_policy::busy;
  nopal::runtime runtime(o);
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  int done = 0;
  while (done < 10 ||
         (runtime.stats().total.steals < 30 && std::chrono::steady_clock::now() < until)) {
    round(runtime, done++);
    if (testing::Test::HasFatalFailure()) return;
  }
  EXPECT_GE(runtime.stats().total.steals, 30);
}

long fib_by_closures(long n) {
  if (n < 2) return n;
  long a = 0;
  long b = 0;
  nopal::parallel_invoke([&] { a = fib_by_closures(n - 1); }, [&] { b = fib_by_closures(n - 2); });
  return a + b;
}

NOPAL_FORKS long fib_by_frames(long n) {
  if (n < 2) return n;
  nopal::fork_frame frame;
  long a;
  frame.fork(&a, fib_by_frames, n - 1);
  const long b = fib_by_frames(n - 2);
  frame.join();
  return a + b;
}

constexpr std::array<long, 16> fib{0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610};

// --- qsort -----------------------------------------------------------------------------------

// Compares by what two forks compute from the numbers: the numbers themselves, but only where both
// are right.
int order(long a, long b) { return (a > b) - (a < b); }

int compare_by_closures(const void* x, const void* y) {
  const long a = *static_cast<const long*>(x);
  const long b = *static_cast<const long*>(y);
  long fa = 0;
  long fb = 0;
  nopal::parallel_invoke([&] { fa = fib_by_closures(a % 12); },
                         [&] { fb = fib_by_closures(b % 12); });
  return order(a + fa - fib[static_cast<std::size_t>(a % 12)],
               b + fb - fib[static_cast<std::size_t>(b % 12)]);
}

NOPAL_FORKS int compare_by_frames(const void* x, const void* y) {
  const long a = *static_cast<const long*>(x);
  const long b = *static_cast<const long*>(y);
  long fa;
  nopal::fork_frame frame;
  frame.fork(&fa, fib_by_frames, a % 12);
  const long fb = fib_by_frames(b % 12);
  frame.join();
  return order(a + fa - fib[static_cast<std::size_t>(a % 12)],
               b + fb - fib[static_cast<std::size_t>(b % 12)]);
}

/// Several sorts at the same time: each forks while others run, so that strands change places.
void sort_with(int (*compare)(const void*, const void*)) {
  repeat([compare](nopal::runtime& runtime, int round) {
    std::array<std::vector<long>, 3> numbers;
    for (std::size_t k = 0; k < numbers.size(); ++k)
      for (long i = 0; i < 60; ++i)
        numbers[k].push_back((i * 37 + static_cast<long>(k) + round) % 61);
    const auto sort = [compare](std::vector<long>& v) {
      std::qsort(v.data(), v.size(), sizeof v[0], compare);
    };
    runtime.run([&] {
      nopal::parallel_invoke([&] { sort(numbers[0]); }, [&] { sort(numbers[1]); },
                             [&] { sort(numbers[2]); });
    });
    for (const auto& v : numbers) ASSERT_TRUE(std::ranges::is_sorted(v));
  });
}

TEST(reciprocity, qsort_compares_by_closures) { sort_with(compare_by_closures); }
TEST(reciprocity, qsort_compares_by_frames) { sort_with(compare_by_frames); }

// --- a library in C --------------------------------------------------------------------------

long called_back_closures(void*, long i) { return fib_by_closures(i % 14); }
long called_back_frames(void*, long i) { return fib_by_frames(i % 14); }

long expected_sum(long n) {
  long sum = 0;
  for (long i = 0; i < n; ++i) sum += i * fib[static_cast<std::size_t>(i % 14)];
  return sum;
}

void sum_with(long (*f)(void*, long)) {
  repeat([f](nopal::runtime& runtime, int) {
    std::array<long, 3> sums{};
    runtime.run([&] {
      nopal::parallel_invoke([&] { sums[0] = foreign_sum(f, nullptr, 60); },
                             [&] { sums[1] = foreign_sum(f, nullptr, 61); },
                             [&] { sums[2] = foreign_sum(f, nullptr, 62); });
    });
    for (std::size_t k = 0; k < 3; ++k) ASSERT_EQ(sums[k], expected_sum(60 + static_cast<long>(k)));
  });
}

TEST(reciprocity, library_calls_closures) { sum_with(called_back_closures); }
TEST(reciprocity, library_calls_frames) { sum_with(called_back_frames); }

// In turn: parallel code calls the library, which calls parallel code, which calls the library …
struct level {
  int left;
};

long tree_by_frames(void* context, long left, long right);

NOPAL_FORKS long both_trees(int depth) {
  level below{depth};
  long a;
  nopal::fork_frame frame;
  frame.fork(&a, [&below] { return foreign_tree(tree_by_frames, &below, 2); });
  const long b = foreign_tree(tree_by_frames, &below, 2);
  frame.join();
  return a + b;
}

long tree_by_frames(void* context, long left, long right) {
  const int more = static_cast<level*>(context)->left;
  return left + right + (more == 0 ? 1 : both_trees(more - 1));
}

// A tree of depth 2 has 7 nodes: leaves count once, inner nodes add to what their children are.
long expected_tree(int left) { return 7 * (left == 0 ? 1 : 2 * expected_tree(left - 1)); }

TEST(reciprocity, library_and_parallel_code_in_turn) {
  repeat([](nopal::runtime& runtime, int) {
    ASSERT_EQ(runtime.run(both_trees, 2), 2 * expected_tree(2));
  });
}

// Called back on a thread that is no worker: the callback goes to the default runtime, and returns
// to its caller.
TEST(reciprocity, library_outside_of_any_worker) {
  EXPECT_EQ(foreign_sum(called_back_closures, nullptr, 30), expected_sum(30));
  EXPECT_EQ(foreign_sum(called_back_frames, nullptr, 30), expected_sum(30));
}

}  // namespace
