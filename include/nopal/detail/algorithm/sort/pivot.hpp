// SPDX-License-Identifier: Apache-2.0
// Quicksort and selection choose pivots by these.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/elements.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

/// Orders three elements.
template <class I, class Less>
void sort_three(I a, I b, I c, const Less& less) {
  if (less(*b, *a)) std::ranges::iter_swap(a, b);
  if (less(*c, *b)) std::ranges::iter_swap(b, c);
  if (less(*b, *a)) std::ranges::iter_swap(a, b);
}

/// Moves a sample of so many elements, one from each of as many stretches of the range, to its
/// beginning.
template <class I>
void take_sample(I first, std::ptrdiff_t n, std::ptrdiff_t samples) {
  const std::ptrdiff_t stride = n / samples;
  for (std::ptrdiff_t i = 0; i < samples; ++i)
    std::ranges::iter_swap(advanced(first, i), advanced(first, i * stride + stride / 2));
}

/// Moves the median of three elements to the beginning of the range; or if the range is not short,
/// that of three medians.
template <class I, class Less>
void choose_pivot(I first, std::ptrdiff_t n, const Less& less) {
  const auto at = [&](std::ptrdiff_t i) { return advanced(first, i); };
  const std::ptrdiff_t half = n / 2;
  sort_three(at(0), at(half), at(n - 1), less);
  if (n > 128) {
    sort_three(at(1), at(half - 1), at(n - 2), less);
    sort_three(at(2), at(half + 1), at(n - 3), less);
    sort_three(at(half - 1), at(half), at(half + 1), less);
  }
  std::ranges::iter_swap(first, at(half));
}

/// Exchanges a few elements of a part that is far smaller or larger than half, so that the next
/// pivots are chosen among others.
template <class I>
void scramble(I first, std::ptrdiff_t n) {
  const auto swap = [&](std::ptrdiff_t i, std::ptrdiff_t j) {
    std::ranges::iter_swap(advanced(first, i), advanced(first, j));
  };
  const std::ptrdiff_t quarter = n / 4;
  for (const std::ptrdiff_t i : {0, 1, 2}) {
    swap(i, quarter + i);
    swap(n - 1 - i, n - 1 - quarter - i);
    if (n <= 128) return;
  }
}

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
