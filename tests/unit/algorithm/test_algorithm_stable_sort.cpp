// SPDX-License-Identifier: Apache-2.0
// Sorting stably.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <vector>

#include "nopal/algorithm/stable_sort.hpp"
#include "nopal/nopal.hpp"
#include "support/everywhere.hpp"
#include "support/order.hpp"
#include "support/ranges.hpp"

namespace {

using nopal::grain;
using nopal_test::everywhere;
using nopal_test::keyed;
using nopal_test::lengths_to_sort;
using nopal_test::patterns;
using nopal_test::record;
using nopal_test::scrambled;

TEST(StableSort, Patterns) {
  everywhere([] {
    for (const std::size_t n : lengths_to_sort)
      for (const auto& pattern : patterns) {
        std::vector<keyed> v(n);
        for (std::size_t i = 0; i < n; ++i) v[i] = {pattern(i, n), static_cast<int>(i)};
        std::vector<keyed> expected = v, w = v;
        std::ranges::sort(expected);
        EXPECT_EQ(nopal::stable_sort(v, keyed::less), v.end());
        ASSERT_EQ(v, expected) << "of " << n << ", pattern " << &pattern - patterns.data();
        nopal::stable_sort(grain{10}, w, {}, &keyed::key);
        ASSERT_EQ(w, expected) << "of " << n << ", pattern " << &pattern - patterns.data();
      }
  });
}

TEST(StableSort, OtherElements) {
  everywhere([] {
    std::vector<double> zeros(5000);
    for (std::size_t i = 0; i < zeros.size(); ++i)
      zeros[i] = i % 3 == 0 ? -0.0 : i % 3 == 1 ? 0.0 : -1;
    nopal::stable_sort(zeros);
    const auto first_zero = static_cast<std::size_t>(
        std::ranges::find_if(zeros, [](double x) { return x == 0; }) - zeros.begin());
    for (std::size_t i = first_zero; i < zeros.size(); ++i)
      ASSERT_EQ(std::signbit(zeros[i]), (i - first_zero) % 2 == 0) << i;
    std::vector<std::string> words(9000);
    for (std::size_t i = 0; i < words.size(); ++i)
      words[i] = std::to_string(scrambled(i) % 1000) + std::string(i % 30, 'y');
    // The strings of one size are in order, so that a stable sort by size keeps that.
    std::ranges::sort(words);
    std::vector<std::string> sorted = words;
    std::ranges::sort(sorted, [](const std::string& a, const std::string& b) {
      return a.size() != b.size() ? a.size() < b.size() : a < b;
    });
    nopal::stable_sort(words, {}, &std::string::size);
    EXPECT_EQ(words, sorted);
    std::vector<record> records(3000);
    for (std::size_t i = 0; i < records.size(); ++i) records[i] = record(scrambled(i) % 500);
    nopal::stable_sort(records, {}, &record::key);
    EXPECT_TRUE(std::ranges::is_sorted(records, {}, &record::key));
    EXPECT_TRUE(std::ranges::all_of(records, &record::is_whole));
    std::deque<int> d;
    for (std::size_t i = 0; i < 5000; ++i) d.push_back(static_cast<int>(scrambled(i) >> 1));
    nopal::stable_sort(d);
    EXPECT_TRUE(std::ranges::is_sorted(d));
  });
}

TEST(StableSort, WithoutMemory) {
  everywhere([] {
    for (const std::size_t n : lengths_to_sort) {
      if (n > 20000) continue;
      std::vector<keyed> v(n);
      for (std::size_t i = 0; i < n; ++i)
        v[i] = {static_cast<int>(scrambled(i) % 300), static_cast<int>(i)};
      std::vector<keyed> expected = v;
      std::ranges::sort(expected);
      nopal::algorithm_detail::merge_sort_by_rotations(
          v.data(), {0, static_cast<std::ptrdiff_t>(n)}, 100, keyed::less);
      ASSERT_EQ(v, expected);
    }
  });
}

}  // namespace
