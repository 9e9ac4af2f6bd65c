// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <list>
#include <stdexcept>
#include <vector>

#include "nopal/algorithm/histogram.hpp"
#include "nopal/nopal.hpp"
#include "support/everywhere.hpp"
#include "support/ranges.hpp"

namespace {

using nopal_test::everywhere;
using nopal_test::lengths;
using nopal_test::scrambled;

template <class Key>
void expect_counts(std::size_t n, std::size_t buckets, const Key& key) {
  std::vector<std::size_t> v(n), expected(buckets);
  for (std::size_t i = 0; i < n; ++i) ++expected[v[i] = key(i)];
  EXPECT_EQ(nopal::histogram(v, buckets), expected) << n << ' ' << buckets;
}

TEST(Histogram, Counts) {
  everywhere([] {
    for (const std::size_t n : lengths)
      for (const std::size_t buckets : {1U, 3U, 256U, 10000U})
        expect_counts(n, buckets, [=](std::size_t i) { return scrambled(i) % buckets; });
  });
}

TEST(Histogram, ManyBuckets) {
  everywhere([] {
    constexpr std::size_t n = 1 << 18;
    for (const std::size_t buckets : {n / 16, n / 16 + 1, n - 1, 3 * n}) {
      expect_counts(n, buckets, [=](std::size_t i) { return scrambled(i) % buckets; });
      expect_counts(n, buckets, [=](std::size_t i) { return i % 3 == 0 ? i % buckets : 5; });
      expect_counts(n, buckets, [=](std::size_t) { return buckets - 1; });
    }
  });
}

TEST(Histogram, OtherRanges) {
  everywhere([] {
    const std::list<int> walked{3, 0, 3, 1};
    EXPECT_EQ(nopal::histogram(walked, 4), (std::vector<std::size_t>{1, 1, 0, 2}));
    EXPECT_EQ(nopal::histogram(walked, 2, [](int i) { return i % 2; }),
              (std::vector<std::size_t>{1, 3}));
    const std::list<char> longer(30000, 'a');
    EXPECT_EQ(nopal::histogram(longer, 5000)['a'], 30000U);
    EXPECT_EQ(nopal::histogram(0, 1000, 10, [](int i) { return i % 10; }),
              std::vector<std::size_t>(10, 100));
    EXPECT_EQ(nopal::histogram(nopal::grain{3}, std::vector<bool>{true, false, true}, 2),
              (std::vector<std::size_t>{1, 2}));
  });
}

TEST(Histogram, RefusesAKeyThatIsNoBucket) {
  everywhere([] {
    for (const std::size_t n : {10U, 1U << 18})
      for (const std::size_t buckets : {std::size_t{100}, std::size_t{1} << 17}) {
        std::vector<long> v(n, 7);
        v.back() = static_cast<long>(buckets);
        EXPECT_THROW(nopal::histogram(v, buckets), std::out_of_range);
        v.back() = -1;
        EXPECT_THROW(nopal::histogram(v, buckets), std::out_of_range);
      }
  });
}

}  // namespace
