// SPDX-License-Identifier: Apache-2.0
// Forks of C with delays at every step: random trees of nopal_fork(), nopal_invoke() and loops, in
// which strands also wait, so that what they have forked is handed over.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "nopal/nopal.h"
#include "nopal/runtime.hpp"
#include "support/all_events.hpp"
#include "support/build.hpp"
#include "support/delays.hpp"
#include "support/everywhere.hpp"
#include "support/scheduler_run.hpp"
#include "support/seed.hpp"
#include "support/watchdog.hpp"

namespace {

using namespace std::chrono_literals;
using nopal_test::random_numbers;

/// A node of a tree, which is 2^depth leaves large, and what became of it.
struct node {
  unsigned depth;
  std::uint64_t seed;
  std::uint64_t leaves = 0;
};

void count_leaves(void* argument);

void by_forks(node& self, random_numbers& random) {
  node children[2] = {{self.depth - 1, random.next()}, {self.depth - 1, random.next()}};
  nopal_join_t joins[2];
  const bool both = random.one_in(2);
  EXPECT_EQ(nopal_fork(&joins[0], count_leaves, &children[0]), 0);
  if (both)
    EXPECT_EQ(nopal_fork(&joins[1], count_leaves, &children[1]), 0);
  else
    count_leaves(&children[1]);
  if (random.one_in(8)) EXPECT_EQ(nopal_sleep(1000), 0);
  if (both) EXPECT_EQ(nopal_join(&joins[1]), 0);
  EXPECT_EQ(nopal_join(&joins[0]), 0);
  self.leaves = children[0].leaves + children[1].leaves;
}

void by_invoke(node& self, random_numbers& random) {
  node children[2] = {{self.depth - 1, random.next()}, {self.depth - 1, random.next()}};
  EXPECT_EQ(nopal_invoke(count_leaves, &children[0], count_leaves, &children[1]), 0);
  self.leaves = children[0].leaves + children[1].leaves;
}

void by_loop(node& self, random_numbers& random) {
  const std::int64_t first = static_cast<std::int64_t>(random.below(100)) - 50;
  std::atomic<std::uint64_t> turns{0};
  const auto body = [](void* n, std::int64_t begin, std::int64_t end) {
    *static_cast<std::atomic<std::uint64_t>*>(n) += static_cast<std::uint64_t>(end - begin);
  };
  EXPECT_EQ(
      nopal_for(first, first + (std::int64_t{1} << self.depth), 1 + random.below(3), body, &turns),
      0);
  self.leaves = turns.load();
}

void count_leaves(void* argument) {
  auto& self = *static_cast<node*>(argument);
  random_numbers random(self.seed);
  if (self.depth == 0) {
    self.leaves = 1;
  } else if (random.one_in(16)) {
    by_loop(self, random);
  } else if (random.one_in(3)) {
    by_invoke(self, random);
  } else {
    by_forks(self, random);
  }
}

/// A child that throws, beside one that may be stolen.
void throws(void* seed) {
  throw std::runtime_error(std::to_string(*static_cast<std::uint64_t*>(seed)));
}

class ForksOfC : public testing::TestWithParam<unsigned> {};

TEST_P(ForksOfC, CountAllLeaves) {
  const std::uint64_t first = nopal_test::seed_or(310000 + 1000 * GetParam());
  const nopal_test::random_delays delays(first);
  nopal::runtime r({.workers = GetParam(), .seed = first});
  for (std::uint64_t seed = first; seed < first + 2 + 40 / nopal_test::work_divisor; ++seed) {
    const nopal_test::watchdog w(30s, "forks of C", seed);
    SCOPED_TRACE("NOPAL_TEST_SEED=" + std::to_string(seed));
    node root{8, seed};
    r.run([&] { count_leaves(&root); });
    ASSERT_EQ(root.leaves, 256U);
  }
  ASSERT_TRUE(nopal_test::frees_all_stacks(r));
}

TEST_P(ForksOfC, BringExceptionsToTheJoin) {
  const std::uint64_t first = nopal_test::seed_or(320000 + 1000 * GetParam());
  const nopal_test::random_delays delays(first);
  nopal::runtime r({.workers = GetParam(), .seed = first});
  for (std::uint64_t seed = first; seed < first + 4 + 100 / nopal_test::work_divisor; ++seed) {
    const nopal_test::watchdog w(30s, "exceptions of children of C", seed);
    r.run([&] {
      nopal_join_t j;
      node beside{3, seed};
      ASSERT_EQ(nopal_fork(&j, throws, &seed), 0);
      count_leaves(&beside);
      ASSERT_EQ(nopal_join(&j), NOPAL_E_EXCEPTION);
      EXPECT_EQ(nopal_last_error(), std::to_string(seed));
      EXPECT_EQ(beside.leaves, 8U);
    });
  }
}

INSTANTIATE_TEST_SUITE_P(Workers, ForksOfC, testing::Values(1U, 2U, 3U, 8U),
                         testing::PrintToStringParamName());

}  // namespace
