// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

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

// The order in which workers take the CPUs of made-up machines. PUs are numbered along the tree:
// on "pack:2 core:4 pu:2" those of core c are 2 c and 2 c + 1.

using cpus = std::vector<unsigned>;

cpus cpus_of(const topology& t, unsigned workers, int here) {
  cpus taken;
  for (const std::size_t p : nopal::detail::places_for_workers(t, workers, here))
    taken.push_back(t.places()[p].cpu);
  return taken;
}

std::set<unsigned> cores_of(const topology& t, unsigned workers, int here) {
  std::set<unsigned> cores;
  for (const std::size_t p : nopal::detail::places_for_workers(t, workers, here))
    cores.insert(t.places()[p].core);
  return cores;
}

TEST(TopologyOrder, AWorkerForEachCoreTakesEachCoreOnce) {
  const topology t("pack:2 core:4 pu:2");
  for (int here = 0; here < 16; ++here) EXPECT_EQ(cores_of(t, 8, here).size(), 8U) << here;
}

TEST(TopologyOrder, AsManyCoresAsWorkersHoweverMany) {
  for (const char* machine : {"pack:2 core:4 pu:2", "numa:2 l3:2 core:3 pu:4", "core:6 pu:1"}) {
    const topology t(machine);
    const auto all = static_cast<unsigned>(t.places().size());
    std::set<unsigned> cores;
    for (const auto& p : t.places()) cores.insert(p.core);
    for (unsigned workers = 1; workers <= 2 * all; ++workers)
      for (int here = -1; here < static_cast<int>(all); ++here)
        EXPECT_EQ(cores_of(t, workers, here).size(), std::min<std::size_t>(workers, cores.size()))
            << machine << ", " << workers << " workers from CPU " << here;
  }
}

TEST(TopologyOrder, SecondThreadsComeAfterAllFirstOnes) {
  const topology t("pack:2 core:4 pu:2");
  EXPECT_EQ(cpus_of(t, 16, 0), (cpus{0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15}));
  EXPECT_EQ(cpus_of(t, 10, 0), (cpus{0, 2, 4, 6, 8, 10, 12, 14, 1, 3}));
}

TEST(TopologyOrder, ThirdAndFourthThreadsComeLast) {
  const topology t("core:2 pu:4");
  EXPECT_EQ(cpus_of(t, 8, 0), (cpus{0, 4, 1, 5, 2, 6, 3, 7}));
}

TEST(TopologyOrder, RoundAndRoundBeginsWithTheFirstThreadsAgain) {
  const topology t("core:2 pu:2");
  EXPECT_EQ(cpus_of(t, 6, 3), (cpus{0, 2, 1, 3, 0, 2}));
}

// The CPU of the caller is the first, whichever thread of its core it is.
TEST(TopologyOrder, BeginsWhereTheCallerRuns) {
  const topology t("pack:2 core:4 pu:2");
  EXPECT_EQ(cpus_of(t, 1, 11), (cpus{11}));
  EXPECT_EQ(cpus_of(t, 3, 11), (cpus{11, 12, 14}));
}

// Not two on each package, as counting on from the caller's CPU would have it.
TEST(TopologyOrder, FewWorkersStayOnThePackageOfTheCaller) {
  const topology t("pack:2 core:4 pu:2");
  EXPECT_EQ(cpus_of(t, 4, 4), (cpus{4, 6, 0, 2}));
  EXPECT_EQ(cpus_of(t, 4, 15), (cpus{15, 8, 10, 12}));
}

TEST(TopologyOrder, NearCoresComeFirst) {
  const topology t("numa:2 l3:2 core:2 pu:2");
  EXPECT_EQ(cpus_of(t, 8, 8), (cpus{8, 10, 12, 14, 0, 2, 4, 6}));
  EXPECT_EQ(cpus_of(t, 4, 14), (cpus{14, 12, 8, 10}));
}

TEST(TopologyOrder, AMaskWithHolesLeavesOneThreadOfSomeCores) {
  // Of core 0 the second thread, of core 1 both, of core 2 none, of core 3 the first; of the other
  // package cores 5 and 7.
  const topology t("pack:2 core:4 pu:2", 2, "1-3,6,10-11,15");
  ASSERT_EQ(t.places().size(), 7U);
  EXPECT_EQ(cores_of(t, 5, 6).size(), 5U);
  EXPECT_EQ(cpus_of(t, 5, 2), (cpus{2, 6, 1, 10, 15}));
  EXPECT_EQ(cpus_of(t, 7, 2), (cpus{1, 2, 6, 10, 15, 3, 11}));
}

TEST(TopologyOrder, AMaskOfSiblingsAloneIsTakenAsItIs) {
  const topology t("pack:2 core:4 pu:2", 2, "4-5");
  EXPECT_EQ(cpus_of(t, 2, 5), (cpus{4, 5}));
  EXPECT_EQ(cpus_of(t, 1, 5), (cpus{5}));
}

TEST(TopologyOrder, ACallerOutsideOfTheMaskIsNoPlace) {
  const topology t("pack:2 core:4 pu:2", 2, "8-15");
  EXPECT_EQ(cpus_of(t, 4, 3), (cpus{8, 10, 12, 14}));
}

TEST(TopologyOrder, MasksThatAreNoneAreRefused) {
  EXPECT_THROW(topology("core:4 pu:2", 2, "one"), std::invalid_argument);
  EXPECT_THROW(topology("core:4 pu:2", 2, "64-65"), std::invalid_argument);
}

TEST(TopologyOrder, AQuotaTakesAsManyCoresAsWorkers) {
  const topology t("pack:2 core:4 pu:2");
  const auto workers = [&](double quota) { return nopal::detail::default_workers(t, quota); };
  EXPECT_EQ(nopal::detail::default_workers(t, std::nullopt), 16U);
  EXPECT_EQ(workers(0.5), 1U);
  EXPECT_EQ(workers(3.5), 4U);
  EXPECT_EQ(workers(64), 16U);
  for (const double quota : {1.0, 2.5, 6.0, 8.0})
    EXPECT_EQ(cores_of(t, workers(quota), 5).size(), workers(quota)) << quota;
  const topology holes("pack:2 core:4 pu:2", 2, "0-1,4,6,14-15");
  EXPECT_EQ(nopal::detail::default_workers(holes, 4.0), 4U);
  EXPECT_EQ(cores_of(holes, 4, 0).size(), 4U);
}

// Where hwloc is not asked each CPU counts as a core, and where it knows of no cores as well.
TEST(TopologyOrder, WithoutCoresEachCpuIsOne) {
  const topology not_asked({}, CPU_SETSIZE);
  for (std::size_t i = 0; i < not_asked.places().size(); ++i)
    EXPECT_EQ(not_asked.places()[i].core, i);
  const topology no_cores("pu:4");
  EXPECT_EQ(cores_of(no_cores, 4, 0).size(), 4U);
  EXPECT_EQ(cpus_of(no_cores, 2, 2), (cpus{2, 3}));
}

}  // namespace
