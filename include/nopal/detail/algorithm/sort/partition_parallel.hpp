// SPDX-License-Identifier: Apache-2.0
// Several strands partition one range in place.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <iterator>
#include <vector>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/blocks.hpp"
#include "nopal/detail/algorithm/elements.hpp"
#include "nopal/detail/algorithm/sort/partition_blocks.hpp"
#include "nopal/detail/algorithm/stoppable.hpp"
#include "nopal/detail/platform/assert.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

/// Each strand takes blocks from both ends of the range, one of each side at a time, and exchanges
/// what is misplaced in the one with what is misplaced in the other. At the end all blocks have
/// been taken, and each strand has at most one that is not finished. Those change places with the
/// finished ones nearest the middle, and then what lies in the middle is partitioned by one strand.
///
/// A strand that is never stolen finds no blocks left: then the strands before it have done what
/// they would have done alone, and it costs nothing.
template <class I, class Pred>
class parallel_partition {
 public:
  parallel_partition(I first, I last, const Pred& goes_left, std::size_t strands)
      : first_(first),
        last_(last),
        goes_left_(goes_left),
        blocks_(static_cast<std::ptrdiff_t>(last - first) / block),
        unfinished_left_(strands, none),
        unfinished_right_(strands, none) {}

  I run() {
    for_each_block({0, static_cast<std::ptrdiff_t>(unfinished_left_.size())}, 1, [this](part p) {
      for (std::ptrdiff_t i = p.from; i < p.to; ++i) run_strand(static_cast<std::size_t>(i));
    });
    const std::ptrdiff_t left = gather(unfinished_left_, left_.load(std::memory_order_relaxed),
                                       [this](std::ptrdiff_t i) { return begin_of_left(i); });
    const std::ptrdiff_t right =
        gather(unfinished_right_, right_.load(std::memory_order_relaxed),
               [this](std::ptrdiff_t i) { return advanced(end_of_right(i), -block); });
    return partition_in_blocks(begin_of_left(left), end_of_right(right), goes_left_).middle;
  }

  /// How many elements a strand takes at a time.
  static constexpr std::ptrdiff_t block =
      std::clamp<std::ptrdiff_t>(
          (1 << 14) / static_cast<std::ptrdiff_t>(sizeof(std::iter_value_t<I>)),
          2 * misplaced<I>::longest, 16 * misplaced<I>::longest) /
      misplaced<I>::longest * misplaced<I>::longest;

 private:
  static constexpr std::ptrdiff_t none = -1;

  /// The block of one side that a strand has in hand.
  struct stretch {
    std::ptrdiff_t number = none;
    std::ptrdiff_t left = 0;  ///< How many of its elements have not been looked at.
    misplaced<I> wrong;

    [[nodiscard]] bool is_unfinished() const noexcept { return left != 0 || !wrong.empty(); }
  };

  [[nodiscard]] I begin_of_left(std::ptrdiff_t i) const { return advanced(first_, i * block); }
  [[nodiscard]] I end_of_right(std::ptrdiff_t i) const { return advanced(last_, -i * block); }

  /// Takes the next block of one side. Returns false if there is none. No order is needed: nobody
  /// else has the block, and the elements are handed over by forks and joins.
  bool take(std::atomic<std::ptrdiff_t>& side, stretch& s) {
    check_block();
    if (taken_.fetch_add(1, std::memory_order_relaxed) >= blocks_) return false;
    s.number = side.fetch_add(1, std::memory_order_relaxed);
    s.left = block;
    return true;
  }

  void run_strand(std::size_t strand) {
    stretch left, right;
    for (;;) {
      if (left.wrong.empty()) {
        if (left.left == 0 && !take(left_, left)) break;
        left.wrong.find_on_the_left(advanced(begin_of_left(left.number), block - left.left),
                                    misplaced<I>::longest, goes_left_);
        left.left -= misplaced<I>::longest;
      }
      if (right.wrong.empty()) {
        if (right.left == 0 && !take(right_, right)) break;
        right.wrong.find_on_the_right(advanced(end_of_right(right.number), right.left - block),
                                      misplaced<I>::longest, goes_left_);
        right.left -= misplaced<I>::longest;
      }
      exchange(left.wrong, right.wrong);
    }
    if (left.is_unfinished()) unfinished_left_[strand] = left.number;
    if (right.is_unfinished()) unfinished_right_[strand] = right.number;
  }

  /// Moves the unfinished blocks of a side to the end of its `taken` blocks. Returns how many come
  /// before them.
  template <class Begin>
  static std::ptrdiff_t gather(std::vector<std::ptrdiff_t>& unfinished, std::ptrdiff_t taken,
                               const Begin& begin_of) {
    std::erase(unfinished, none);
    std::sort(unfinished.begin(), unfinished.end());
    auto low = unfinished.begin(), high = unfinished.end();
    while (low != high) {
      --taken;
      if (*(high - 1) == taken) {
        --high;
        continue;
      }
      NOPAL_ASSERT(*low < taken);
      const I a = begin_of(*low++), b = begin_of(taken);
      for (std::ptrdiff_t i = 0; i < block; ++i)
        std::ranges::iter_swap(advanced(a, i), advanced(b, i));
    }
    return taken;
  }

  I first_;
  I last_;
  const Pred& goes_left_;
  std::ptrdiff_t blocks_;
  /// How many blocks strands have asked for on both sides, which may be more than there are.
  std::atomic<std::ptrdiff_t> taken_{0};
  std::atomic<std::ptrdiff_t> left_{0};
  std::atomic<std::ptrdiff_t> right_{0};
  std::vector<std::ptrdiff_t> unfinished_left_;  ///< A block of each strand, or none.
  std::vector<std::ptrdiff_t> unfinished_right_;
};

/// Partitions a range as partition_in_blocks() does, by up to so many strands.
template <class I, class Pred>
I partition_by(std::size_t strands, I first, I last, const Pred& goes_left) {
  using parallel = parallel_partition<I, Pred>;
  const auto blocks = static_cast<std::size_t>(last - first) / parallel::block;
  strands = std::min(strands, blocks / 4);
  if (strands < 2) return partition_in_blocks(first, last, goes_left).middle;
  return parallel(first, last, goes_left, strands).run();
}

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
