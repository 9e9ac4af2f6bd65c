// SPDX-License-Identifier: Apache-2.0
// Several strands count the elements of buckets by this.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <optional>
#include <vector>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/parts.hpp"
#include "nopal/detail/algorithm/stoppable.hpp"
#include "nopal/parallel_invoke.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

/// Counts by leaf(block, counts), which adds the elements of a block to the counts of the buckets.
///
/// If nobody steals, there is one set of counts, as in a serial loop. The right half of a part that
/// was stolen while the left one ran has counts of its own, which are added to the others when both
/// have ended. No block has fewer elements than there are buckets, unless there are fewer elements
/// in all, so adding them up takes no longer than counting.
template <class Leaf>
class bucket_counter {
 public:
  bucket_counter(std::size_t buckets, std::ptrdiff_t grain, const Leaf& leaf)
      : buckets_(buckets), grain_(grain), leaf_(leaf) {}

  // The two counters of a fork are not inlined, because of what they throw: see held_exception.hpp.
  NOPAL_NOINLINE void count(part p, std::size_t* counts) const {
    if (p.size() <= grain_) {
      check_block();
      return leaf_(p, counts);
    }
    const std::ptrdiff_t middle = p.middle(grain_);
    std::optional<std::vector<std::size_t>> own;
    // Set when the left half has been counted. A thief that finds it set, by acquire and release,
    // goes on with the same counts; one that comes too early to see it takes others.
    std::atomic<bool> left_has_ended{false};
    parallel_invoke(
        [&, this] {
          count(part{p.from, middle}, counts);
          left_has_ended.store(true, std::memory_order_release);
        },
        [&, this] {
          const part right{middle, p.to};
          if (left_has_ended.load(std::memory_order_acquire))
            count(right, counts);
          else
            count(right, own.emplace(buckets_).data());
        });
    if (own)
      for (std::size_t b = 0; b < buckets_; ++b) counts[b] += (*own)[b];
  }

 private:
  std::size_t buckets_;
  std::ptrdiff_t grain_;
  const Leaf& leaf_;
};

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
