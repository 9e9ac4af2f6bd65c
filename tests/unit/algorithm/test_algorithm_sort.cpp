// SPDX-License-Identifier: Apache-2.0
// Sorting in place.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <ranges>
#include <string>
#include <vector>

#include "nopal/algorithm/sort.hpp"
#include "nopal/nopal.hpp"
#include "support/everywhere.hpp"
#include "support/order.hpp"
#include "support/ranges.hpp"

namespace {

using nopal::grain;
using nopal_test::everywhere;
using nopal_test::lengths_to_sort;
using nopal_test::patterns;
using nopal_test::record;
using nopal_test::scrambled;

/// Sorts all patterns of keys, each as an element of type T.
template <class T, class Sort, class Comp>
void sorts_patterns(const Sort& sort, const Comp& comp) {
  for (const std::size_t n : lengths_to_sort)
    for (const auto& pattern : patterns) {
      std::vector<T> v(n);
      for (std::size_t i = 0; i < n; ++i) v[i] = static_cast<T>(pattern(i, n));
      std::vector<T> expected = v;
      std::sort(expected.begin(), expected.end(), comp);
      sort(v);
      ASSERT_EQ(v, expected) << "of " << n << ", pattern " << &pattern - patterns.data();
    }
}

TEST(Sort, PatternsOfKeys) {
  everywhere([] {
    sorts_patterns<int>([](auto& v) { EXPECT_EQ(nopal::sort(v), v.end()); }, std::less<>());
    sorts_patterns<int>([](auto& v) { nopal::sort(grain{100}, v, std::greater<>()); },
                        std::greater<>());
  });
}

TEST(Sort, PatternsWithAnyComparison) {
  const auto less = [](int a, int b) { return a < b; };
  everywhere([less] {
    sorts_patterns<int>([less](auto& v) { nopal::sort(v, less); }, less);
    sorts_patterns<int>([less](auto& v) { nopal::sort(grain{50}, v, less); }, less);
  });
}

TEST(Sort, ProjectionsRecordsAndStrings) {
  everywhere([] {
    std::vector<record> records(20000);
    for (std::size_t i = 0; i < records.size(); ++i) records[i] = record(scrambled(i) % 5000);
    nopal::sort(records, {}, &record::key);
    EXPECT_TRUE(std::ranges::is_sorted(records, {}, &record::key));
    EXPECT_TRUE(std::ranges::all_of(records, &record::is_whole));
    std::vector<std::string> words(9000);
    for (std::size_t i = 0; i < words.size(); ++i)
      words[i] = std::string(i % 20, 'x') + std::to_string(scrambled(i));
    std::vector<std::string> expected = words;
    std::ranges::sort(expected);
    nopal::sort(words);
    EXPECT_EQ(words, expected);
  });
}

TEST(Sort, MovesOnly) {
  everywhere([] {
    std::vector<std::unique_ptr<unsigned>> v;
    for (std::size_t i = 0; i < 6000; ++i)
      v.push_back(std::make_unique<unsigned>(scrambled(i) % 3000));
    const auto value = [](const std::unique_ptr<unsigned>& p) { return *p; };
    nopal::sort(v, std::ranges::greater(), value);
    EXPECT_TRUE(std::ranges::is_sorted(v, std::ranges::greater(), value));
  });
}

TEST(Sort, DequesSubrangesAndWhatIsLeftAlone) {
  everywhere([] {
    std::deque<int> d;
    for (std::size_t i = 0; i < 9000; ++i) d.push_back(static_cast<int>(scrambled(i) % 100000));
    nopal::sort(d);
    EXPECT_TRUE(std::ranges::is_sorted(d));
    std::vector<int> v(5000);
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = static_cast<int>(scrambled(i) >> 4);
    const int front = v[0] = std::numeric_limits<int>::max(), back = v.back() = -1;
    nopal::sort(std::ranges::subrange(v.begin() + 1, v.end() - 1),
                [](int a, int b) { return a < b; });
    EXPECT_EQ(v[0], front);
    EXPECT_EQ(v.back(), back);
    EXPECT_TRUE(std::is_sorted(v.begin() + 1, v.end() - 1));
    nopal::sort(std::views::reverse(v));
    EXPECT_TRUE(std::ranges::is_sorted(v, std::greater<>()));
  });
}

TEST(Sort, ComparisonWithState) {
  everywhere([] {
    std::vector<std::size_t> rank(4000), v(4000);
    for (std::size_t i = 0; i < v.size(); ++i) rank[v[i] = i] = i * 1237 % 4000;
    nopal::sort(v, [&rank](std::size_t a, std::size_t b) { return rank[a] < rank[b]; });
    for (std::size_t i = 0; i < v.size(); ++i) EXPECT_EQ(rank[v[i]], i);
  });
}

TEST(Sort, SortedAndReversedAreOnlyLookedAt) {
  nopal_test::on_one_worker([] {
    std::vector<int> v(100000);
    std::iota(v.begin(), v.end(), 0);
    std::size_t comparisons = 0;
    const auto less = [&](int a, int b) {
      ++comparisons;
      return a < b;
    };
    nopal::sort(v, less);
    EXPECT_LE(comparisons, v.size());
    std::ranges::reverse(v);
    nopal::sort(v, less);
    EXPECT_LE(comparisons, 2 * v.size() + 10);
    EXPECT_TRUE(std::ranges::is_sorted(v));
  });
}

}  // namespace
