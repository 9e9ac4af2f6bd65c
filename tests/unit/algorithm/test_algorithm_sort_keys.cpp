// SPDX-License-Identifier: Apache-2.0
// Numbers in their natural order.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "nopal/algorithm/sort.hpp"
#include "nopal/nopal.hpp"
#include "support/everywhere.hpp"
#include "support/order.hpp"
#include "support/ranges.hpp"

namespace {

using nopal::algorithm_detail::key_kind;
using nopal::algorithm_detail::key_order;
using nopal_test::everywhere;
using nopal_test::scrambled;

/// Sorts numbers of type T by the library's own sorter for them, if it has one.
template <class T>
void sorts_both_ways(key_kind kind) {
  for (const key_order order : {key_order::ascending, key_order::descending}) {
    std::vector<T> v(3000);
    for (std::size_t i = 0; i < v.size(); ++i)
      v[i] = static_cast<T>(static_cast<std::int64_t>(scrambled(i)) - (std::int64_t{1} << 31));
    v[17] = std::numeric_limits<T>::max();
    v[18] = std::numeric_limits<T>::lowest();
    std::vector<T> expected = v;
    std::ranges::sort(expected);
    if (order == key_order::descending) std::ranges::reverse(expected);
    const auto sort = nopal::algorithm_detail::sorter_of_keys(kind, sizeof(T), order);
    if (sort == nullptr) continue;
    sort(v.data(), v.size());
    EXPECT_EQ(v, expected);
  }
}

TEST(SortKeys, EveryTypeOfNumber) {
  everywhere([] {
    sorts_both_ways<signed char>(key_kind::signed_integer);
    sorts_both_ways<std::int16_t>(key_kind::signed_integer);
    sorts_both_ways<std::uint16_t>(key_kind::unsigned_integer);
    sorts_both_ways<std::int32_t>(key_kind::signed_integer);
    sorts_both_ways<std::uint32_t>(key_kind::unsigned_integer);
    sorts_both_ways<std::int64_t>(key_kind::signed_integer);
    sorts_both_ways<std::uint64_t>(key_kind::unsigned_integer);
    sorts_both_ways<float>(key_kind::floating);
    sorts_both_ways<double>(key_kind::floating);
  });
}

template <class T, class Comp>
void sorts_as(const Comp& comp) {
  std::vector<T> v(3000);
  for (std::size_t i = 0; i < v.size(); ++i)
    v[i] = static_cast<T>(static_cast<std::int64_t>(scrambled(i)) - (std::int64_t{1} << 31));
  std::vector<T> expected = v;
  std::sort(expected.begin(), expected.end(), comp);
  nopal::sort(v, comp);
  EXPECT_EQ(v, expected);
}

TEST(SortKeys, TypesAndOrders) {
  sorts_as<char>(std::less<>());
  sorts_as<short>(std::ranges::greater());
  sorts_as<unsigned short>(std::ranges::less());
  sorts_as<unsigned>(std::greater<unsigned>());
  sorts_as<long>(std::less<long>());
  sorts_as<unsigned long long>(std::greater<>());
  sorts_as<float>(std::greater<>());
}

TEST(SortKeys, ZerosAndInfinities) {
  everywhere([] {
    std::vector<double> v(70000);
    for (std::size_t i = 0; i < v.size(); ++i) {
      const double values[] = {0.0, -0.0, HUGE_VAL, -HUGE_VAL, 1e-310, -1e-310, 3.5};
      v[i] = values[scrambled(i) % 7];
    }
    const auto zeros = [&v] {
      return std::ranges::count_if(v, [](double x) { return x == 0 && std::signbit(x); });
    };
    const auto negative = zeros();
    nopal::sort(v);
    EXPECT_TRUE(std::ranges::is_sorted(v));
    EXPECT_EQ(zeros(), negative);
  });
}

TEST(SortKeys, NotANumberIsNoOrderAndNoCrash) {
  everywhere([] {
    std::vector<double> v(50000);
    for (std::size_t i = 0; i < v.size(); ++i)
      v[i] = i % 5 == 0 ? std::numeric_limits<double>::quiet_NaN() : scrambled(i);
    nopal::sort(v);
    EXPECT_EQ(v.size(), 50000U);
  });
}

}  // namespace
