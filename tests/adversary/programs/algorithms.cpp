// SPDX-License-Identifier: Apache-2.0
// Parallel loops, which use a join again for each of their blocks.
#include <array>
#include <numeric>
#include <vector>

#include "nopal/nopal.hpp"
#include "program.hpp"
#include "values.hpp"

using namespace nopal_test;

namespace {

constexpr int n = 40;

bool each_is(const std::array<int, n>& visits, int times) {
  for (const int v : visits)
    if (v != times) return false;
  return true;
}

}  // namespace

NOPAL_PROGRAM(algorithms_loops) {
  std::array<int, n> visits{};
  for (const unsigned grain : {0U, 1U, 3U})
    nopal::for_each(nopal::grain{grain}, visits, [](int& v) { v = slowly(v + 1); });
  check(each_is(visits, 3));
}

NOPAL_PROGRAM(algorithms_loops_within_a_loop) {
  std::array<std::array<int, n>, 5> visits{};
  nopal::for_each(visits, [](auto& row) {
    nopal::for_each(nopal::grain{4}, row, [](int& v) { v = slowly(v + 1); });
  });
  for (const auto& row : visits) check(each_is(row, 1));
}

NOPAL_PROGRAM(algorithms_map) {
  std::array<int, n> from;
  std::array<int, n> to{};
  std::iota(from.begin(), from.end(), 1);
  nopal::map(nopal::grain{1}, from, to.begin(), [](int x) { return slowly(2 * x); });
  for (int i = 0; i < n; ++i) check(to[static_cast<unsigned>(i)] == 2 * (i + 1));
}

// The exception is that of the first element that throws; those before it have all been visited,
// and none twice.
NOPAL_PROGRAM(algorithms_loop_throws) {
  const int first = opaque(17);
  std::array<int, n> visits{};
  int caught = -1;
  try {
    nopal::for_each(nopal::grain{1}, 0, n, [&](int i) {
      const tracked local(i);
      ++visits[static_cast<unsigned>(i)];
      preempt();
      if (i == first || i == 23 || i == 30) throw i;
    });
  } catch (int thrown) {
    caught = thrown;
  }
  check(caught == first);
  for (int i = 0; i < n; ++i) {
    const int v = visits[static_cast<unsigned>(i)];
    check(i <= first ? v == 1 : v <= 1);
  }
}
