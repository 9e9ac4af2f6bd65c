// SPDX-License-Identifier: Apache-2.0
// This brings a few least elements of many to the beginning of a range.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/blocks.hpp"
#include "nopal/detail/algorithm/elements.hpp"
#include "nopal/detail/algorithm/parts.hpp"
#include "nopal/detail/algorithm/sort/heap.hpp"
#include "nopal/detail/algorithm/workers_here.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

/// Whether so few of n elements are asked for that a heap of them is hardly ever changed, even in
/// each piece of the range.
constexpr bool are_few(std::ptrdiff_t count, std::ptrdiff_t n) noexcept {
  return count <= 128 && n / 64 >= count;
}

/// Brings the least `count` of n elements to the beginning, in some order. Workers do so in a piece
/// each, and then one does so with what they have found.
template <class I, class Less>
void select_few(I first, std::ptrdiff_t n, std::ptrdiff_t count, const Less& less) {
  constexpr std::ptrdiff_t least = 1 << 15;
  const std::ptrdiff_t pieces =
      n < 2 * least ? 1 : std::min(n / least, 8 * static_cast<std::ptrdiff_t>(workers_here()));
  const std::ptrdiff_t length = n / pieces;
  for_each_block({0, pieces}, 1, [&](part p) {
    for (std::ptrdiff_t i = p.from; i < p.to; ++i)
      select_by_heap(first, {i * length, i + 1 == pieces ? n : (i + 1) * length}, count, less);
  });
  if (pieces == 1) return;
  for (std::ptrdiff_t i = 1; i < pieces; ++i)
    for (std::ptrdiff_t j = 0; j < count; ++j)
      std::ranges::iter_swap(advanced(first, i * count + j), advanced(first, i * length + j));
  select_by_heap(first, {0, pieces * count}, count, less);
}

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
