// SPDX-License-Identifier: Apache-2.0
// Exceptions thrown at random places of random trees, with delays: what comes out is what the
// serial program could throw.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <exception>
#include <optional>
#include <set>

#include "support/build.hpp"
#include "support/delays.hpp"
#include "support/random_tree.hpp"
#include "support/scheduler_run.hpp"
#include "support/watchdog.hpp"

namespace {

using namespace std::chrono_literals;
using nopal::detail::scheduler;

class Exceptions : public testing::TestWithParam<unsigned> {};

TEST_P(Exceptions, AtRandomPlaces) {
  const std::uint64_t first = nopal_test::seed_or(200 * GetParam());
  const nopal_test::random_delays delays(first);
  scheduler s({.workers = GetParam(), .seed = first});
  unsigned thrown = 0, the_only_one = 0;
  for (std::uint64_t seed = first; seed < first + 1 + 2000 / nopal_test::sanitizer_share; ++seed) {
    const nopal_test::tree_shape shape{.depth = 7,
                                       .throws_one_in = 5 + static_cast<unsigned>(seed % 200)};
    const nopal_test::watchdog w(30s, "random tree with exceptions", seed,
                                 [&](std::ostream& out) { nopal_test::print_state(out, s); });
    const std::set<std::uint64_t> possible =
        nopal_test::possible_failures(seed, shape.depth, shape);
    std::optional<std::uint64_t> failure;
    std::uint64_t result = 0;
    try {
      result =
          nopal_test::run_in(s, [&] { return nopal_test::run_tree(seed, shape.depth, shape); });
    } catch (const nopal_test::node_failure& f) {
      failure = f.node;
    }
    ASSERT_EQ(failure.has_value(), !possible.empty()) << "NOPAL_TEST_SEED=" << seed;
    if (failure) {
      ASSERT_TRUE(possible.contains(*failure)) << "NOPAL_TEST_SEED=" << seed;
      ++thrown;
      the_only_one += possible.size() == 1;
    } else {
      ASSERT_EQ(result, nopal_test::run_tree_serially(seed, shape.depth, shape))
          << "NOPAL_TEST_SEED=" << seed;
    }
    ASSERT_EQ(std::uncaught_exceptions(), 0);
  }
  if (!nopal_test::with_sanitizer) {
    EXPECT_GT(thrown, 50U);
    EXPECT_GT(the_only_one, 10U);
  }
}

INSTANTIATE_TEST_SUITE_P(Workers, Exceptions, testing::Values(1, 2, 3, 4, 8, 16),
                         testing::PrintToStringParamName());

}  // namespace
