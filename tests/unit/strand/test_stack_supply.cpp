// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "strand/stack_supply.hpp"
#include "strand/strand_worker.hpp"

namespace {

using nopal::detail::nearest_first;
using nopal::detail::stack_supply;
using nopal::detail::strand_worker;

using indices = std::vector<unsigned>;

TEST(NearestFirst, AreThoseOfTheSameNode) {
  EXPECT_EQ(nearest_first(1, {1, 0, 2, 2}), (indices{0, 2, 3}));
  EXPECT_EQ(nearest_first(3, {2, 2, 1, 0}), (indices{2, 0, 1}));
}

TEST(NearestFirst, OfThoseEquallyFarTheNextByIndex) {
  EXPECT_EQ(nearest_first(2, {1, 1, 0, 1}), (indices{3, 0, 1}));
  EXPECT_EQ(nearest_first(0, {0}), indices{});
}

TEST(StackSupply, TakesFromTheNearestCache) {
  stack_supply supply(nopal::options{}, 3);
  std::vector<std::unique_ptr<strand_worker>> workers;
  // Two nodes, of workers 0 and 1 and of workers 2 and 3.
  const std::vector<std::vector<unsigned>> distances{
      {0, 1, 2, 2}, {1, 0, 2, 2}, {2, 2, 0, 1}, {2, 2, 1, 0}};
  for (unsigned i = 0; i < 4; ++i) {
    workers.push_back(std::make_unique<strand_worker>(supply, i));
    supply.add(*workers.back(), nearest_first(i, distances[i]));
  }
  for (const unsigned i : {0U, 2U, 3U}) ASSERT_TRUE(supply.ensure_spare(*workers[i]));
  for (const unsigned i : {0U, 2U, 3U}) supply.give_up_spare(*workers[i]);
  const auto mapped_by = [&](unsigned i) {
    const nopal::detail::stack* first = nullptr;
    workers[i]->cache.for_each_mapped([&](const nopal::detail::stack& s) { first = &s; });
    return first;
  };
  strand_worker& w = *workers[1];  // worker 2 is the next by index, worker 0 on the same node
  for (const unsigned from : {0U, 2U, 3U}) {
    ASSERT_TRUE(supply.ensure_spare(w));
    EXPECT_EQ(w.spare, mapped_by(from));
    w.spare = nullptr;
  }
  EXPECT_FALSE(supply.ensure_spare(w)) << "three stacks were all";
}

// A guest that has gone leaves a stack whose few stale pages may stay. This takes nothing from what
// the workers may keep: otherwise one would give pages back each time that a strand goes on.
TEST(StackSupply, AGuestsStackMayKeepItsPagesBesideThoseOfTheWorkers) {
  stack_supply supply(nopal::options{}, 2);
  strand_worker w(supply, 0), guest(supply, strand_worker::first_guest);
  supply.add(w, {});
  supply.add_guest(guest);
  ASSERT_TRUE(supply.ensure_spare(w));
  ASSERT_TRUE(supply.ensure_spare(guest));
  supply.give_up_spare(guest);
  supply.give_up_spare(w);
  EXPECT_EQ(w.count.snapshot().unmaps, 0U);
  ASSERT_TRUE(supply.ensure_spare(w));
  EXPECT_TRUE(w.spare->unreclaimed);
  supply.give_up_spare(w);
}

}  // namespace
