// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "platform/topology.hpp"

namespace {

using nopal::detail::topology;

TEST(Topology, ThisMachineHasTheCpusOfTheAffinityMask) {
  cpu_set_t mask;
  ASSERT_EQ(sched_getaffinity(0, sizeof mask, &mask), 0);
  const topology t;
  EXPECT_EQ(t.places().size(), static_cast<std::size_t>(CPU_COUNT(&mask)));
  for (const auto& p : t.places()) EXPECT_TRUE(CPU_ISSET(p.cpu, &mask));
}

TEST(Topology, OfFewCpusHwlocSaysTheSame) {
  const auto cpus = [](const topology& t) {
    std::set<unsigned> all;
    for (const auto& p : t.places()) all.insert(p.cpu);
    return all;
  };
  const topology asked({}, 0);
  const topology not_asked({}, CPU_SETSIZE);
  EXPECT_EQ(cpus(asked), cpus(not_asked));
  for (std::size_t i = 0; i < not_asked.places().size(); ++i) {
    EXPECT_EQ(not_asked.places()[i].group, 0U);
    EXPECT_EQ(not_asked.distance(0, i), i == 0 ? 0U : 1U);
  }
}

TEST(Topology, GroupsAreNumaNodes) {
  const topology t("numa:8 core:2 pu:1");
  ASSERT_EQ(t.places().size(), 16U);
  for (std::size_t i = 0; i < 16; ++i) EXPECT_EQ(t.places()[i].group, i / 2);
  std::set<unsigned> cpus;
  for (const auto& p : t.places()) cpus.insert(p.cpu);
  EXPECT_EQ(cpus.size(), 16U);
}

TEST(Topology, DistancesOfAThousandCpusTakeNoLookUp) {
  const topology t("numa:8 core:128 pu:1");
  const std::size_t n = t.places().size();
  ASSERT_EQ(n, 1024U);
  unsigned most = 0;
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = 0; b < n; ++b) most = std::max(most, t.distance(a, b));
  EXPECT_GT(most, t.distance(0, 1));
}

TEST(Topology, OneNodeIsOneGroup) {
  const topology t("core:4 pu:2");
  ASSERT_EQ(t.places().size(), 8U);
  for (const auto& p : t.places()) EXPECT_EQ(p.group, 0U);
}

TEST(Topology, DistancesGrowWithTheLevelThatHoldsBoth) {
  const topology t("pack:2 numa:2 core:2 pu:2");
  ASSERT_EQ(t.places().size(), 16U);
  const unsigned same_core = t.distance(0, 1);
  const unsigned same_node = t.distance(0, 2);
  const unsigned same_package = t.distance(0, 4);
  const unsigned other_package = t.distance(0, 8);
  EXPECT_EQ(t.distance(0, 0), 0U);
  EXPECT_LT(0U, same_core);
  EXPECT_LT(same_core, same_node);
  EXPECT_LT(same_node, same_package);
  EXPECT_LT(same_package, other_package);
}

TEST(Topology, DistancesAreSymmetric) {
  const topology t("numa:3 l3:2 core:2 pu:2");
  for (std::size_t a = 0; a < t.places().size(); ++a)
    for (std::size_t b = 0; b < t.places().size(); ++b)
      EXPECT_EQ(t.distance(a, b), t.distance(b, a));
}

TEST(Topology, NonsenseIsRefused) {
  try {
    const topology t("no such thing");
    FAIL();
  } catch (const std::invalid_argument& e) {
    EXPECT_NE(std::string(e.what()).find("no such thing"), std::string::npos);
  }
}

TEST(Topology, DefaultWorkersAreWithinTheCpus) {
  const topology t;
  const unsigned n = nopal::detail::default_workers(t);
  EXPECT_GE(n, 1U);
  EXPECT_LE(n, t.places().size());
}

TEST(Topology, WorkersGoRoundAndRoundWhereThereAreMoreThanCpus) {
  const topology t("numa:2 core:2 pu:1");
  const auto chosen = nopal::detail::places_for_workers(t, 10);
  ASSERT_EQ(chosen.size(), 10U);
  for (std::size_t i = 0; i < chosen.size(); ++i) EXPECT_EQ(chosen[i], i % 4);
}

TEST(Topology, FewWorkersAreNeighbours) {
  const topology t;
  const auto chosen = nopal::detail::places_for_workers(t, 1);
  ASSERT_EQ(chosen.size(), 1U);
  EXPECT_LT(chosen[0], t.places().size());
}

}  // namespace
