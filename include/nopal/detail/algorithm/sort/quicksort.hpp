// SPDX-License-Identifier: Apache-2.0
// This sorts in place by quicksort, whose halves are forks.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/elements.hpp"
#include "nopal/detail/algorithm/sort/heap.hpp"
#include "nopal/detail/algorithm/sort/insertion.hpp"
#include "nopal/detail/algorithm/sort/partition_parallel.hpp"
#include "nopal/detail/algorithm/sort/pivot.hpp"
#include "nopal/detail/algorithm/sort/sort_keys.hpp"
#include "nopal/detail/algorithm/stoppable.hpp"
#include "nopal/parallel_invoke.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

/// How a range is divided among workers.
struct quicksort_cuts {
  std::ptrdiff_t fork;       ///< A range of more elements is halved by a fork.
  std::ptrdiff_t partition;  ///< A range of more elements is partitioned by several strands.
  std::size_t strands;       ///< How many strands partition together.
};

/// A range that one strand sorts is not divided.
inline constexpr quicksort_cuts serial_cuts{PTRDIFF_MAX, PTRDIFF_MAX, 1};

/// Pattern-defeating quicksort (Peters, 2021), with blocks as in BlockQuicksort.
///
/// A pivot is compared with the element before the range, which is the pivot of an earlier
/// partition: nothing in the range comes before that. If the pivot does not come after it either,
/// all that is equal to it is put aside in one pass. So each of a few distinct values takes two
/// passes at most. Whenever a part is less than an eighth, some elements change places, so that a
/// pattern that led to it does so no more. After log n such parts the rest is sorted as a heap: no
/// input takes more than O(n log n).
template <class I, class Less>
class quicksort {
 public:
  quicksort(const Less& less, quicksort_cuts cuts, key_sorter sort_keys)
      : less_(less), cuts_(cuts), sort_keys_(sort_keys) {}

  void run(I first, std::ptrdiff_t n) const {
    sort(first, n, true, static_cast<int>(std::bit_width(static_cast<std::size_t>(n))));
  }

 private:
  static constexpr std::ptrdiff_t insertion = 24;
  static constexpr std::ptrdiff_t block = 1024;  ///< A stop need not end what is shorter.

  /// \param leftmost  whether no element comes before the range.
  /// \param bad  how many more small parts are borne.
  void sort(I first, std::ptrdiff_t n, bool leftmost, int bad) const {
    while (n > insertion) {
      if (n <= cuts_.fork && sort_keys_ != nullptr) return sort_keys_of(first, n);
      if (n > block) check_block();
      if (n > cuts_.partition)
        choose_pivot_of_many(first, n);
      else
        choose_pivot(first, n, less_);
      const I last = advanced(first, n);
      if (!leftmost && !less_(*advanced(first, -1), *first)) {
        const I end = put_equals_first(first, last);
        n = last - end;
        first = end;
        continue;
      }
      const partition_result<I> p = divide(first, last);
      const std::ptrdiff_t left = p.middle - first, right = n - left - 1;
      if (std::min(left, right) < n / 8) {
        if (--bad == 0) return sort_as_heap(first, n, less_);
        if (left > insertion) scramble(first, left);
        if (right > insertion) scramble(advanced(p.middle, 1), right);
      } else if (p.was_partitioned && insertion_sorted(first, left, less_) &&
                 insertion_sorted(advanced(p.middle, 1), right, less_)) {
        return;
      }
      if (n > cuts_.fork) return fork(first, left, p.middle, right, leftmost, bad);
      sort(first, left, leftmost, bad);
      first = advanced(p.middle, 1);
      n = right;
      leftmost = false;
    }
    if (leftmost)
      insertion_sort<true>(first, n, less_);
    else
      insertion_sort<false>(first, n, less_);
  }

  void fork(I first, std::ptrdiff_t left, I middle, std::ptrdiff_t right, bool leftmost,
            int bad) const {
    parallel_invoke([&] { sort(first, left, leftmost, bad); },
                    [&] { sort(advanced(middle, 1), right, false, bad); });
  }

  /// Moves an element close to the median to the beginning. Each of several workers gets a part,
  /// and all wait for the largest, so this is worth a large sample.
  void choose_pivot_of_many(I first, std::ptrdiff_t n) const {
    const std::ptrdiff_t samples = std::min<std::ptrdiff_t>(4095, n / 64);
    take_sample(first, n, samples);
    quicksort(less_, serial_cuts, sort_keys_).run(first, samples);
    std::ranges::iter_swap(first, advanced(first, samples / 2));
  }

  /// Moves what comes before the pivot, which is the first element, to the left, and the pivot
  /// between that and the rest.
  partition_result<I> divide(I first, I last) const {
    const auto below = [this, first](auto&& x) { return less_(x, *first); };
    partition_result<I> p{advanced(first, 1), false};
    if (last - first > cuts_.partition)
      p.middle = partition_by(cuts_.strands, p.middle, last, below);
    else
      p = partition_in_blocks(p.middle, last, below);
    p.middle = advanced(p.middle, -1);
    std::ranges::iter_swap(first, p.middle);
    return p;
  }

  /// Moves what is equal to the pivot, the first and least element, to the left. Returns where the
  /// others begin.
  I put_equals_first(I first, I last) const {
    const auto not_above = [this, first](auto&& x) { return !less_(*first, x); };
    if (last - first > cuts_.partition)
      return partition_by(cuts_.strands, advanced(first, 1), last, not_above);
    return partition_in_blocks(advanced(first, 1), last, not_above).middle;
  }

  void sort_keys_of(I first, std::ptrdiff_t n) const {
    if constexpr (std::is_pointer_v<I>)
      sort_keys_(static_cast<void*>(first), static_cast<std::size_t>(n));
  }

  const Less& less_;
  quicksort_cuts cuts_;
  key_sorter sort_keys_;
};

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
