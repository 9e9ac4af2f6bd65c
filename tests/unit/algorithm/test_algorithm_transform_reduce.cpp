// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <list>
#include <numeric>
#include <string>
#include <vector>

#include "nopal/algorithm.hpp"
#include "nopal/algorithm/transform_reduce.hpp"
#include "nopal/nopal.hpp"
#include "support/everywhere.hpp"
#include "support/ranges.hpp"
#include "support/searched.hpp"

namespace {

using nopal::grain;
using nopal_test::everywhere;
using nopal_test::few_values;
using nopal_test::lengths;
using nopal_test::scrambled;

TEST(TransformReduce, LikeTheStandard) {
  everywhere([] {
    for (const std::size_t n : lengths) {
      const std::vector<int> a = few_values(n, 5);
      std::vector<int> b = few_values(n + 2, 7);
      const auto square = [](int x) { return 1L * x * x; };
      EXPECT_EQ(nopal::transform_reduce(a, 1L, std::plus<>(), square),
                std::transform_reduce(a.begin(), a.end(), 1L, std::plus<>(), square));
      const int product = std::transform_reduce(a.begin(), a.end(), b.begin(), 5);
      EXPECT_EQ(nopal::transform_reduce(a, b, 5), product) << n;
      EXPECT_EQ(nopal::transform_reduce(grain{10}, b.begin(), b.end(), a.begin(), a.end(), 5),
                product);
      EXPECT_EQ(nopal::transform_reduce(std::list<int>(a.begin(), a.end()), b, 5), product);
      EXPECT_EQ(nopal::transform_reduce(nopal::deterministic, a, b, 5, std::plus<>(),
                                        std::multiplies<>()),
                product);
      const auto text = [](int x, int y) { return std::to_string(x) + std::to_string(y); };
      std::string expected = ">";
      for (std::size_t i = 0; i < n; ++i) expected += text(a[i], b[i]);
      EXPECT_EQ(nopal::transform_reduce(a, b, std::string(">"), std::plus<>(), text), expected);
      const auto digits = [](nopal_test::affine x, nopal_test::affine y) { return x * y; };
      nopal_test::affine in_order;
      const auto make = [](int x, int y) {
        return nopal_test::affine_number(static_cast<std::size_t>(10 * x + y));
      };
      for (std::size_t i = 0; i < n; ++i) in_order = in_order * make(a[i], b[i]);
      EXPECT_EQ(nopal::transform_reduce(a, b, nopal_test::affine(), digits, make), in_order);
    }
  });
}

TEST(TransformReduce, TheSameSumByAnyNumberOfWorkers) {
  std::vector<double> a(200'000), b(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = 1.0 / static_cast<double>(i + 1);
    b[i] = static_cast<double>(scrambled(i)) * 1e-3;
  }
  std::vector<double> sums;
  everywhere([&] { sums.push_back(nopal::transform_reduce(a, b, 0.0)); });
  EXPECT_EQ(std::ranges::count(sums, sums.front()), std::ssize(sums));
  EXPECT_NEAR(sums.front(), std::inner_product(a.begin(), a.end(), b.begin(), 0.0),
              1e-9 * sums.front());
}

}  // namespace
