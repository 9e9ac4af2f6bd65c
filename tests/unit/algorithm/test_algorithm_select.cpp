// SPDX-License-Identifier: Apache-2.0
// Selection.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

#include "nopal/algorithm/nth_element.hpp"
#include "nopal/algorithm/partial_sort.hpp"
#include "nopal/nopal.hpp"
#include "support/everywhere.hpp"
#include "support/order.hpp"
#include "support/ranges.hpp"

namespace {

using nopal_test::everywhere;
using nopal_test::lengths_to_sort;
using nopal_test::patterns;

// A sanitizer makes the sorts slow that results are compared with.
constexpr std::size_t longest = nopal_test::with_sanitizer ? 4100 : 100000;

TEST(NthElement, Patterns) {
  everywhere([] {
    for (const std::size_t n : lengths_to_sort)
      for (const auto& pattern : patterns) {
        if (n == 0 || n > longest) continue;
        std::vector<int> sorted(n);
        for (std::size_t i = 0; i < n; ++i) sorted[i] = pattern(i, n);
        const std::vector<int> all = sorted;
        std::ranges::sort(sorted);
        for (const std::size_t k : {std::size_t{0}, n / 100, n / 2, n - 1 - n / 5, n - 1}) {
          std::vector<int> v = all;
          const auto nth = v.begin() + static_cast<std::ptrdiff_t>(k);
          EXPECT_EQ(nopal::nth_element(v.begin(), nth, v.end()), v.end());
          ASSERT_EQ(*nth, sorted[k]) << k << " of " << n;
          ASSERT_TRUE(std::all_of(v.begin(), nth, [=](int x) { return x <= *nth; }));
          ASSERT_TRUE(std::all_of(nth, v.end(), [=](int x) { return x >= *nth; }));
          std::ranges::sort(v);
          ASSERT_EQ(v, sorted);
        }
      }
  });
}

TEST(NthElement, EndAndEmpty) {
  std::vector<int> v{3, 1, 2}, none;
  EXPECT_EQ(nopal::nth_element(v, v.end()), v.end());
  EXPECT_EQ(v, (std::vector<int>{3, 1, 2}));
  EXPECT_EQ(nopal::nth_element(none, none.begin()), none.end());
  EXPECT_EQ(nopal::partial_sort(none, none.begin()), none.end());
  nopal::nth_element(v, v.begin(), std::greater<>());
  EXPECT_EQ(v[0], 3);
}

TEST(PartialSort, Patterns) {
  everywhere([] {
    for (const std::size_t n : lengths_to_sort)
      for (const auto& pattern : patterns) {
        if (n > longest) continue;
        std::vector<int> sorted(n);
        for (std::size_t i = 0; i < n; ++i) sorted[i] = pattern(i, n);
        const std::vector<int> all = sorted;
        std::ranges::sort(sorted, std::greater<>());
        for (const std::size_t k : {std::size_t{0}, n / 100, n / 2, n}) {
          std::vector<int> v = all;
          const auto middle = static_cast<std::ptrdiff_t>(k);
          nopal::partial_sort(v.begin(), v.begin() + middle, v.end(), std::greater<>());
          ASSERT_TRUE(std::equal(v.begin(), v.begin() + middle, sorted.begin()));
          std::ranges::sort(v, std::greater<>());
          ASSERT_EQ(v, sorted);
        }
      }
  });
}

}  // namespace
