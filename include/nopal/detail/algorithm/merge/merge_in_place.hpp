// SPDX-License-Identifier: Apache-2.0
// Without memory for elements, merges rotate.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/elements.hpp"
#include "nopal/detail/algorithm/merge/merge_split.hpp"
#include "nopal/detail/algorithm/sort/insertion.hpp"
#include "nopal/detail/algorithm/stoppable.hpp"
#include "nopal/parallel_invoke.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

/// Merges the sorted parts from..middle and middle..to of a range in place. The right end of the
/// left half of the result and the left end of the right half change places, and then both halves
/// are merged in the same way: O(n log n) moves, and a stack of O(log n). If a comparison throws,
/// the elements are in some order.
template <class I, class Less>
void merge_by_rotations(I first, part left, part right, std::ptrdiff_t grain, const Less& less) {
  if (left.size() == 0 || right.size() == 0) return;
  if (!less(*advanced(first, right.from), *advanced(first, left.to - 1))) return;
  if (left.size() + right.size() == 2)
    return std::ranges::iter_swap(advanced(first, left.from), advanced(first, right.from));
  const two_parts both{left, right};
  const split_parts s = split_merge(first, first, both, both.size() / 2, less);
  std::ranges::rotate(advanced(first, s.right.first.from), advanced(first, right.from),
                      advanced(first, s.left.second.to));
  const std::ptrdiff_t middle = left.from + both.size() / 2;
  const part l1 = s.left.first, l2{l1.to, middle};
  const part r1{middle, middle + s.right.first.size()}, r2{r1.to, right.to};
  if (both.size() > grain) {
    check_block();
    parallel_invoke([&] { merge_by_rotations(first, l1, l2, grain, less); },
                    [&] { merge_by_rotations(first, r1, r2, grain, less); });
  } else {
    merge_by_rotations(first, l1, l2, grain, less);
    merge_by_rotations(first, r1, r2, grain, less);
  }
}

/// Sorts a part stably without memory for elements, in O(n log² n).
template <class I, class Less>
void merge_sort_by_rotations(I first, part p, std::ptrdiff_t grain, const Less& less) {
  constexpr std::ptrdiff_t insertion = 16;
  if (p.size() <= insertion) return insertion_sort<true>(advanced(first, p.from), p.size(), less);
  const part a{p.from, p.from + p.size() / 2}, b{a.to, p.to};
  if (p.size() > grain) {
    parallel_invoke([&] { merge_sort_by_rotations(first, a, grain, less); },
                    [&] { merge_sort_by_rotations(first, b, grain, less); });
  } else {
    merge_sort_by_rotations(first, a, grain, less);
    merge_sort_by_rotations(first, b, grain, less);
  }
  merge_by_rotations(first, a, b, grain, less);
}

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
