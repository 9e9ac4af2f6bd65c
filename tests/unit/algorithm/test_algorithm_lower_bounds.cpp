// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <stdexcept>
#include <string>
#include <vector>

#include "nopal/algorithm.hpp"
#include "nopal/algorithm/lower_bounds.hpp"
#include "nopal/nopal.hpp"
#include "support/everywhere.hpp"
#include "support/ranges.hpp"

namespace {

using nopal::grain;
using nopal_test::everywhere;
using nopal_test::scrambled;

TEST(LowerBounds, LikeTheStandard) {
  everywhere([] {
    for (const std::size_t n : {0U, 1U, 2U, 3U, 4U, 7U, 8U, 100U, 1023U, 1025U}) {
      std::vector<int> sorted(n);
      for (std::size_t i = 0; i < n; ++i) sorted[i] = 2 * static_cast<int>(i / 3);
      for (const std::size_t m : {0U, 1U, 15U, 16U, 17U, 700U}) {
        std::vector<int> keys(m);
        for (std::size_t i = 0; i < m; ++i) keys[i] = static_cast<int>(scrambled(i) % (n + 3)) - 1;
        std::vector<std::ptrdiff_t> lower(m, -9), upper(m, -9);
        std::vector<char> there(m, 9);
        EXPECT_EQ(nopal::lower_bounds(sorted, keys, lower.begin()), lower.end());
        EXPECT_EQ(nopal::upper_bounds(grain{5}, sorted, keys, upper.begin()), upper.end());
        EXPECT_EQ(nopal::binary_searches(sorted, keys, there.begin()), there.end());
        for (std::size_t i = 0; i < m; ++i) {
          EXPECT_EQ(lower[i], std::ranges::lower_bound(sorted, keys[i]) - sorted.begin());
          EXPECT_EQ(upper[i], std::ranges::upper_bound(sorted, keys[i]) - sorted.begin());
          EXPECT_EQ(there[i] != 0, std::ranges::binary_search(sorted, keys[i]));
        }
      }
    }
  });
}

TEST(LowerBounds, OrdersProjectionsAndLists) {
  everywhere([] {
    struct item {
      std::string name;
      int key;
    };
    std::deque<item> sorted;
    for (int i = 0; i < 500; ++i) sorted.push_back({"", 1000 - 2 * i});
    std::list<std::string> keys;
    for (int i = 0; i < 1100; ++i) keys.push_back(std::to_string(i));
    std::vector<std::uint32_t> out(keys.size()), behind(keys.size());
    const auto number = [](const std::string& s) { return std::stoi(s); };
    EXPECT_EQ(nopal::lower_bounds(sorted, keys, out.begin(), std::greater<>(), &item::key, number),
              out.end());
    nopal::upper_bounds(grain{3}, sorted.begin(), sorted.end(), keys.begin(), keys.end(),
                        behind.begin(), std::greater<>(), &item::key, number);
    for (int i = 0; i < 1100; ++i) {
      const auto [first, last] = std::ranges::equal_range(sorted, i, std::greater<>(), &item::key);
      EXPECT_EQ(out[static_cast<std::size_t>(i)], first - sorted.begin()) << i;
      EXPECT_EQ(behind[static_cast<std::size_t>(i)], last - sorted.begin()) << i;
    }
  });
}

TEST(LowerBounds, InPlaceOfTheKeys) {
  everywhere([] {
    std::vector<int> sorted(1000), keys(5000);
    for (int i = 0; i < 1000; ++i) sorted[static_cast<std::size_t>(i)] = 3 * i;
    for (int i = 0; i < 5000; ++i) keys[static_cast<std::size_t>(i)] = i;
    nopal::binary_searches(sorted, keys, keys.begin());
    for (int i = 0; i < 5000; ++i)
      EXPECT_EQ(keys[static_cast<std::size_t>(i)], i % 3 == 0 && i < 3000) << i;
  });
}

TEST(LowerBounds, FewComparisonsAndExceptions) {
  nopal_test::on_one_worker([] {
    std::vector<int> sorted(1000), keys(64, 600), out(keys.size());
    for (int i = 0; i < 1000; ++i) sorted[static_cast<std::size_t>(i)] = i;
    int calls = 0;
    nopal::lower_bounds(sorted, keys, out.begin(), [&](int a, int b) {
      ++calls;
      return a < b;
    });
    EXPECT_EQ(out, std::vector<int>(64, 600));
    EXPECT_LE(calls, 64 * 11);
  });
  everywhere([] {
    std::vector<int> sorted(1000), keys(6400, 600), out(keys.size());
    EXPECT_THROW(nopal::lower_bounds(sorted, keys, out.begin(),
                                     [](int, int) -> bool { throw std::out_of_range("order"); }),
                 std::out_of_range);
  });
}

}  // namespace
