// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <vector>

#include "platform/topology.hpp"
#include "scheduler/victims.hpp"
#include "support/seed.hpp"

namespace {

using nopal::detail::victims;

constexpr unsigned draws = 200000;

std::vector<unsigned> count_draws(victims& v, std::size_t workers) {
  std::vector<unsigned> count(workers);
  for (unsigned i = 0; i < draws; ++i) ++count.at(v.draw());
  return count;
}

/// Draws against equation 6: the weight of j is 1 / (n_ij r_ij^2).
void expect_weights(unsigned self, const std::vector<unsigned>& distances) {
  std::map<unsigned, double> at_distance;
  for (unsigned j = 0; j < distances.size(); ++j)
    if (j != self) ++at_distance[distances[j]];
  std::vector<double> weight(distances.size());
  double total = 0;
  for (unsigned j = 0; j < distances.size(); ++j) {
    if (j == self) continue;
    const double r = distances[j];
    weight[j] = 1 / (at_distance[distances[j]] * r * r);
    total += weight[j];
  }
  const std::uint64_t seed = nopal_test::seed_or(12345);
  victims v(self, distances, seed);
  ASSERT_TRUE(v.any());
  const std::vector<unsigned> count = count_draws(v, distances.size());
  double chi_square = 0;
  for (unsigned j = 0; j < distances.size(); ++j) {
    if (j == self) {
      EXPECT_EQ(count[j], 0U);
      continue;
    }
    const double expected = draws * weight[j] / total;
    chi_square += (count[j] - expected) * (count[j] - expected) / expected;
  }
  // Mean k and variance 2 k, with k degrees of freedom: seldom more than five deviations above.
  const double k = static_cast<double>(distances.size()) - 2;
  EXPECT_LT(chi_square, k + 5 * std::sqrt(2 * k) + 5) << "seed " << seed;
}

TEST(Victims, NobodyToStealFrom) { EXPECT_FALSE(victims(0, {0}, 1).any()); }

TEST(Victims, OnlyOneOther) {
  victims v(1, {1, 0}, 7);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(v.draw(), 0U);
}

TEST(Victims, EquallyFar) { expect_weights(2, {1, 1, 0, 1, 1, 1, 1, 1}); }

TEST(Victims, WeightsOfEquationSix) {
  expect_weights(0, {0, 1, 2, 2, 3, 3, 3, 3});
  expect_weights(5, {4, 4, 4, 4, 1, 0, 2, 2});
}

TEST(Victims, WeightsOnASyntheticMachine) {
  const nopal::detail::topology t("pack:2 numa:2 core:2 pu:2");
  for (const std::size_t self : {0U, 7U, 15U}) {
    std::vector<unsigned> distances;
    for (std::size_t j = 0; j < t.places().size(); ++j) distances.push_back(t.distance(self, j));
    expect_weights(static_cast<unsigned>(self), distances);
  }
}

// More workers than CPUs: several are at distance 0.
TEST(Victims, WorkersOnTheSameCpuAreDrawnToo) {
  victims v(0, {0, 0, 0, 2, 2, 2}, 3);
  const std::vector<unsigned> count = count_draws(v, 6);
  EXPECT_EQ(count[0], 0U);
  for (unsigned j = 1; j < 6; ++j) EXPECT_GT(count[j], draws / 100);
}

TEST(Victims, TheSeedDecides) {
  const std::vector<unsigned> distances{0, 1, 2, 2, 3, 3};
  victims a(0, distances, 99), b(0, distances, 99), c(0, distances, 100);
  bool differs = false;
  for (int i = 0; i < 1000; ++i) {
    const unsigned drawn = a.draw();
    EXPECT_EQ(drawn, b.draw());
    differs |= drawn != c.draw();
  }
  EXPECT_TRUE(differs);
}

}  // namespace
