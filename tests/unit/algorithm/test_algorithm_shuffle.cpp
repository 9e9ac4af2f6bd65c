// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <random>
#include <stop_token>
#include <vector>

#include "nopal/algorithm/shuffle.hpp"
#include "nopal/nopal.hpp"
#include "support/everywhere.hpp"

namespace {

using nopal_test::everywhere;

std::vector<int> numbered(std::size_t n) {
  std::vector<int> v(n);
  std::iota(v.begin(), v.end(), 0);
  return v;
}

/// Lengths of which some are shuffled in a row and some in buckets.
constexpr std::size_t some_lengths[] = {0, 1, 2, 3, 100, 16383, 16384, 16385, 40000, 300000};

TEST(Shuffle, ASeedDecides) {
  for (const std::size_t n : some_lengths) {
    std::vector<int> expected;
    everywhere([&] {
      std::vector<int> v = numbered(n);
      EXPECT_EQ(nopal::shuffle(v, 42), v.end());
      if (expected.empty()) expected = v;
      EXPECT_TRUE(v == expected) << n;
      std::vector<int> other = numbered(n);
      nopal::shuffle(other.begin(), other.end(), 43);
      EXPECT_EQ(v == other, n < 3 && other == v) << n;
      std::ranges::sort(v);
      EXPECT_TRUE(v == numbered(n)) << n;
    });
  }
}

TEST(Shuffle, BoxesAndGenerators) {
  everywhere([] {
    std::vector<std::unique_ptr<int>> v;
    for (int i = 0; i < 20000; ++i) v.push_back(std::make_unique<int>(i));
    std::mt19937 generator, same;
    nopal::shuffle(v, generator);
    EXPECT_NE(generator, same) << "it was used";
    std::vector<int> numbers, expected = numbered(20000);
    for (const auto& b : v) numbers.push_back(*b);
    nopal::shuffle(expected, same);
    EXPECT_TRUE(numbers == expected);
  });
}

/// Whether the chi-squared statistic of counts that should all be alike is one that comes about
/// more often than once in some million times.
void expect_alike(const std::vector<int>& counts, double each) {
  double chi = 0;
  for (const int c : counts) chi += (c - each) * (c - each) / each;
  const double freedom = static_cast<double>(counts.size()) - 1;
  EXPECT_LT(chi, freedom + 5 * std::sqrt(2 * freedom) + 20);
  EXPECT_GT(chi, freedom - 5 * std::sqrt(2 * freedom) - 20);
}

TEST(Shuffle, EachOrderIsAsLikely) {
  std::vector<int> orders(120);
  for (int seed = 0; seed < 12000; ++seed) {
    std::vector<int> v = numbered(5);
    nopal::shuffle(v, seed);
    int order = 0;
    for (std::size_t i = 0; i < 5; ++i)
      order = order * static_cast<int>(5 - i) +
              static_cast<int>(std::count_if(v.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                                             v.end(), [&](int x) { return x < v[i]; }));
    ++orders[static_cast<std::size_t>(order)];
  }
  expect_alike(orders, 100);
}

/// Where elements go, by 64ths of the range; and which pairs of neighbours keep their order.
TEST(Shuffle, EachPlaceIsAsLikely) {
  constexpr std::size_t n = 1 << 16;
  std::vector<int> places(std::size_t{64} * 64), ascents(2);
  for (int seed = 0; seed < 20; ++seed) {
    std::vector<int> v = numbered(n);
    nopal::shuffle(v, seed);
    for (std::size_t i = 0; i < n; ++i)
      ++places[i / 1024 * 64 + static_cast<std::size_t>(v[i]) / 1024];
    for (std::size_t i = 0; i + 1 < n; i += 2) ++ascents[v[i] < v[i + 1] ? 1 : 0];
  }
  expect_alike(places, 20.0 * 1024 / 64);
  expect_alike(ascents, 5.0 * n);
}

TEST(Shuffle, AStopLeavesTheElements) {
  std::stop_source source;
  source.request_stop();
  everywhere([&] {
    std::vector<int> v = numbered(100000);
    EXPECT_THROW(nopal::shuffle(v, 1, {.stop = source.get_token()}), nopal::stopped);
    EXPECT_TRUE(v == numbered(100000));
  });
}

}  // namespace
