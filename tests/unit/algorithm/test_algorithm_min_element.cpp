// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <deque>
#include <functional>
#include <limits>
#include <list>
#include <memory>
#include <ranges>
#include <stdexcept>
#include <vector>

#include "nopal/algorithm.hpp"
#include "nopal/algorithm/min_element.hpp"
#include "nopal/nopal.hpp"
#include "support/algorithm.hpp"
#include "support/everywhere.hpp"
#include "support/ranges.hpp"
#include "support/searched.hpp"

namespace {

using nopal::grain;
using nopal_test::everywhere;
using nopal_test::few_values;
using nopal_test::lengths;

TEST(MinElement, LikeTheStandard) {
  everywhere([] {
    for (const std::size_t n : lengths) {
      const std::vector<int> v = few_values(n, 9);
      const std::deque<int> d(v.begin(), v.end());
      const std::list<int> l(v.begin(), v.end());
      const auto by = [](int a, int b) { return a / 2 < b / 2; };
      EXPECT_EQ(nopal::min_element(v), std::ranges::min_element(v)) << n;
      EXPECT_EQ(nopal::max_element(v), std::ranges::max_element(v)) << n;
      EXPECT_EQ(nopal::min_element(v, std::greater<>()), std::ranges::max_element(v)) << n;
      EXPECT_EQ(nopal::min_element(grain{10}, v, by), std::ranges::min_element(v, by)) << n;
      EXPECT_EQ(nopal::max_element(v, by), std::ranges::max_element(v, by)) << n;
      EXPECT_EQ(nopal::max_element(d, {}, std::negate<>()), std::ranges::min_element(d)) << n;
      EXPECT_EQ(nopal::min_element(l), std::ranges::min_element(l)) << n;
      const auto same = [&](const auto& a, const auto& b) {
        EXPECT_EQ(a.min, b.min) << n;
        EXPECT_EQ(a.max, b.max) << n;
      };
      same(nopal::minmax_element(v), std::ranges::minmax_element(v));
      same(nopal::minmax_element(grain{10}, v, by), std::ranges::minmax_element(v, by));
      same(nopal::minmax_element(l, by), std::ranges::minmax_element(l, by));
      if (n == 0) continue;
      EXPECT_EQ(nopal::min(v), std::ranges::min(v));
      EXPECT_EQ(nopal::max(l, by), std::ranges::max(l, by));
    }
  });
}

TEST(MinElement, ManyNumbers) {
  everywhere([] {
    const auto expect = [](auto v) {
      for (const std::size_t at : {99'999U, 60'000U, 16'384U, 16'383U, 5U, 0U}) {
        v[at] = -1;
        EXPECT_EQ(nopal::min_element(v) - v.begin(), at);
        v[at] = 100;
        EXPECT_EQ(nopal::max_element(v) - v.begin(), at);
        EXPECT_EQ(nopal::min_element(v, std::greater<>()) - v.begin(), at);
        EXPECT_EQ(nopal::max(v), 100);
      }
    };
    const auto expect_everywhere = [](auto v) {
      for (std::size_t at = 0; at < v.size(); ++at) {
        v[at] = -1;
        EXPECT_EQ(nopal::min_element(grain{300}, v) - v.begin(), at);
        v[at] = 2;
        EXPECT_EQ(nopal::max_element(grain{300}, v) - v.begin(), at);
        v[at] = 1;
      }
    };
    expect_everywhere(std::vector<double>(611, 1));
    expect(std::vector<double>(100'000, 1));
    expect(std::vector<signed char>(100'000, 1));
    // NaNs are in no order, but something is found.
    const std::vector<double> nans(5000, std::numeric_limits<double>::quiet_NaN());
    EXPECT_EQ(nopal::min_element(nans), nans.begin());
  });
}

TEST(MinElement, MembersAndWhatCanOnlyBeMoved) {
  everywhere([] {
    struct item {
      std::unique_ptr<int> value;
      int key;
    };
    std::vector<item> items(3000);
    for (int i = 0; i < 3000; ++i) items[static_cast<std::size_t>(i)].key = i % 1000;
    EXPECT_EQ(nopal::max_element(items, {}, &item::key) - items.begin(), 999);
    EXPECT_EQ(nopal::minmax_element(items, {}, &item::key).max - items.begin(), 2999);
    EXPECT_EQ(nopal::max(std::views::iota(0, 5000), {}, [](int i) { return i ^ 1023; }), 4096);
    EXPECT_THROW(nopal::min_element(items,
                                    [](const item&, const item& b) -> bool {
                                      return b.key == 500 ? throw std::out_of_range("500") : false;
                                    }),
                 std::out_of_range);
  });
}

// What must not compile.
using max_type =
    nopal::algorithm_detail::extreme_value_function<nopal::algorithm_detail::extreme::greatest>;
static_assert(!nopal_test::takes<max_type, int, int>, "std::max is for that");
static_assert(nopal_test::takes<max_type, std::vector<int>&>);

}  // namespace
