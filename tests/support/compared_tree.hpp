// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <ostream>
#include <set>

#include "support/random_tree.hpp"
#include "support/scheduler_run.hpp"
#include "support/watchdog.hpp"

namespace nopal_test {

/// Runs a random tree on `s`, and expects what the serial program could do: its result, or the
/// exception of one of the nodes that can throw first. Returns how many such nodes there are.
inline std::size_t run_and_compare(nopal::detail::scheduler& s, std::uint64_t seed,
                                   const tree_shape& shape) {
  const watchdog w(std::chrono::seconds(30), "random tree", seed,
                   [&](std::ostream& out) { print_state(out, s); });
  const std::set<std::uint64_t> possible = possible_failures(seed, shape.depth, shape);
  std::optional<std::uint64_t> failure;
  std::uint64_t result = 0;
  try {
    result = run_in(s, [&] { return run_tree(seed, shape.depth, shape); });
  } catch (const node_failure& f) {
    failure = f.node;
  }
  EXPECT_EQ(failure.has_value(), !possible.empty()) << "NOPAL_TEST_SEED=" << seed;
  if (failure) {
    EXPECT_TRUE(possible.contains(*failure)) << "NOPAL_TEST_SEED=" << seed;
  } else {
    EXPECT_EQ(result, run_tree_serially(seed, shape.depth, shape)) << "NOPAL_TEST_SEED=" << seed;
  }
  EXPECT_EQ(std::uncaught_exceptions(), 0) << "NOPAL_TEST_SEED=" << seed;
  return possible.size();
}

}  // namespace nopal_test
