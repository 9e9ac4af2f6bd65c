// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <ranges>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "nopal/algorithm/reduce_by_key.hpp"
#include "nopal/nopal.hpp"
#include "support/equal_keys.hpp"
#include "support/everywhere.hpp"
#include "support/ranges.hpp"

namespace {

using nopal_test::affine;
using nopal_test::affine_number;
using nopal_test::everywhere;
using nopal_test::numbered_record;
using nopal_test::scrambled;

TEST(ReduceByKey, InOrder) {
  everywhere([] {
    for (const int kind : {0, 1, 2, 3})
      for (const std::size_t n : nopal_test::lengths_with_keys) {
        const auto v = nopal_test::records_with_keys(kind, n);
        std::vector<std::pair<std::size_t, affine>> expected;
        for (const auto& [key, elements] : nopal_test::groups_of(v)) {
          affine product;
          for (const numbered_record& r : elements) product = product * affine_number(r.number);
          expected.emplace_back(key, product);
        }
        EXPECT_EQ(
            nopal::reduce_by_key(v, std::multiplies<>(), &numbered_record::key,
                                 [](const numbered_record& r) { return affine_number(r.number); }),
            expected)
            << n << " of kind " << kind;
      }
  });
}

TEST(ReduceByKey, KeysThatAreDearToCopy) {
  everywhere([] {
    nopal_test::with_texts_as_keys([](const auto& v, const auto& groups) {
      std::vector<std::pair<std::string, std::size_t>> expected;
      for (const auto& g : groups) expected.emplace_back(g.first, g.second.size());
      const auto one = [](const numbered_record&) { return std::size_t{1}; };
      EXPECT_EQ(nopal::reduce_by_key(v, {}, nopal_test::text_of_key, one), expected);
    });
  });
}

TEST(ReduceByKey, SumsAreTheSameEachTime) {
  std::vector<std::pair<std::size_t, float>> v;
  for (const numbered_record& r : nopal_test::records_with_keys(3, 200000))
    v.emplace_back(r.key, static_cast<float>(scrambled(r.number)) / 3);
  const auto sums = nopal::reduce_by_key(v);
  everywhere([&] { EXPECT_EQ(nopal::reduce_by_key(v), sums); });
}

TEST(ReduceByKey, OtherRanges) {
  everywhere([] {
    const auto pairs = std::views::iota(0, 9000) |
                       std::views::transform([](int i) { return std::pair(i % 3, i); });
    EXPECT_EQ(nopal::reduce_by_key(pairs),
              (std::vector<std::pair<int, int>>{{0, 13495500}, {1, 13498500}, {2, 13501500}}));
    const auto odd = [](int i) { return i % 2 == 1; };
    EXPECT_EQ(nopal::reduce_by_key(0, 20000, {}, odd, [](int) { return 1L; }),
              (std::vector<std::pair<bool, long>>{{false, 10000}, {true, 10000}}));
  });
}

TEST(ReduceByKey, ExceptionsPropagate) {
  everywhere([] {
    for (const std::size_t n : {100U, 50000U}) {
      const auto v = nopal_test::records_with_keys(1, n);
      const auto fails = [n](const numbered_record& r) {
        return r.number == n - 1 ? throw std::range_error("the last") : r.number;
      };
      EXPECT_THROW(nopal::reduce_by_key(v, {}, &numbered_record::key, fails), std::range_error);
    }
  });
}

}  // namespace
