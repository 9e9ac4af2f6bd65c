// SPDX-License-Identifier: Apache-2.0
// Merges of two ranges.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <ranges>
#include <string>
#include <vector>

#include "nopal/algorithm/inplace_merge.hpp"
#include "nopal/algorithm/merge.hpp"
#include "nopal/nopal.hpp"
#include "support/everywhere.hpp"
#include "support/order.hpp"
#include "support/ranges.hpp"

namespace {

using nopal::grain;
using nopal_test::everywhere;
using nopal_test::keyed;
using nopal_test::scrambled;

/// Returns n sorted keys of so many different ones, which count their places from `place` on.
std::vector<keyed> sorted_keys(std::size_t n, unsigned different, int place) {
  std::vector<keyed> v(n);
  for (std::size_t i = 0; i < n; ++i) v[i].key = static_cast<int>(scrambled(i + 7) % different);
  std::ranges::sort(v);
  for (keyed& k : v) k.place = place++;
  return v;
}

/// Calls f with two sorted ranges of many lengths, in which few, some or nearly all keys are
/// different.
template <class F>
void with_two_ranges(const F& f) {
  constexpr std::size_t lengths[] = {0,
                                     1,
                                     2,
                                     5,
                                     100,
                                     1024,
                                     1500,
                                     nopal_test::with_sanitizer ? 3 : 9000,
                                     nopal_test::with_sanitizer ? 2100 : 40000};
  for (const std::size_t n : lengths)
    for (const std::size_t m : lengths)
      for (const unsigned different : {1U, 7U, 1000000U})
        f(sorted_keys(n, different, 0), sorted_keys(m, different, 1000000));
}

TEST(Merge, AsStd) {
  everywhere([] {
    with_two_ranges([](const std::vector<keyed>& a, const std::vector<keyed>& b) {
      std::vector<keyed> expected(a.size() + b.size()), out(a.size() + b.size());
      std::ranges::merge(a, b, expected.begin(), {}, &keyed::key, &keyed::key);
      EXPECT_EQ(nopal::merge(a, b, out.begin(), {}, &keyed::key, &keyed::key), out.end());
      ASSERT_EQ(out, expected) << a.size() << " and " << b.size();
    });
  });
}

TEST(Merge, OtherElementsAndOrders) {
  everywhere([] {
    std::vector<std::string> a, b, out(5000), expected(5000);
    for (int i = 0; i < 2000; ++i) a.push_back(std::to_string(scrambled(static_cast<unsigned>(i))));
    for (int i = 0; i < 3000; ++i) b.push_back(std::to_string(i));
    std::ranges::sort(a, std::greater<>());
    std::ranges::sort(b, std::greater<>());
    std::ranges::merge(a, b, expected.begin(), std::greater<>());
    nopal::merge(grain{10}, a.begin(), a.end(), b.begin(), b.end(), out.begin(), std::greater<>());
    EXPECT_EQ(out, expected);
    // Two types of elements, one of them of a view, with a projection each.
    std::vector<long> numbers(9000);
    const auto end = nopal::merge(std::views::iota(0, 4000), std::vector<short>(5000, 9),
                                  numbers.begin(), {}, [](int i) { return i / 100; });
    EXPECT_EQ(end, numbers.end());
    EXPECT_EQ(numbers[999], 999);
    EXPECT_EQ(numbers[1000], 9);
    EXPECT_EQ(numbers[6000], 1000);
  });
}

TEST(InplaceMerge, AsStd) {
  everywhere([] {
    with_two_ranges([](std::vector<keyed> a, const std::vector<keyed>& b) {
      const auto middle = static_cast<std::ptrdiff_t>(a.size());
      a.insert(a.end(), b.begin(), b.end());
      std::vector<keyed> expected = a;
      std::ranges::sort(expected);
      EXPECT_EQ(nopal::inplace_merge(a.begin(), a.begin() + middle, a.end(), {}, &keyed::key),
                a.end());
      ASSERT_EQ(a, expected) << middle << " and " << b.size();
    });
  });
}

TEST(InplaceMerge, WithoutMemory) {
  everywhere([] {
    with_two_ranges([](std::vector<keyed> a, const std::vector<keyed>& b) {
      if (a.size() + b.size() > 20000) return;
      const auto middle = static_cast<std::ptrdiff_t>(a.size());
      a.insert(a.end(), b.begin(), b.end());
      std::vector<keyed> expected = a;
      std::ranges::sort(expected);
      nopal::algorithm_detail::merge_by_rotations(
          a.data(), {0, middle}, {middle, static_cast<std::ptrdiff_t>(a.size())}, 100, keyed::less);
      ASSERT_EQ(a, expected) << middle << " and " << b.size();
    });
  });
}

TEST(InplaceMerge, MovesOnly) {
  everywhere([] {
    std::vector<std::unique_ptr<int>> v;
    for (int i = 0; i < 3000; ++i) v.push_back(std::make_unique<int>(3 * i));
    for (int i = 0; i < 4000; ++i) v.push_back(std::make_unique<int>(2 * i));
    nopal::inplace_merge(grain{50}, v, v.begin() + 3000, {},
                         [](const std::unique_ptr<int>& p) { return *p; });
    EXPECT_TRUE(std::ranges::is_sorted(v, {}, [](const auto& p) { return *p; }));
  });
}

}  // namespace
