// SPDX-License-Identifier: Apache-2.0
// The algorithms cut these: a range of known size, or the blocks of a range that has been walked.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <limits>
#include <ranges>
#include <utility>
#include <vector>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/both.hpp"
#include "nopal/detail/algorithm/elements.hpp"
#include "nopal/detail/algorithm/parts.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

template <class P, class I>
struct sized_elements {
  P policy;
  I first;
  std::ptrdiff_t size;
};
template <class P, class I>
sized_elements(P, I, std::ptrdiff_t) -> sized_elements<P, I>;

/// The places where the blocks of a walked range begin. This stands for an iterator to its first
/// element.
template <class I>
struct block_starts {
  const I* starts;
  std::ptrdiff_t grain;
};

/// Returns the block that begins with element n. Algorithms ask for no other elements: they halve
/// between blocks.
template <class I>
I advanced(block_starts<I> blocks, std::ptrdiff_t n) {
  return blocks.starts[n / blocks.grain];
}

/// A range that cannot be cut in constant time, such as a list, or whose size is not known, such as
/// a filter's.
///
/// One strand walks it, once, from the first element to the end, and notes where each block begins;
/// then the blocks are halved as ever. So the walk is serial, and what is done with the elements is
/// parallel. This pays if the work on an element takes longer than getting to the next one. Forking
/// blocks during the walk would save at most the time of the walk. It would need a deep stack, or a
/// join of any number of blocks, and scans and folds of their own.
///
/// If no grain is given, it begins as 1 and doubles, until it is 2048, whenever a 513th block would
/// begin. So it depends on the number of elements alone, as the bracketing of a fold must, and is
/// about the grain of a range whose size is known.
template <class P, class I>
struct walked_elements {
  template <class S>
  walked_elements(P by_hand, I at, const S& last) {
    constexpr std::size_t most_blocks = 512;
    constexpr std::ptrdiff_t longest = 2048;
    std::ptrdiff_t grain = by_hand.elements == 0 ? 1 : chosen_grain(by_hand.elements, 0);
    for (std::ptrdiff_t left = 0; !(at == last); ++at, ++size, --left) {
      if (left != 0) continue;
      if (by_hand.elements == 0 && starts_.size() == most_blocks && grain < longest) {
        for (std::size_t i = 1; i < most_blocks / 2; ++i) starts_[i] = starts_[2 * i];
        starts_.erase(starts_.begin() + most_blocks / 2, starts_.end());
        grain *= 2;
      }
      starts_.push_back(at);
      left = grain;
    }
    policy.elements = static_cast<std::size_t>(grain);
    first = {starts_.data(), grain};
  }
  walked_elements(const walked_elements&) = delete;
  walked_elements& operator=(const walked_elements&) = delete;

  P policy;  ///< The policy, with the grain of the walk.
  block_starts<I> first;
  std::ptrdiff_t size = 0;

 private:
  std::vector<I> starts_;
};

template <class P, class I, class S>
auto cut(P policy, I first, S last) {
  if constexpr (splittable_by<S, I>)
    return sized_elements{policy, unwrapped(first), static_cast<std::ptrdiff_t>(last - first)};
  else
    return walked_elements<P, I>(policy, std::move(first), last);
}

template <class S, class I>
concept splittable_beside_by =
    splittable_by<S, I> || (std::random_access_iterator<I> && !has_an_end<S>);

template <class I, class S>
std::ptrdiff_t length(const I& first, const S& last) {
  if constexpr (has_an_end<S>)
    return static_cast<std::ptrdiff_t>(last - first);
  else
    return std::numeric_limits<std::ptrdiff_t>::max();
}

/// Cuts two ranges side by side, up to the end of the shorter one.
template <class P, class I1, class S1, class I2, class S2>
auto cut_both(P policy, I1 first1, S1 last1, I2 first2, S2 last2) {
  if constexpr (splittable_beside_by<S1, I1> && splittable_beside_by<S2, I2>)
    return sized_elements{policy, both{unwrapped(first1), unwrapped(first2)},
                          std::min(length(first1, last1), length(first2, last2))};
  else
    return walked_elements<P, both<I1, I2>>(policy, both{std::move(first1), std::move(first2)},
                                            both{std::move(last1), std::move(last2)});
}

/// Returns the end of a range. Its distance from the beginning is known if the range knows its
/// size.
template <class R>
auto end_of(R& range) {
  if constexpr (splittable_range<R> &&
                !splittable_by<std::ranges::sentinel_t<R>, std::ranges::iterator_t<R>>)
    return advanced(std::ranges::begin(range),
                    static_cast<std::ptrdiff_t>(std::ranges::distance(range)));
  else
    return std::ranges::end(range);
}

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
