// SPDX-License-Identifier: Apache-2.0
// Recursion by each front end, and by both in turn.
#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>

#include "nopal/nopal.hpp"
#include "program.hpp"
#include "values.hpp"

using namespace nopal_test;

namespace {

std::uint64_t fib_of_closures(unsigned n) {
  if (n < 2) return n;
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  nopal::parallel_invoke([&] { a = fib_of_closures(n - 1); }, [&] { b = fib_of_closures(n - 2); });
  return a + b;
}

std::uint64_t fib_of_results(unsigned n) {
  if (n < 2) return n;
  const auto [a, b] = nopal::parallel_invoke([n] { return fib_of_results(n - 1); },
                                             [n] { return fib_of_results(n - 2); });
  return a + b;
}

NOPAL_FORKS std::uint64_t fib_of_frames(unsigned n) {
  if (n < 2) return n;
  nopal::fork_frame frame;
  std::uint64_t a;
  frame.fork(&a, fib_of_frames, n - 1);
  const std::uint64_t b = fib_of_frames(n - 2);
  frame.join();
  return a + b;
}

// The join is the end of the frame, so the result is read from outside of its life.
NOPAL_FORKS std::uint64_t fib_without_join(unsigned n) {
  if (n < 2) return n;
  std::uint64_t a;
  std::uint64_t b;
  {
    nopal::fork_frame frame;
    frame.fork(&a, fib_without_join, n - 1);
    b = fib_without_join(n - 2);
#ifdef NOPAL_CHECK  // which wants a join() for a result that goes to a local variable
    frame.join();
#endif
  }
  return a + b;
}

std::uint64_t fib_of_both(unsigned n);

NOPAL_FORKS std::uint64_t fib_of_frames_then_closures(unsigned n) {
  if (n < 2) return n;
  nopal::fork_frame frame;
  std::uint64_t a;
  frame.fork(&a, fib_of_both, n - 1);
  const std::uint64_t b = fib_of_both(n - 2);
  frame.join();
  return a + b;
}

std::uint64_t fib_of_both(unsigned n) {
  if (n < 2) return n;
  if (n % 2 == 0) return fib_of_frames_then_closures(n);
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  nopal::parallel_invoke([&] { a = fib_of_frames_then_closures(n - 1); },
                         [&] { b = fib_of_both(n - 2); });
  return a + b;
}

constexpr unsigned most_queens = 8;
using board = std::array<signed char, most_queens>;

bool safe(const board& b, unsigned row, int column) {
  for (unsigned r = 0; r < row; ++r) {
    const int d = column - b[r];
    const int down = static_cast<int>(row - r);
    if (d == 0 || d == down || d == -down) return false;
  }
  return true;
}

NOPAL_FORKS unsigned queens_of_frames(board b, unsigned row, unsigned n) {
  if (row == n) return 1;
  std::array<unsigned, most_queens> counts{};
  nopal::fork_frame frame;
  for (unsigned column = 0; column < n; ++column) {
    if (!safe(b, row, static_cast<int>(column))) continue;
    b[row] = static_cast<signed char>(column);
    frame.fork(&counts[column], queens_of_frames, b, row + 1, n);
  }
  frame.join();
  return std::accumulate(counts.begin(), counts.end(), 0U);
}

unsigned queens_of_closures(const board& b, unsigned row, unsigned n, unsigned first,
                            unsigned last) {
  if (row == n) return 1;
  if (last - first > 1) {
    const unsigned middle = (first + last) / 2;
    unsigned left = 0;
    unsigned right = 0;
    nopal::parallel_invoke([&] { left = queens_of_closures(b, row, n, first, middle); },
                           [&] { right = queens_of_closures(b, row, n, middle, last); });
    return left + right;
  }
  if (!safe(b, row, static_cast<int>(first))) return 0;
  board next = b;
  next[row] = static_cast<signed char>(first);
  return queens_of_closures(next, row + 1, n, 0, n);
}

void sort_by_closures(int* first, int* last) {
  if (last - first < 4) {
    std::sort(first, last);
    return;
  }
  const int pivot = first[(last - first) / 2];
  int* middle = std::partition(first, last, [&](int v) { return v < pivot; });
  int* above = std::partition(middle, last, [&](int v) { return v == pivot; });
  nopal::parallel_invoke([=] { sort_by_closures(first, middle); },
                         [=] { sort_by_closures(above, last); });
}

// Many deep strands at the same time: children that fork all the way down before the first
// continuation ends.
NOPAL_FORKS unsigned depth(unsigned n) {
  if (n == 0) return 0;
  nopal::fork_frame frame;
  unsigned below;
  frame.fork(&below, depth, n - 1);
  preempt();
  frame.join();
  return below + 1;
}

}  // namespace

NOPAL_PROGRAM(recursion_closures) { check(fib_of_closures(opaque(11U)) == 89); }
NOPAL_PROGRAM(recursion_results) { check(fib_of_results(opaque(11U)) == 89); }
NOPAL_PROGRAM(recursion_frames) { check(fib_of_frames(opaque(11U)) == 89); }
NOPAL_PROGRAM(recursion_frames_without_join) { check(fib_without_join(opaque(11U)) == 89); }
NOPAL_PROGRAM(recursion_both) { check(fib_of_both(opaque(11U)) == 89); }
NOPAL_PROGRAM(recursion_queens_frames) { check(queens_of_frames({}, 0, opaque(5U)) == 10); }
NOPAL_PROGRAM(recursion_queens_closures) {
  check(queens_of_closures({}, 0, opaque(5U), 0, 5) == 10);
}
NOPAL_PROGRAM(recursion_depth) { check(depth(opaque(60U)) == 60); }

NOPAL_PROGRAM(recursion_sort) {
  std::array<int, 200> numbers;
  for (unsigned i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int>(i * 7919 % 211);
  sort_by_closures(numbers.data(), numbers.data() + numbers.size());
  check(std::ranges::is_sorted(numbers));
}
