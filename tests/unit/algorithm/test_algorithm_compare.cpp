// SPDX-License-Identifier: Apache-2.0
// These test the algorithms that compare two ranges, or the neighbours in one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <deque>
#include <functional>
#include <list>
#include <ranges>
#include <stdexcept>
#include <string>
#include <vector>

#include "nopal/algorithm.hpp"
#include "nopal/algorithm/is_sorted.hpp"
#include "nopal/algorithm/mismatch.hpp"
#include "nopal/nopal.hpp"
#include "support/everywhere.hpp"
#include "support/ranges.hpp"
#include "support/searched.hpp"

namespace {

using nopal::grain;
using nopal_test::everywhere;
using nopal_test::lengths;
using nopal_test::places;

TEST(Mismatch, ShorterLongerAndDifferent) {
  everywhere([] {
    for (const std::size_t n : lengths)
      for (const std::size_t at : places(n))
        for (const std::size_t more : {0U, 3U}) {
          std::vector<int> a(n, 1), b(n + more, 1);
          if (at < n) b[at] = 2;
          const auto [in1, in2] = nopal::mismatch(a, b);
          EXPECT_EQ(in1 - a.begin(), at);
          EXPECT_EQ(in2 - b.begin(), at);
          const auto [in3, in4] = nopal::mismatch(
              grain{10}, b, a, [](int x, int y) { return x == y; }, std::negate<>(),
              std::negate<>());
          EXPECT_EQ(in3 - b.begin(), at);
          EXPECT_EQ(in4 - a.begin(), at);
          EXPECT_EQ(nopal::equal(a, b), at == n && more == 0);
          EXPECT_EQ(nopal::starts_with(b, a), at == n);
          EXPECT_EQ(nopal::starts_with(a, b), at == n && more == 0);
          const auto less = [&](const auto& x, const auto& y) {
            const bool expected = std::ranges::lexicographical_compare(x, y);
            EXPECT_EQ(nopal::lexicographical_compare(x, y), expected) << n << ' ' << at;
            EXPECT_EQ(
                nopal::lexicographical_compare(
                    x, y, [](int p, int q) { return p > q; }, std::negate<>(), std::negate<>()),
                expected);
          };
          less(a, b);
          less(b, a);
        }
  });
}

TEST(Mismatch, WhatIsWalked) {
  everywhere([] {
    for (const std::size_t n : {0U, 1U, 512U, 513U, 70'000U}) {
      const std::vector<int> v(n, 1);
      std::list<int> l(n, 1);
      EXPECT_TRUE(nopal::equal(v, l));
      EXPECT_TRUE(nopal::starts_with(l, v));
      EXPECT_FALSE(nopal::lexicographical_compare(l, v));
      EXPECT_EQ(nopal::mismatch(v, std::views::iota(1)).in1 - v.begin(), n > 1 ? 1 : n);
      l.push_back(5);
      EXPECT_FALSE(nopal::equal(l, v));
      EXPECT_FALSE(nopal::starts_with(v, l));
      EXPECT_TRUE(nopal::starts_with(l, v));
      EXPECT_TRUE(nopal::lexicographical_compare(v, l));
      EXPECT_EQ(nopal::mismatch(l, v).in2, v.end());
    }
  });
}

TEST(Mismatch, OfManyNumbers) {
  everywhere([] {
    std::vector<short> a(1'000'000, 3), b = a;
    EXPECT_TRUE(nopal::equal(a, b));
    for (const std::size_t at : {999'999U, 70'000U, 16'383U, 100U}) {
      b[at] = 4;
      EXPECT_EQ(nopal::mismatch(a, b).in1 - a.begin(), at);
      EXPECT_TRUE(nopal::lexicographical_compare(a, b));
      EXPECT_FALSE(nopal::lexicographical_compare(b, a));
      EXPECT_FALSE(nopal::equal(a, b));
    }
    a[50] = 9;  // the first difference decides, not those behind it
    EXPECT_FALSE(nopal::lexicographical_compare(a, b));
    EXPECT_TRUE(nopal::lexicographical_compare(b, a));
  });
}

TEST(Equal, ComparesNothingIfTheSizesDiffer) {
  std::vector<int> a(10), b(11);
  EXPECT_FALSE(nopal::equal(a, b, [](int, int) -> bool { throw std::out_of_range("called"); }));
}

TEST(IsSorted, LikeTheStandard) {
  everywhere([] {
    for (const std::size_t n : lengths)
      for (const std::size_t at : places(n)) {
        std::vector<int> v(n);
        for (std::size_t i = 0; i < n; ++i) v[i] = 2 * static_cast<int>(i);
        if (at < n) v[at] = at == 0 ? 1'000'000 : v[at - 1] - 1;
        EXPECT_EQ(nopal::is_sorted(v), std::ranges::is_sorted(v)) << n << ' ' << at;
        EXPECT_EQ(nopal::is_sorted_until(v), std::ranges::is_sorted_until(v)) << n << ' ' << at;
        EXPECT_EQ(nopal::is_sorted_until(v, {}, std::negate<>()),
                  std::ranges::is_sorted_until(v, {}, std::negate<>()));
        EXPECT_EQ(nopal::is_sorted_until(grain{10}, v, std::greater<>(), std::negate<>()),
                  std::ranges::is_sorted_until(v, std::greater<>(), std::negate<>()));
        EXPECT_EQ(nopal::adjacent_find(v), v.end());
        if (at != 0 && at < n) v[at] = v[at - 1];
        EXPECT_EQ(nopal::is_sorted(v), std::ranges::is_sorted(v)) << n << ' ' << at;
        EXPECT_EQ(nopal::adjacent_find(v), std::ranges::adjacent_find(v)) << n << ' ' << at;
        EXPECT_EQ(nopal::adjacent_find(v, std::greater<>()),
                  std::ranges::adjacent_find(v, std::greater<>()));
      }
  });
}

TEST(IsSorted, ListsAndMembers) {
  everywhere([] {
    struct item {
      std::string name;
      int key;
    };
    std::list<item> l;
    EXPECT_TRUE(nopal::is_sorted(l, {}, &item::key));
    for (int i = 0; i < 5000; ++i) l.push_back({std::to_string(i), i / 2});
    EXPECT_TRUE(nopal::is_sorted(l, {}, &item::key));
    EXPECT_FALSE(nopal::is_sorted(l, {}, &item::name));
    EXPECT_EQ(nopal::is_sorted_until(l, {}, &item::name)->name, "10");
    EXPECT_EQ(nopal::adjacent_find(l, {}, &item::key), l.begin());
    EXPECT_EQ(nopal::adjacent_find(l, std::ranges::greater(), &item::key), l.end());
    std::deque<int> d(3000, 1);
    d[2000] = 0;
    EXPECT_EQ(nopal::is_sorted_until(d) - d.begin(), 2000);
  });
}

}  // namespace
