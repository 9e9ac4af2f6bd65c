// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <list>
#include <stdexcept>
#include <string>
#include <vector>

#include "nopal/algorithm/remove_duplicates.hpp"
#include "nopal/nopal.hpp"
#include "support/equal_keys.hpp"
#include "support/everywhere.hpp"

namespace {

using nopal_test::everywhere;
using nopal_test::numbered_record;

TEST(RemoveDuplicates, KeepsTheFirst) {
  everywhere([] {
    for (const int kind : {0, 1, 2, 3})
      for (const std::size_t n : nopal_test::lengths_with_keys) {
        const auto v = nopal_test::records_with_keys(kind, n);
        std::vector<numbered_record> expected;
        for (const auto& group : nopal_test::groups_of(v)) expected.push_back(group.second.front());
        EXPECT_EQ(nopal::remove_duplicates(v, &numbered_record::key), expected)
            << n << " of kind " << kind;
      }
  });
}

TEST(RemoveDuplicates, KeysThatAreDearToCopy) {
  everywhere([] {
    nopal_test::with_texts_as_keys([](const auto& v, const auto& groups) {
      std::vector<numbered_record> expected;
      for (const auto& g : groups) expected.push_back(g.second.front());
      EXPECT_EQ(nopal::remove_duplicates(v, nopal_test::text_of_key), expected);
    });
  });
}

TEST(RemoveDuplicates, OtherRangesAndFunctions) {
  everywhere([] {
    const std::list<std::string> walked{"fig", "pea", "plum", "fig"};
    EXPECT_EQ(nopal::remove_duplicates(walked), (std::vector<std::string>{"fig", "pea", "plum"}));
    // A hash that is the same for all, and keys that are equal if their last digits are.
    const auto all_the_same = [](int) { return std::size_t{3}; };
    const auto last_digit = [](int a, int b) { return a % 10 == b % 10; };
    EXPECT_EQ(nopal::remove_duplicates(11, 20000, std::identity(), all_the_same, last_digit),
              (std::vector<int>{11, 12, 13, 14, 15, 16, 17, 18, 19, 20}));
    std::vector<bool> bits(10000);
    bits[7] = true;
    EXPECT_EQ(nopal::remove_duplicates(bits), (std::vector<bool>{false, true}));
    const auto fraction = [](int i) { return static_cast<float>(i) / 10000; };
    EXPECT_EQ(nopal::remove_duplicates(0, 10000, fraction).size(), 10000U);
  });
}

TEST(RemoveDuplicates, ExceptionsPropagate) {
  everywhere([] {
    for (const std::size_t n : {100U, 50000U}) {
      const auto v = nopal_test::records_with_keys(1, n);
      EXPECT_THROW(nopal::remove_duplicates(v,
                                            [n](const numbered_record& r) {
                                              return r.number == n - 1
                                                         ? throw std::range_error("the last")
                                                         : r.number;
                                            }),
                   std::range_error);
    }
  });
}

}  // namespace
