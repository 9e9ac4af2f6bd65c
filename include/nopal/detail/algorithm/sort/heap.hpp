// SPDX-License-Identifier: Apache-2.0
// Quicksort ends as a heap if its pivots are bad, and a few least elements are kept in one.
#pragma once

#include <cstddef>
#include <iterator>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/elements.hpp"
#include "nopal/detail/algorithm/parts.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

/// Lets the element i sink in a heap of n elements. Elements are only swapped, never held outside
/// of the range as std::sort_heap does: if a comparison throws, all of them are there.
template <class I, class Less>
void sink(I first, std::ptrdiff_t i, std::ptrdiff_t n, const Less& less) {
  for (std::ptrdiff_t child = 2 * i + 1; child < n; i = child, child = 2 * i + 1) {
    if (child + 1 < n && less(*advanced(first, child), *advanced(first, child + 1))) ++child;
    if (!less(*advanced(first, i), *advanced(first, child))) return;
    std::ranges::iter_swap(advanced(first, i), advanced(first, child));
  }
}

/// Makes a heap of the first `count` of n elements.
template <class I, class Less>
void make_heap(I first, std::ptrdiff_t count, const Less& less) {
  for (std::ptrdiff_t i = count / 2; i-- > 0;) sink(first, i, count, less);
}

/// Sorts n elements in O(n log n), whatever they are.
template <class I, class Less>
void sort_as_heap(I first, std::ptrdiff_t n, const Less& less) {
  make_heap(first, n, less);
  for (std::ptrdiff_t last = n - 1; last > 0; --last) {
    std::ranges::iter_swap(first, advanced(first, last));
    sink(first, 0, last, less);
  }
}

/// Brings the least `count` of a part of elements to its beginning, as a heap. An element that
/// comes before none of them takes one comparison, whose result is mostly the same.
template <class I, class Less>
void select_by_heap(I first, part p, std::ptrdiff_t count, const Less& less) {
  const I top = advanced(first, p.from);
  make_heap(top, count, less);
  for (std::ptrdiff_t i = p.from + count; i < p.to; ++i) {
    if (!less(*advanced(first, i), *top)) continue;
    std::ranges::iter_swap(advanced(first, i), top);
    sink(top, 0, count, less);
  }
}

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
