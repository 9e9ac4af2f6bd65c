// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <numeric>
#include <string>
#include <vector>

#include "nopal/algorithm.hpp"
#include "nopal/algorithm/adjacent_difference.hpp"
#include "nopal/algorithm/count.hpp"
#include "nopal/nopal.hpp"
#include "support/everywhere.hpp"
#include "support/ranges.hpp"
#include "support/searched.hpp"

namespace {

using nopal::grain;
using nopal_test::everywhere;
using nopal_test::few_values;
using nopal_test::lengths;

TEST(Count, LikeTheStandard) {
  everywhere([] {
    const auto even = [](int x) { return x % 2 == 0; };
    for (const std::size_t n : lengths) {
      const std::vector<int> v = few_values(n, 5);
      EXPECT_EQ(nopal::count(v, 3), std::ranges::count(v, 3)) << n;
      EXPECT_EQ(nopal::count_if(v, even), std::ranges::count_if(v, even)) << n;
      EXPECT_EQ(nopal::count_if(grain{10}, v, even, std::negate<>()),
                std::ranges::count_if(v, even));
      EXPECT_EQ(nopal::count(std::list<int>(v.begin(), v.end()), 3), std::ranges::count(v, 3));
      EXPECT_EQ(nopal::count_if(0, static_cast<int>(n), even), (n + 1) / 2);
    }
  });
}

TEST(Count, ManyNumbersOfAnyWidth) {
  everywhere([] {
    const auto expect = []<class T>(T of) {
      std::vector<T> v(100'001, of);
      EXPECT_EQ(nopal::count(v, of), 100'001);
      v[16'384] = v[99'999] = T{};
      EXPECT_EQ(nopal::count(v, of), 99'999);
      EXPECT_EQ(nopal::count(v, T{}), 2);
    };
    expect(std::uint8_t{7});
    expect(std::int16_t{-7});
    expect(7.5F);
    expect(std::int64_t{-7});
    expect(true);
    const std::vector<std::string> words{"a", "bb", "cc"};
    EXPECT_EQ(nopal::count(words, 2U, &std::string::size), 2);
  });
}

TEST(Count, ExceptionsPropagate) {
  everywhere([] {
    EXPECT_THROW(nopal::count_if(0, 100'000, [](int i) { return i == 90'000 ? throw i : true; }),
                 int);
  });
}

TEST(AdjacentDifference, LikeTheStandard) {
  everywhere([] {
    for (const std::size_t n : lengths) {
      const std::vector<int> v = few_values(n, 100);
      std::vector<int> expected(n), out(n);
      std::adjacent_difference(v.begin(), v.end(), expected.begin());
      EXPECT_EQ(nopal::adjacent_difference(v, out.begin()), out.end());
      EXPECT_EQ(out, expected);
      out.assign(n, -1);
      nopal::adjacent_difference(grain{10}, std::list<int>(v.begin(), v.end()), out.begin());
      EXPECT_EQ(out, expected);
      std::adjacent_difference(v.begin(), v.end(), expected.begin(), std::plus<>());
      nopal::adjacent_difference(v.begin(), v.end(), out.begin(), std::plus<>());
      EXPECT_EQ(out, expected);
      if (n == 0) continue;
      nopal::adjacent_difference(v, out.begin(), {}, std::negate<>());
      EXPECT_EQ(out[0], -v[0]);
      EXPECT_EQ(out[n - 1], n == 1 ? -v[0] : v[n - 2] - v[n - 1]);
    }
  });
}

}  // namespace
