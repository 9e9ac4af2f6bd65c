// SPDX-License-Identifier: Apache-2.0
// This brings one element to its place in the order, and what comes before it to the left.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <iterator>
#include <type_traits>
#include <vector>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/blocks.hpp"
#include "nopal/detail/algorithm/elements.hpp"
#include "nopal/detail/algorithm/sort/insertion.hpp"
#include "nopal/detail/algorithm/sort/partition_parallel.hpp"
#include "nopal/detail/algorithm/sort/pivot.hpp"
#include "nopal/detail/algorithm/sort/quicksort.hpp"
#include "nopal/detail/algorithm/sort/sort_keys.hpp"
#include "nopal/detail/algorithm/stoppable.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

/// Moves the few elements of a part for which `goes_left` holds to its beginning; how many they are
/// is returned. The branch is hardly ever mispredicted, so this takes less than a partition without
/// branches.
template <class I, class Pred>
std::ptrdiff_t gather_few(I first, part p, const Pred& goes_left) {
  std::ptrdiff_t count = p.from;
  for (std::ptrdiff_t i = p.from; i < p.to; ++i)
    if (goes_left(*advanced(first, i)))
      std::ranges::iter_swap(advanced(first, i), advanced(first, count++));
  return count - p.from;
}

/// Does the same by several workers: each gathers those of a piece, and one gathers the pieces'.
template <class I, class Pred>
std::ptrdiff_t gather_few_by(std::size_t strands, I first, std::ptrdiff_t n,
                             const Pred& goes_left) {
  constexpr std::ptrdiff_t least = 1 << 14;
  const std::ptrdiff_t pieces = std::min(n / least, 8 * static_cast<std::ptrdiff_t>(strands));
  if (strands < 2 || pieces < 2) return gather_few(first, {0, n}, goes_left);
  const std::ptrdiff_t length = (n - 1) / pieces + 1;
  std::vector<std::ptrdiff_t> counts(static_cast<std::size_t>(pieces));
  for_each_block({0, pieces}, 1, [&](part p) {
    for (std::ptrdiff_t i = p.from; i < p.to; ++i)
      counts[static_cast<std::size_t>(i)] =
          gather_few(first, {std::min(n, i * length), std::min(n, (i + 1) * length)}, goes_left);
  });
  std::ptrdiff_t count = 0;
  for (std::ptrdiff_t i = 0; i < pieces; ++i)
    for (std::ptrdiff_t j = 0; j < counts[static_cast<std::size_t>(i)]; ++j)
      std::ranges::iter_swap(advanced(first, count++), advanced(first, i * length + j));
  return count;
}

/// Quickselect. If the range is long, the pivot comes from a sample, and lies a little on that side
/// of the element that is looked for where more elements are, so that these are rid of in one pass
/// (Floyd and Rivest, 1975). What is equal to an earlier pivot is put aside as by quicksort. After
/// log n passes that each left more than 7/8 the rest is sorted.
template <class I, class Less>
class selection {
 public:
  selection(const Less& less, std::size_t strands, key_sorter sort_keys)
      : less_(less), strands_(strands), sort_keys_(sort_keys) {}

  /// Brings element k of n to its place.
  void run(I first, std::ptrdiff_t n, std::ptrdiff_t k) const {
    auto bad = static_cast<int>(std::bit_width(static_cast<std::size_t>(n)));
    for (bool leftmost = true; n > insertion;) {
      if (bad == 0) return quicksort<I, Less>(less_, serial_cuts, sort_keys_).run(first, n);
      check_block();
      const bool few_before = n > sampled ? choose_from_sample(first, n, k) : choose(first, n);
      if (!leftmost && !less_(*advanced(first, -1), *first)) {
        const std::ptrdiff_t equal =
            1 + divide(first, n, false, [this, first](auto&& x) { return !less_(*first, x); });
        if (k < equal) return;
        first = advanced(first, equal);
        n -= equal;
        k -= equal;
        continue;
      }
      const std::ptrdiff_t before =
          divide(first, n, few_before, [this, first](auto&& x) { return less_(x, *first); });
      std::ranges::iter_swap(first, advanced(first, before));
      if (k == before) return;
      const std::ptrdiff_t left = k < before ? before : n - before - 1;
      if (left > n - n / 8) --bad;
      if (k > before) {
        first = advanced(first, before + 1);
        k -= before + 1;
        leftmost = false;
      }
      n = left;
    }
    insertion_sort<true>(first, n, less_);
  }

 private:
  static constexpr std::ptrdiff_t insertion = 24;
  static constexpr std::ptrdiff_t sampled = 1 << 12;

  bool choose(I first, std::ptrdiff_t n) const {
    choose_pivot(first, n, less_);
    return false;
  }

  /// Chooses a pivot near element k from a sample. Returns whether few elements come before it.
  bool choose_from_sample(I first, std::ptrdiff_t n, std::ptrdiff_t k) const {
    const std::ptrdiff_t samples = std::min<std::ptrdiff_t>(4096, n / 128);
    take_sample(first, n, samples);
    quicksort<I, Less>(less_, serial_cuts, sort_keys_).run(first, samples);
    // Where element k is expected in the sample, and twice the standard deviation of that.
    const std::ptrdiff_t at = k / 128 * samples / (n / 128);
    const std::ptrdiff_t aside = 2 * root_of(at * (samples - at) / samples) + 1;
    const std::ptrdiff_t pivot =
        std::clamp<std::ptrdiff_t>(2 * k < n ? at + aside : at - aside, 0, samples - 1);
    std::ranges::iter_swap(first, advanced(first, pivot));
    return pivot < samples / 16;
  }

  /// Returns the square root of a small number, rounded up.
  static std::ptrdiff_t root_of(std::ptrdiff_t x) {
    std::ptrdiff_t root = 0;
    while (root * root < x) ++root;
    return root;
  }

  /// Divides what follows the pivot, the first element. Returns how many go left.
  template <class Pred>
  std::ptrdiff_t divide(I first, std::ptrdiff_t n, bool few, const Pred& goes_left) const {
    const I begin = advanced(first, 1), last = advanced(first, n);
    if (few) return gather_few_by(strands_, begin, n - 1, goes_left);
    return static_cast<std::ptrdiff_t>(partition_by(strands_, begin, last, goes_left) - begin);
  }

  const Less& less_;
  std::size_t strands_;
  key_sorter sort_keys_;
};

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
