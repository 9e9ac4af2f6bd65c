// SPDX-License-Identifier: Apache-2.0
// Loops that fork, frames used again, several frames in one function.
#include <array>
#include <cstdint>
#include <numeric>

#include "nopal/nopal.hpp"
#include "program.hpp"
#include "values.hpp"

using namespace nopal_test;

namespace {

unsigned squared(unsigned i) { return slowly(i * i); }

template <std::size_t n>
bool all_squares(const std::array<unsigned, n>& a) {
  for (unsigned i = 0; i < n; ++i)
    if (a[i] != i * i) return false;
  return true;
}

NOPAL_FORKS void fork_into_array() {
  std::array<unsigned, 40> a;
  nopal::fork_frame frame;
  for (unsigned i = 0; i < a.size(); ++i) frame.fork(&a[i], squared, i);
  frame.join();
  check(all_squares(a));
}

// Pointer and counter run on together; a stride that is no power of two; a sum that hangs on every
// turn.
NOPAL_FORKS void induction_variables() {
  std::array<unsigned, 40> a;
  std::array<int, 40> order;
  nopal::fork_frame frame;
  unsigned* at = a.data();
  long sum = 0;
  double product = 1;
  int down = opaque(1000);
  for (unsigned i = 0; i < a.size(); ++i, ++at, down -= 7) {
    frame.fork(at, squared, i);
    order[i] = down;
    sum += static_cast<long>(i) * down;
    product *= 1.0 + 0.5 * (i & 1);
  }
  frame.join();
  long expected = 0;
  double expected_product = 1;
  for (int i = 0; i < 40; ++i) {
    check(order[static_cast<unsigned>(i)] == 1000 - 7 * i);
    expected += long{i} * (1000 - 7 * i);
    expected_product *= 1.0 + 0.5 * (i & 1);
  }
  check(all_squares(a));
  check(sum == expected);
  check(product == expected_product);
  check(at == a.data() + a.size());
  check(down == 1000 - 7 * 40);
}

NOPAL_FORKS void nested_loops() {
  std::array<std::array<unsigned, 6>, 6> a;
  nopal::fork_frame frame;
  for (unsigned i = 0; i < 6; ++i) {
    for (unsigned j = i; j < 6; ++j) frame.fork(&a[i][j], squared, 10 * i + j);
    if (i % 2 == 1) frame.join();
  }
  frame.join();
  for (unsigned i = 0; i < 6; ++i)
    for (unsigned j = i; j < 6; ++j) check(a[i][j] == (10 * i + j) * (10 * i + j));
}

NOPAL_FORKS void used_again() {
  std::array<unsigned, 8> a;
  unsigned total = 0;
  nopal::fork_frame frame;
  for (unsigned round = 0; round < 6; ++round) {
    for (unsigned i = 0; i < a.size(); ++i) frame.fork(&a[i], squared, i + round);
    frame.join();
    for (unsigned i = 0; i < a.size(); ++i) {
      check(a[i] == (i + round) * (i + round));
      total += a[i];
    }
  }
  check(total == 140 + 204 + 284 + 380 + 492 + 620);
}

// A join without forks before it, and one right after another.
NOPAL_FORKS void joined_too_often() {
  nopal::fork_frame frame;
  frame.join();
  unsigned a;
  frame.fork(&a, squared, 3);
  frame.join();
  frame.join();
  check(a == 9);
}

// Forks and joins of three frames in every order: what one has brought to another stack, another
// may bring home.
NOPAL_FORKS void frames_in_any_order(unsigned order) {
  std::array<unsigned, 30> a{};
  nopal::fork_frame first;
  nopal::fork_frame second;
  nopal::fork_frame third;
  for (unsigned i = 0; i < a.size(); ++i) {
    order = order * 1'664'525 + 1'013'904'223;
    switch (order >> 29) {
      case 0:
        first.join();
        break;
      case 1:
        second.join();
        break;
      case 2:
        third.join();
        break;
      case 3:
        second.fork(&a[i], squared, i);
        continue;
      case 4:
        third.fork(&a[i], squared, i);
        continue;
      default:
        first.fork(&a[i], squared, i);
        continue;
    }
    a[i] = i * i;
  }
  first.join();
  third.join();
  second.join();
  check(all_squares(a));
}

NOPAL_FORKS void two_frames_in_turn() {
  nopal::fork_frame one;
  nopal::fork_frame other;
  unsigned a;
  unsigned b;
  unsigned c;
  one.fork(&a, squared, 1U);
  one.fork(&c, squared, 3U);
  one.join();
  check(a == 1 && c == 9);
  other.fork(&b, squared, 2U);
  other.fork(&a, squared, 4U);
  other.join();
  check(a == 16 && b == 4);
  one.fork(&a, squared, 5U);
  one.join();
  check(a == 25);
}

// Frames of one function nest: what the inner one forks is joined before the outer one is used
// again.
NOPAL_FORKS void frames_one_in_the_other() {
  std::array<unsigned, 20> outer;
  std::array<unsigned, 4> inner;
  nopal::fork_frame frame;
  unsigned sum = 0;
  for (unsigned i = 0; i < outer.size(); i += 2) {
    frame.fork(&outer[i], squared, i);
    {
      nopal::fork_frame within;
      for (unsigned j = 0; j < inner.size(); ++j) within.fork(&inner[j], squared, i + j);
    }
    frame.fork(&outer[i + 1], squared, i + 1);
    sum += std::accumulate(inner.begin(), inner.end(), 0U);
  }
  frame.join();
  check(all_squares(outer));
  unsigned expected = 0;
  for (unsigned i = 0; i < outer.size(); i += 2)
    for (unsigned j = 0; j < inner.size(); ++j) expected += (i + j) * (i + j);
  check(sum == expected);
}

// The same, with the inner frame in a function of its own, and in each child.
NOPAL_FORKS unsigned row_sum(unsigned row) {
  std::array<unsigned, 5> a;
  nopal::fork_frame frame;
  for (unsigned i = 0; i < a.size(); ++i) frame.fork(&a[i], squared, row + i);
  frame.join();
  return std::accumulate(a.begin(), a.end(), 0U);
}

NOPAL_FORKS void frames_in_children() {
  std::array<unsigned, 8> sums;
  nopal::fork_frame frame;
  for (unsigned row = 0; row < sums.size(); ++row) {
    frame.fork(&sums[row], row_sum, row);
    check(row_sum(row) == 5 * row * row + 20 * row + 30);
  }
  frame.join();
  for (unsigned row = 0; row < sums.size(); ++row)
    check(sums[row] == 5 * row * row + 20 * row + 30);
}

void many_closures() {
  std::array<unsigned, 7> a{};
  nopal::parallel_invoke([&] { a[0] = squared(0); }, [&] { a[1] = squared(1); },
                         [&] { a[2] = squared(2); }, [&] { a[3] = squared(3); },
                         [&] { a[4] = squared(4); }, [&] { a[5] = squared(5); },
                         [&] { a[6] = squared(6); });
  check(all_squares(a));
  nopal::parallel_invoke([&] { a[0] = 7; });
  check(a[0] == 7);
}

void closures_in_loop() {
  std::array<unsigned, 20> a{};
  unsigned sum = 0;
  for (unsigned i = 0; i < a.size(); i += 2) {
    nopal::parallel_invoke([&] { a[i] = squared(i); }, [&, i] { a[i + 1] = squared(i + 1); });
    sum += a[i] + a[i + 1];
  }
  check(all_squares(a));
  check(sum == 19 * 20 * 39 / 6);
}

// More continuations at the same time than a deque holds at first: it grows under the eyes of the
// thieves.
NOPAL_FORKS unsigned chain(unsigned n) {
  if (n == 0) return 0;
  nopal::fork_frame frame;
  unsigned below;
  frame.fork(&below, chain, n - 1);
  frame.join();
  return below + 1;
}

}  // namespace

NOPAL_PROGRAM(loops_into_array) { fork_into_array(); }
NOPAL_PROGRAM(loops_induction_variables) { induction_variables(); }
NOPAL_PROGRAM(loops_nested) { nested_loops(); }
NOPAL_PROGRAM(loops_frame_used_again) { used_again(); }
NOPAL_PROGRAM(loops_joined_too_often) { joined_too_often(); }
NOPAL_PROGRAM(loops_frames_in_any_order) {
  for (unsigned i = 0; i < 10; ++i) frames_in_any_order(opaque(i));
}
NOPAL_PROGRAM(loops_two_frames_in_turn) { two_frames_in_turn(); }
NOPAL_PROGRAM(loops_frames_one_in_the_other) { frames_one_in_the_other(); }
NOPAL_PROGRAM(loops_frames_in_children) { frames_in_children(); }
NOPAL_PROGRAM(loops_many_closures) { many_closures(); }
NOPAL_PROGRAM(loops_closures_in_loop) { closures_in_loop(); }
NOPAL_PROGRAM(loops_growing_deque) { check(chain(opaque(300U)) == 300); }
