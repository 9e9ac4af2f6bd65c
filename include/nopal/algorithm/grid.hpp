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

/// The range of an algorithm that goes over two dimensions, by tiles that a cache holds.
/// \code
/// const auto small = nopal::grid(100, 200);
/// \endcode
/// \param rows, columns  how many there are. The indices are integers of the type of both.
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
