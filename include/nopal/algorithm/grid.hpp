// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <ranges>
#include <type_traits>
#include <utility>

#include "nopal/algorithm/grain.hpp"

namespace nopal {
NOPAL_ALGORITHMS {

/// A part of a grid: some neighbouring rows, columns and, if there are three dimensions, planes. It
/// is small enough for a cache if its cells have some ten bytes.
/// \code
/// nopal::tile<int, 2> t({0, 10}, {2, 14});
/// for (const int i : t.rows())
///   for (const int j : t.columns()) std::printf("%d %d\n", i, j);
/// \endcode
template <std::integral Index, std::size_t Dimensions>
class tile {
 public:
  using indices = std::ranges::iota_view<Index, Index>;
  using corner = std::array<Index, Dimensions>;

  /// \param first, last  the first index, and the one behind the last, of each dimension.
  constexpr tile(const corner& first, const corner& last) : first_(first), last_(last) {}

  [[nodiscard]] constexpr indices planes() const
    requires(Dimensions == 3)
  {
    return of(0);
  }
  [[nodiscard]] constexpr indices rows() const { return of(Dimensions - 2); }
  [[nodiscard]] constexpr indices columns() const { return of(Dimensions - 1); }

 private:
  [[nodiscard]] constexpr indices of(std::size_t d) const { return {first_[d], last_[d]}; }

  corner first_;
  corner last_;
};

/// The cells of two or three dimensions; nopal::grid() makes it. The columns are the dimension
/// whose cells lie next to each other in memory.
template <std::integral Index, std::size_t Dimensions>
class cells {
 public:
  using index = Index;
  static constexpr std::size_t dimensions = Dimensions;

  explicit constexpr cells(const std::array<Index, Dimensions>& sizes) : sizes_(sizes) {}
  /// How many there are in each dimension; none if it is negative.
  [[nodiscard]] constexpr const std::array<Index, Dimensions>& sizes() const { return sizes_; }

 private:
  std::array<Index, Dimensions> sizes_;
};

/// The range of a for_each or fold over two dimensions, by tiles that a cache holds: for_each(
/// grid(rows, columns), f) calls f(i, j) for each cell, and fold(grid(rows, columns), init, op, f)
/// is init op f(0, 0) op …, in an order of tiles that depends on the grid and the grain alone. An f
/// that takes no two indices is called with a nopal::tile, for a loop of its own.
/// \code
/// std::vector<double> a(100 * 200), b(200 * 100);
/// nopal::for_each(nopal::grid(100, 200), [&](int i, int j) {
///   b[static_cast<std::size_t>(100 * j + i)] = a[static_cast<std::size_t>(200 * i + j)];
/// });
/// const double sum = nopal::fold(nopal::grid(100, 200), 0.0, std::plus<>(), [&](int i, int j) {
///   return a[static_cast<std::size_t>(200 * i + j)];
/// });
/// \endcode
/// \param rows, columns  how many there are; none if one is negative. The indices are integers of
/// the type of both.
/// Complexity: the cells, and a fork for each tile that is stolen; nopal::grain{n} makes tiles of
/// about n cells.
/// Source: docs/algorithm.md.
template <std::integral Rows, std::integral Columns>
[[nodiscard]] constexpr auto grid(Rows rows, Columns columns) {
  using index = std::common_type_t<Rows, Columns>;
  return cells<index, 2>({static_cast<index>(rows), static_cast<index>(columns)});
}
/// The same for three dimensions.
template <std::integral Planes, std::integral Rows, std::integral Columns>
[[nodiscard]] constexpr auto grid(Planes planes, Rows rows, Columns columns) {
  using index = std::common_type_t<Planes, Rows, Columns>;
  return cells<index, 3>(
      {static_cast<index>(planes), static_cast<index>(rows), static_cast<index>(columns)});
}

}  // namespace parallel
}  // namespace nopal

#include "nopal/detail/algorithm/grid/grid_loop.hpp"  // last: it needs what is above
