// SPDX-License-Identifier: Apache-2.0
// Algorithms whose results depend on what comes before in the range: searches, filters and sorts.
#include <algorithm>
#include <array>
#include <functional>
#include <vector>

#include "nopal/algorithm.hpp"
#include "program.hpp"
#include "values.hpp"

using namespace nopal_test;

namespace {

constexpr int n = 40;

/// Numbers that look random, 0 to 10.
std::array<int, n> some_numbers() {
  std::array<int, n> v{};
  for (int i = 0; i < n; ++i) v[static_cast<unsigned>(i)] = i * i * 7 % 11;
  return v;
}

bool is_small(int x) { return slowly(x) < 5; }

}  // namespace

// The first match counts, and an exception only if it comes before that.
NOPAL_PROGRAM(searches_find) {
  const int from = opaque(13);
  for (const unsigned grain : {1U, 3U}) {
    const int found =
        nopal::find_if(nopal::grain{grain}, 0, n, [=](int i) { return slowly(i) >= from; });
    check(found == from);
  }
  int visits = 0, caught = -1;
  try {
    nopal::find_if(nopal::grain{1}, 0, n, [&](int i) {
      preempt();
      if (i == 17 || i == 20) throw i;
      return i == from + 10;
    });
  } catch (int thrown) {
    caught = thrown;
  }
  check(caught == 17);
  const int before = nopal::find_if(nopal::grain{1}, 0, n, [&](int i) {
    preempt();
    if (i > from) throw i;
    return i == from;
  });
  check(before == from && visits == 0);
}

NOPAL_PROGRAM(searches_filter) {
  const std::array<int, n> v = some_numbers();
  std::vector<int> expected;
  for (const int x : v)
    if (x < 5) expected.push_back(x);
  for (const unsigned grain : {1U, 3U}) {
    std::array<int, n> visits{};
    std::vector<int> out(expected.size() + 1, -1);
    const auto end = nopal::copy_if(nopal::grain{grain}, v, out.begin(), [&](const int& x) {
      ++visits[static_cast<unsigned>(&x - v.data())];
      return is_small(x);
    });
    check(end == out.end() - 1 && out.back() == -1);
    check(std::equal(expected.begin(), expected.end(), out.begin()));
    for (const int times : visits) check(times == 1);
  }
}

NOPAL_PROGRAM(searches_in_place) {
  for (const unsigned grain : {1U, 3U}) {
    std::array<int, n> v = some_numbers(), expected = v;
    const auto left = nopal::remove_if(nopal::grain{grain}, v, is_small);
    const auto end = std::remove_if(expected.begin(), expected.end(), [](int x) { return x < 5; });
    check(left.begin() - v.begin() == end - expected.begin());
    check(std::equal(expected.begin(), end, v.begin()));

    std::array<int, n> runs{}, shorter{};
    for (int i = 0; i < n; ++i) runs[static_cast<unsigned>(i)] = i / 3;
    shorter = runs;
    const auto rest = nopal::unique(nopal::grain{grain}, runs,
                                    [](int a, int b) { return slowly(a) == slowly(b); });
    const auto last = std::unique(shorter.begin(), shorter.end());
    check(rest.begin() - runs.begin() == last - shorter.begin());
    check(std::equal(shorter.begin(), last, runs.begin()));
  }
}

NOPAL_PROGRAM(searches_stable_partition) {
  struct item {
    int key, place;
  };
  std::array<item, n> v{};
  for (int i = 0; i < n; ++i) v[static_cast<unsigned>(i)] = {i * 7 % 11, i};
  nopal::stable_partition(nopal::grain{2}, v, is_small, &item::key);
  for (unsigned i = 1; i < n; ++i) {
    const item &a = v[i - 1], &b = v[i];
    check((a.key < 5) == (b.key < 5) ? a.place < b.place : a.key < 5);
  }
}
