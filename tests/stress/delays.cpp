// SPDX-License-Identifier: Apache-2.0
// Random trees of all front ends, with delays at every step of every protocol.
#include "support/delays.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>

#include "support/build.hpp"
#include "support/random_tree.hpp"
#include "support/scheduler_run.hpp"
#include "support/watchdog.hpp"

namespace {

using namespace std::chrono_literals;
using nopal::idle_policy;
using nopal::reclaim_policy;
using nopal::detail::machine;
using nopal::detail::owned_scheduler;

constexpr nopal_test::tree_shape shape{.depth = 9};
constexpr unsigned trees = 250;  // of each kind

void run_trees(nopal::options o, const machine& m, std::uint64_t first, unsigned count) {
  first = nopal_test::seed_or(first);
  o.seed = first;
  const nopal_test::random_delays delays(first);
  o.caller_works = false;
  owned_scheduler of_workers(o, m);
  o.caller_works = true;
  owned_scheduler of_callers(o, m);
  for (std::uint64_t seed = first; seed < first + 1 + count / nopal_test::work_divisor; ++seed) {
    owned_scheduler& s = (seed - first) % 2 == 0 ? of_callers : of_workers;
    const nopal_test::watchdog w(30s, "random tree with delays", seed,
                                 [&](std::ostream& out) { nopal_test::print_state(out, s); });
    ASSERT_EQ(nopal_test::run_in(s, [&] { return nopal_test::run_tree(seed, shape.depth, shape); }),
              nopal_test::run_tree_serially(seed, shape.depth, shape))
        << o.workers << " workers, " << (&s == &of_callers ? "and the caller, " : "")
        << "NOPAL_TEST_SEED=" << seed;
    ASSERT_TRUE(nopal_test::frees_all_stacks(s));
  }
}

class Delays : public testing::TestWithParam<unsigned> {};

TEST_P(Delays, RandomTrees) { run_trees({.workers = GetParam()}, {}, 100 * GetParam(), trees); }

INSTANTIATE_TEST_SUITE_P(Workers, Delays, testing::Range(1U, 17U),
                         testing::PrintToStringParamName());

TEST(Delays, EveryPolicy) {
  std::uint64_t seed = 5000;
  for (const reclaim_policy r : {reclaim_policy::none, reclaim_policy::free,
                                 reclaim_policy::dontneed, reclaim_policy::adaptive})
    for (const idle_policy i : {idle_policy::lazy, idle_policy::busy})
      run_trees({.workers = 4, .idle = i, .reclaim = r}, {}, seed += 1000, trees / 2);
}

TEST(Delays, SeveralGroups) {
  run_trees({.workers = 8}, machine{.synthetic_topology = "numa:4 core:2 pu:1"}, 60000, trees);
}

TEST(Delays, WithoutMembarrier) {
  run_trees({.workers = 4}, machine{.membarrier = false}, 70000, trees);
}

TEST(Delays, FewStacks) {
  for (const std::size_t stacks : {1U, 2U, 3U})
    run_trees({.workers = 4}, machine{.stack_limit = stacks}, 80000 + 1000 * stacks, trees);
}

}  // namespace
