// SPDX-License-Identifier: Apache-2.0
// The algorithms cut grids by these.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <functional>
#include <type_traits>
#include <utility>

#include "nopal/algorithm/grain.hpp"
#include "nopal/algorithm/grid.hpp"
#include "nopal/detail/algorithm/elements.hpp"
#include "nopal/detail/runtime/completion.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

/// Neighbouring cells of a grid.
template <std::size_t Dimensions>
struct box {
  std::array<std::ptrdiff_t, Dimensions> first{};
  std::array<std::ptrdiff_t, Dimensions> size{};

  template <std::integral Index>
  static box whole(const cells<Index, Dimensions>& c) {
    box all;
    for (std::size_t d = 0; d < Dimensions; ++d)
      all.size[d] = c.sizes()[d] > 0 ? static_cast<std::ptrdiff_t>(c.sizes()[d]) : 0;
    return all;
  }

  [[nodiscard]] std::ptrdiff_t cells_in() const noexcept {
    std::ptrdiff_t n = 1;
    for (const std::ptrdiff_t s : size) n *= s;
    return n;
  }

  /// Cuts the longest side, so that boxes become cubes, which have the fewest neighbours. But rows
  /// stay four times as long as they would be then: a loop over one is a loop of vector
  /// instructions. Long rows are cut at a multiple of 16 cells, so that vectors stay aligned.
  /// Precondition: there are two cells at least.
  [[nodiscard]] std::pair<box, box> halves() const noexcept {
    constexpr std::size_t columns = Dimensions - 1;
    constexpr std::ptrdiff_t unit = 16;
    std::size_t longest = columns;
    for (std::size_t d = 0; d < columns; ++d) {
      const std::ptrdiff_t weight = longest == columns ? size[longest] / 4 : size[longest];
      if (size[d] > 1 && size[d] > weight) longest = d;
    }
    std::ptrdiff_t half = size[longest] / 2;
    if (longest == columns && half >= unit) half = half / unit * unit;
    std::pair<box, box> both{*this, *this};
    both.first.size[longest] = half;
    both.second.first[longest] += half;
    both.second.size[longest] -= half;
    return both;
  }

  template <std::integral Index>
  [[nodiscard]] tile<Index, Dimensions> as_tile() const noexcept {
    typename tile<Index, Dimensions>::corner from, to;
    for (std::size_t d = 0; d < Dimensions; ++d) {
      from[d] = static_cast<Index>(first[d]);
      to[d] = static_cast<Index>(first[d] + size[d]);
    }
    return {from, to};
  }
};

/// Whether F takes the indices of one cell, and else a tile.
template <class F, class Index, std::size_t Dimensions>
inline constexpr bool takes_a_cell = false;
template <class F, class Index>
inline constexpr bool takes_a_cell<F, Index, 2> = shared_callable<F, Index, Index>;
template <class F, class Index>
inline constexpr bool takes_a_cell<F, Index, 3> = shared_callable<F, Index, Index, Index>;

/// Calls f(i, j) or f(i, j, k) for all cells of a box in order.
template <class Index, class F>
void for_each_in(const box<2>& b, const F& f) {
  const auto to = static_cast<Index>(b.first[1] + b.size[1]);
  for (std::ptrdiff_t i = 0; i < b.size[0]; ++i)
    for (auto j = static_cast<Index>(b.first[1]); j < to; ++j)
      f(static_cast<Index>(b.first[0] + i), j);
}
template <class Index, class F>
void for_each_in(const box<3>& b, const F& f) {
  const auto to = static_cast<Index>(b.first[2] + b.size[2]);
  for (std::ptrdiff_t i = 0; i < b.size[0]; ++i)
    for (std::ptrdiff_t j = 0; j < b.size[1]; ++j)
      for (auto k = static_cast<Index>(b.first[2]); k < to; ++k)
        f(static_cast<Index>(b.first[0] + i), static_cast<Index>(b.first[1] + j), k);
}

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
