// SPDX-License-Identifier: Apache-2.0
// Exceptions thrown at random places of random trees, with delays: what comes out is what the
// serial program could throw.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>

#include "support/build.hpp"
#include "support/compared_tree.hpp"
#include "support/delays.hpp"

namespace {

using nopal::detail::owned_scheduler;

class Exceptions : public testing::TestWithParam<unsigned> {};

TEST_P(Exceptions, AtRandomPlaces) {
  const std::uint64_t first = nopal_test::seed_or(200 * GetParam());
  const nopal_test::random_delays delays(first);
  owned_scheduler of_workers({.workers = GetParam(), .seed = first, .caller_works = false});
  owned_scheduler of_callers({.workers = GetParam(), .seed = first});
  unsigned thrown = 0, the_only_one = 0;
  for (std::uint64_t seed = first; seed < first + 1 + 2000 / nopal_test::work_divisor; ++seed) {
    const nopal_test::tree_shape shape{.depth = 7,
                                       .throws_one_in = 5 + static_cast<unsigned>(seed % 200)};
    owned_scheduler& s = (seed - first) % 2 == 0 ? of_callers : of_workers;
    const std::size_t possible = nopal_test::run_and_compare(s, seed, shape);
    thrown += possible != 0;
    the_only_one += possible == 1;
    if (HasFailure()) return;
  }
  if (!nopal_test::with_sanitizer) {
    EXPECT_GT(thrown, 50U);
    EXPECT_GT(the_only_one, 10U);
  }
}

INSTANTIATE_TEST_SUITE_P(Workers, Exceptions, testing::Values(1, 2, 3, 4, 8, 16),
                         testing::PrintToStringParamName());

}  // namespace
