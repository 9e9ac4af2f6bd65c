// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <list>
#include <vector>

#include "nopal/algorithm.hpp"
#include "nopal/algorithm/any_of.hpp"
#include "nopal/nopal.hpp"
#include "support/everywhere.hpp"
#include "support/ranges.hpp"

namespace {

using nopal_test::everywhere;
using nopal_test::lengths;

TEST(IsPartitioned, LikeTheStandard) {
  everywhere([] {
    const auto odd = [](int x) { return x % 2 != 0; };
    for (const std::size_t n : lengths)
      for (const std::size_t at : {std::size_t{0}, n / 2, n - n / 3, n}) {
        std::vector<int> v(n, 2);
        std::fill(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(at), 1);
        EXPECT_TRUE(nopal::is_partitioned(v, odd)) << n << ' ' << at;
        if (n == 0) continue;
        v.back() = 1;
        EXPECT_EQ(nopal::is_partitioned(v, odd), std::ranges::is_partitioned(v, odd));
        std::list<int> l(v.begin(), v.end());
        EXPECT_EQ(nopal::is_partitioned(l, odd), std::ranges::is_partitioned(v, odd));
      }
  });
}

}  // namespace
