// SPDX-License-Identifier: Apache-2.0
// These swap the elements of a range so that its parts change places.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/blocks.hpp"
#include "nopal/detail/algorithm/elements.hpp"
#include "nopal/detail/algorithm/parts.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

/// Swaps n elements from a on with those from b on, which are others.
template <class I1, class I2>
void swap_elements(I1 a, I2 b, std::ptrdiff_t n, std::size_t grain) {
  if (n <= 0) return;
  for_each_block({0, n}, grain, [a, b](part p) {
    std::swap_ranges(advanced(a, p.from), advanced(a, p.to), advanced(b, p.from));
  });
}

template <class I>
void reverse_elements(I first, std::ptrdiff_t n, std::size_t grain) {
  if (n > 1) swap_elements(first, std::reverse_iterator(advanced(first, n)), n / 2, grain);
}

/// Makes n elements begin with the one that `left` elements lie before.
///
/// The shorter side is swapped with as many elements beside the longer one's far end, which brings
/// them to their place, until only elements are left of which one side is much shorter. All of
/// these are reversed, and each side by itself before that: a swap of so few elements at a time
/// would not be worth a fork.
template <class I>
void rotate_elements(I first, std::ptrdiff_t left, std::ptrdiff_t n, std::size_t grain) {
  constexpr std::ptrdiff_t few = 2048, much_shorter = 16;
  std::ptrdiff_t right = n - left;
  while (left > 0 && right > 0) {
    const std::ptrdiff_t shorter = std::min(left, right), all = left + right;
    if (all <= few) {
      std::rotate(first, advanced(first, left), advanced(first, all));
      return;
    }
    if (shorter < all / much_shorter) {
      reverse_elements(first, left, grain);
      reverse_elements(advanced(first, left), right, grain);
      reverse_elements(first, all, grain);
      return;
    }
    if (left <= right) {
      swap_elements(first, advanced(first, left), left, grain);
      first = advanced(first, left);
      right -= left;
    } else {
      swap_elements(advanced(first, left - right), advanced(first, left), right, grain);
      left -= right;
    }
  }
}

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
