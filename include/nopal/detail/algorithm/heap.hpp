// SPDX-License-Identifier: Apache-2.0
// Quicksort ends as this if its pivots are bad.
#pragma once

#include <cstddef>
#include <iterator>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/elements.hpp"

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

/// Sorts n elements in O(n log n), whatever they are.
template <class I, class Less>
void sort_as_heap(I first, std::ptrdiff_t n, const Less& less) {
  for (std::ptrdiff_t i = n / 2; i-- > 0;) sink(first, i, n, less);
  for (std::ptrdiff_t last = n - 1; last > 0; --last) {
    std::ranges::iter_swap(first, advanced(first, last));
    sink(first, 0, last, less);
  }
}

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
