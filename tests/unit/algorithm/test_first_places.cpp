// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <vector>

#include "nopal/detail/algorithm/keys/first_places.hpp"
#include "nopal/nopal.hpp"
#include "support/everywhere.hpp"
#include "support/ranges.hpp"

namespace {

using nopal::algorithm_detail::first_places;

TEST(FirstPlaces, AreTheElementsInOrder) {
  nopal_test::everywhere([] {
    for (const std::size_t n : {1U, 63U, 64U, 65U, 128U, 1000U, 20000U})
      for (const std::size_t one_of : {1U, 2U, 64U, 1000U}) {
        const auto is_in = [=](std::size_t i) { return nopal_test::scrambled(i) % one_of == 0; };
        std::vector<std::size_t> before(n + 1);
        for (std::size_t i = 0; i < n; ++i) before[i + 1] = before[i] + (is_in(i) ? 1 : 0);
        first_places places(static_cast<std::ptrdiff_t>(n));
        nopal::for_each(std::size_t{0}, n, [&](std::size_t i) {
          if (is_in(i)) places.put(i);
        });
        places.count();
        for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(places.before(i), before[i]);
        std::atomic<std::size_t> called{0};
        places.for_each_in_order([&](std::size_t i, std::size_t place) {
          EXPECT_TRUE(is_in(i));
          EXPECT_EQ(place, before[i]);
          ++called;
        });
        EXPECT_EQ(called, before[n]);
      }
  });
}

}  // namespace
