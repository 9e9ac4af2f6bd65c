// SPDX-License-Identifier: Apache-2.0
// These run a function for all cells of a grid, by tiles.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

#include "nopal/algorithm/grain.hpp"
#include "nopal/algorithm/grid.hpp"
#include "nopal/detail/algorithm/blocks.hpp"
#include "nopal/detail/algorithm/call.hpp"
#include "nopal/detail/algorithm/elements.hpp"
#include "nopal/detail/algorithm/fold_leaf.hpp"
#include "nopal/detail/algorithm/grid/grid_box.hpp"
#include "nopal/detail/algorithm/parts.hpp"
#include "nopal/detail/algorithm/stoppable.hpp"
#include "nopal/detail/runtime/completion.hpp"
#include "nopal/parallel_invoke.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

/// The tiles of a grid, in rows.
///
/// They have one size, apart from the last ones of each dimension. So the place of each is known
/// from its number, and a loop over the numbers can be cut by what its blocks cost, and be stolen,
/// as any other. Neighbours in a row that belong to one block are one tile as long as a cache holds
/// them, so that a small grid, whose tiles are small, is not run by short loops.
template <std::size_t Dimensions>
class tile_rows {
 public:
  /// \param by_hand  how many cells a tile has; 0: as many as a cache holds, but no more than make
  /// 256 tiles.
  tile_rows(const box<Dimensions>& whole, std::size_t by_hand) : whole_(whole) {
    const std::ptrdiff_t n = whole.cells_in();
    const std::ptrdiff_t cells_in_tile = by_hand == 0
                                             ? std::clamp<std::ptrdiff_t>(n / 256, 1, most_cells)
                                             : chosen_grain(by_hand, n);
    side_.fill(1);
    grow(most_sides, cells_in_tile);
    if (2 * product(side_) <= cells_in_tile) grow(whole.size, cells_in_tile);  // the grid is narrow
    for (std::size_t d = 0; d < Dimensions; ++d) number_[d] = (whole.size[d] - 1) / side_[d] + 1;
    joined_ = by_hand == 0 ? std::max<std::ptrdiff_t>(1, most_cells / product(side_)) : 1;
  }

  [[nodiscard]] std::ptrdiff_t number() const noexcept { return product(number_); }

  /// Calls run(box) for the tiles with the numbers of a block.
  template <class Run>
  void for_each_in(part block, const Run& run) const {
    constexpr std::size_t columns = Dimensions - 1;
    for (std::ptrdiff_t i = block.from; i < block.to;) {
      box<Dimensions> tile;
      std::ptrdiff_t rest = i / number_[columns];
      const std::ptrdiff_t column = i % number_[columns];
      const std::ptrdiff_t tiles = std::min({block.to - i, number_[columns] - column, joined_});
      set_side(tile, columns, column, tiles);
      for (std::size_t d = columns; d-- > 0; rest /= number_[d])
        set_side(tile, d, rest % number_[d], 1);
      run(tile);
      i += tiles;
    }
  }

 private:
  using sizes = std::array<std::ptrdiff_t, Dimensions>;

  // So many numbers in double precision fill a first-level cache.
  static constexpr std::ptrdiff_t most_cells = 4096;
  // A row of a tile has several cache lines, which are fetched ahead. A column has about as many
  // cells as a cache line has numbers: so a tile of a transposed matrix uses whole lines as well.
  static constexpr sizes most_sides = [] {
    if constexpr (Dimensions == 2)
      return sizes{16, 256};
    else
      return sizes{4, 8, 128};
  }();

  static std::ptrdiff_t product(const sizes& of) noexcept {
    std::ptrdiff_t n = 1;
    for (const std::ptrdiff_t s : of) n *= s;
    return n;
  }
  /// Makes the sides longer, those of rows first, up to some limits.
  void grow(const sizes& most, std::ptrdiff_t cells_in_tile) {
    for (std::size_t d = Dimensions; d-- > 0;) {
      const std::ptrdiff_t others = product(side_) / side_[d];
      const std::ptrdiff_t fit = std::min({most[d], whole_.size[d], cells_in_tile / others});
      side_[d] = std::max(side_[d], fit);
    }
  }
  void set_side(box<Dimensions>& tile, std::size_t d, std::ptrdiff_t at,
                std::ptrdiff_t tiles) const {
    tile.first[d] = at * side_[d];
    tile.size[d] = std::min(tiles * side_[d], whole_.size[d] - tile.first[d]);
  }

