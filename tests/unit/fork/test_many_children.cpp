// SPDX-License-Identifier: Apache-2.0
// Children that are queued and not run: nothing overflows, however many there are.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>

#include "nopal/nopal.hpp"
#include "support/build.hpp"

namespace {

using nopal::fork_frame;
using nopal::runtime;

NOPAL_FORKS void loop(std::atomic<std::uint64_t>& sum, std::uint64_t n) {
  fork_frame frame;
  for (std::uint64_t i = 0; i < n; ++i)
    frame.fork([&sum, i] { sum.fetch_add(i, std::memory_order_relaxed); });
  frame.join();
}

TEST(ManyChildren, TenMillionInALoop) {
  constexpr std::uint64_t n = 10'000'000 / nopal_test::work_divisor;
  for (const unsigned workers : {1U, 2U}) {
    std::atomic<std::uint64_t> sum{0};
    runtime({.workers = workers}).run([&] { loop(sum, n); });
    EXPECT_EQ(sum, n * (n - 1) / 2);
  }
}

/// The tree of Schmaus 2015, section 5.6: nodes that fork a thousand more, down to a low depth.
NOPAL_FORKS void wide(unsigned depth, std::atomic<std::uint64_t>& nodes) {
  nodes.fetch_add(1, std::memory_order_relaxed);
  if (depth == 0) return;
  fork_frame frame;
  for (int i = 0; i < 1000; ++i) frame.fork([depth, &nodes] { wide(depth - 1, nodes); });
  frame.join();
}

TEST(ManyChildren, AThousandOfEachNode) {
  for (const unsigned workers : {1U, 2U, 4U}) {
    std::atomic<std::uint64_t> nodes{0};
    runtime({.workers = workers}).run([&] { wide(2, nodes); });
    EXPECT_EQ(nodes, 1'001'001U);
  }
}

}  // namespace
