// SPDX-License-Identifier: Apache-2.0
// A merge is cut where its result is cut.
#pragma once

#include <algorithm>
#include <cstddef>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/elements.hpp"
#include "nopal/detail/algorithm/parts.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

/// Parts of two sorted ranges.
struct two_parts {
  part first;
  part second;

  [[nodiscard]] std::ptrdiff_t size() const noexcept { return first.size() + second.size(); }
};

/// Returns the first number of a part for which goes_on does not hold; where it does not hold, it
/// does not hold for any that follows.
template <class Pred>
std::ptrdiff_t first_without(part p, const Pred& goes_on) {
  while (p.size() > 0) {
    const std::ptrdiff_t middle = p.from + p.size() / 2;
    if (goes_on(middle))
      p.from = middle + 1;
    else
      p.to = middle;
  }
  return p.from;
}

/// Returns how many of the first `count` elements of the merge of two parts come from the first
/// one. Of equal elements those of the first part come first.
template <class I1, class I2, class Less>
std::ptrdiff_t rank_in_first(I1 first1, I2 first2, two_parts p, std::ptrdiff_t count,
                             const Less& second_before_first) {
  std::ptrdiff_t low = std::max<std::ptrdiff_t>(0, count - p.second.size());
  std::ptrdiff_t high = std::min(count, p.first.size());
  while (low < high) {
    const std::ptrdiff_t i = low + (high - low) / 2;
    const std::ptrdiff_t j = count - i;  // at least one, since i < high
    if (second_before_first(*advanced(first2, p.second.from + j - 1),
                            *advanced(first1, p.first.from + i)))
      high = i;
    else
      low = i + 1;
  }
  return low;
}

struct split_parts {
  two_parts left;
  two_parts right;
};

/// Cuts two parts so that the left ones hold the first `count` elements of their merge.
template <class I1, class I2, class Less>
split_parts split_merge(I1 first1, I2 first2, two_parts p, std::ptrdiff_t count,
                        const Less& second_before_first) {
  const std::ptrdiff_t i = rank_in_first(first1, first2, p, count, second_before_first);
  const std::ptrdiff_t m1 = p.first.from + i, m2 = p.second.from + count - i;
  return {{{p.first.from, m1}, {p.second.from, m2}}, {{m1, p.first.to}, {m2, p.second.to}}};
}

/// How many elements of a merge one strand merges if no grain is given. A search for a cut takes
/// some tens of comparisons that cannot be predicted, which is little against so many elements.
inline constexpr block_limits limits_of_merge{1024, 8192};

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