  box<Dimensions> whole_;
  sizes side_;
  sizes number_;
  std::ptrdiff_t joined_;  ///< How many neighbours in a row may be one tile.
};

/// Calls f(i, j), f(i, j, k) or f(tile) for all cells of a grid; if f returns a task, runs it.
template <class Index, std::size_t Dimensions, class F>
void for_each_cell(grain g, const cells<Index, Dimensions>& all, const F& f) {
  const auto whole = box<Dimensions>::whole(all);
  if (whole.cells_in() == 0) return;
  const auto run = [&f](const box<Dimensions>& b) {
    if constexpr (takes_a_cell<F, Index, Dimensions>)
      for_each_in<Index>(b, [&f](auto... i) { static_cast<void>(detail::invoke_to_end(f, i...)); });
    else
      static_cast<void>(detail::invoke_to_end(f, b.template as_tile<Index>()));
  };
  const tile_rows<Dimensions> tiles(whole, g.elements);
  for_each_block({0, tiles.number()}, g.elements == 0 ? 0 : 1,
                 [&](part block) { tiles.for_each_in(block, run); });
}

/// Folds a box that is not empty.
template <class U, class Index, std::size_t Dimensions, class Op, class F>
NOPAL_NOINLINE U fold_box(const box<Dimensions>& b, std::ptrdiff_t grain, const Op& op,
                          const F& f) {
  if (b.cells_in() <= grain) {
    check_block();
    if constexpr (takes_a_cell<F, Index, Dimensions>) {
      std::optional<U> sum;
      for_each_in<Index>(b, [&](auto... i) {
        if (sum)
          sum = static_cast<U>(std::invoke(op, *std::move(sum), detail::invoke_to_end(f, i...)));
        else
          sum.emplace(detail::invoke_to_end(f, i...));
      });
      return *std::move(sum);
    } else {
      return U(detail::invoke_to_end(f, b.template as_tile<Index>()));
    }
  }
  const auto halves = b.halves();
  std::optional<U> left, right;
  parallel_invoke([&] { left.emplace(fold_box<U, Index>(halves.first, grain, op, f)); },
                  [&] { right.emplace(fold_box<U, Index>(halves.second, grain, op, f)); });
  return combined<U>(op, *std::move(left), *std::move(right));
}

/// Combines what f returns for all cells, or for all tiles, of a grid: init op x1 op x2 …, in the
/// order of the boxes. The brackets depend on the grid and on the grain alone.
template <class Index, std::size_t Dimensions, class T, class Op, class F>
T fold_cells(grain g, const cells<Index, Dimensions>& all, T init, const Op& op, const F& f) {
  const auto whole = box<Dimensions>::whole(all);
  const std::ptrdiff_t n = whole.cells_in();
  if (n == 0) return init;
  T sum = fold_box<T, Index>(whole, chosen_grain(g.elements, n), op, f);
  return combined<T>(op, std::move(init), std::move(sum));
}

template <class Index, std::size_t Dimensions>
struct whole_loops<cells<Index, Dimensions>> {
  /// Whether a function can be called with the indices of a cell, or with a tile.
  template <class F>
  static constexpr bool takes =
      takes_a_cell<F, Index, Dimensions> || shared_callable<F, tile<Index, Dimensions>>;

  template <class F>
  static void for_each(grain g, const cells<Index, Dimensions>& all, const F& f) {
    for_each_cell(g, all, f);
  }
  template <class T, class Op, class F>
  static T fold(grain g, const cells<Index, Dimensions>& all, T init, const Op& op, const F& f) {
    return fold_cells(g, all, std::move(init), op, f);
  }
};

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
