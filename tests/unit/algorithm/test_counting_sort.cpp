// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <deque>
#include <list>
#include <stdexcept>
#include <vector>

#include "nopal/algorithm/counting_sort.hpp"
#include "nopal/nopal.hpp"
#include "support/everywhere.hpp"
#include "support/ranges.hpp"

namespace {

using nopal_test::everywhere;
using nopal_test::scrambled;

struct record {
  std::size_t key;
  std::size_t number;

  friend bool operator==(const record&, const record&) = default;
};

TEST(CountingSort, IsStable) {
  everywhere([] {
    const auto expect = [](std::size_t n, std::size_t buckets) {
      const auto key = [buckets](const record& r) { return r.key % buckets; };
      std::vector<record> v(n);
      for (std::size_t i = 0; i < n; ++i) v[i] = {n % 2 == 0 || i % 50 == 0 ? scrambled(i) : 8, i};
      std::vector<record> expected = v;
      std::ranges::stable_sort(expected, {}, key);
      std::vector<record> out(n, record{1, 1});
      const std::vector<std::size_t> offsets = nopal::counting_sort(v, out.begin(), buckets, key);
      EXPECT_EQ(out, expected) << n << ' ' << buckets;
      ASSERT_EQ(offsets.size(), buckets + 1);
      EXPECT_EQ(offsets.front(), 0U);
      EXPECT_EQ(offsets.back(), n);
      for (std::size_t b = 0; b < buckets; ++b)
        for (std::size_t i = offsets[b]; i < offsets[b + 1]; ++i) ASSERT_EQ(key(out[i]), b);
    };
    for (const std::size_t buckets : {1U, 2U, 256U, 4096U, 4097U, 100000U})
      for (const std::size_t n : {0U, 1U, 2U, 100U, 2048U, 2049U, 50001U}) expect(n, buckets);
  });
}

TEST(CountingSort, RefusesAKeyThatIsNoBucket) {
  everywhere([] {
    const std::vector<int> v{3, 1, -1};
    std::vector<int> out{7, 7, 7};
    for (const std::size_t buckets : {4U, 5000U})
      EXPECT_THROW(nopal::counting_sort(v, out.begin(), buckets), std::out_of_range);
    EXPECT_THROW(nopal::counting_sort(v.begin(), v.begin() + 1, out.begin(), 3), std::out_of_range);
    EXPECT_EQ(out, (std::vector<int>{7, 7, 7}));
    nopal::counting_sort(v.begin(), v.begin() + 2, out.begin(), 4);
    EXPECT_EQ(out, (std::vector<int>{1, 3, 7}));
  });
}

TEST(CountingSort, OtherRanges) {
  everywhere([] {
    const std::list<int> walked{3, 0, 2, 0};
    std::deque<int> out(4);
    EXPECT_EQ(nopal::counting_sort(walked, out.begin(), 4),
              (std::vector<std::size_t>{0, 2, 2, 3, 4}));
    EXPECT_EQ(out, (std::deque<int>{0, 0, 2, 3}));
    EXPECT_EQ(nopal::counting_sort(0, 4, out.begin(), 2, [](int i) { return i % 2; }),
              (std::vector<std::size_t>{0, 2, 4}));
    EXPECT_EQ(out, (std::deque<int>{0, 2, 1, 3}));
  });
}

}  // namespace
