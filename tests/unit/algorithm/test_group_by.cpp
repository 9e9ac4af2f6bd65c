// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstddef>
#include <list>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "nopal/algorithm/group_by.hpp"
#include "nopal/nopal.hpp"
#include "support/equal_keys.hpp"
#include "support/everywhere.hpp"

namespace {

using nopal_test::everywhere;
using nopal_test::numbered_record;

TEST(GroupBy, KeepsTheOrder) {
  everywhere([] {
    for (const int kind : {0, 1, 2, 3})
      for (const std::size_t n : nopal_test::lengths_with_keys) {
        const auto v = nopal_test::records_with_keys(kind, n);
        EXPECT_EQ(nopal::group_by(v, &numbered_record::key), nopal_test::groups_of(v))
            << n << " of kind " << kind;
      }
  });
}

TEST(GroupBy, KeysThatAreDearToCopy) {
  everywhere([] {
    nopal_test::with_texts_as_keys([](const auto& v, const auto& groups) {
      EXPECT_EQ(nopal::group_by(v, nopal_test::text_of_key), groups);
    });
  });
}

TEST(GroupBy, OtherRangesAndFunctions) {
  everywhere([] {
    const std::list<std::string> walked{"fig", "pea", "plum", "fig"};
    using group = std::pair<std::size_t, std::vector<char>>;
    EXPECT_EQ(
        nopal::group_by(walked, &std::string::size, [](const std::string& s) { return s.back(); }),
        (std::vector<group>{{3, {'g', 'a', 'g'}}, {4, {'m'}}}));
    // Keys of a type without a hash, whose hashes are nearly all the same.
    struct two {
      int a, b;
    };
    const auto groups = nopal::group_by(
        0, 9000, [](int i) { return two{i % 3, i % 2}; }, std::identity(),
        [](const two& t) { return static_cast<std::size_t>(t.a / 2); },
        [](const two& s, const two& t) { return s.a == t.a && s.b == t.b; });
    ASSERT_EQ(groups.size(), 6U);
    for (std::size_t g = 0; g < 6; ++g)
      for (std::size_t i = 0; i < 1500; ++i)
        ASSERT_EQ(groups[g].second[i], static_cast<int>(6 * i + g));
  });
}

TEST(GroupBy, ExceptionsPropagate) {
  everywhere([] {
    for (const std::size_t n : {100U, 50000U}) {
      const auto v = nopal_test::records_with_keys(1, n);
      const auto fails = [n](const numbered_record& r) {
        return r.number == n - 1 ? throw std::range_error("the last") : r.number;
      };
      EXPECT_THROW(nopal::group_by(v, fails), std::range_error);
      EXPECT_THROW(nopal::group_by(v, &numbered_record::key, fails), std::range_error);
    }
  });
}

}  // namespace
