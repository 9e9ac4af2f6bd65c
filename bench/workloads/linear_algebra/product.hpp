// SPDX-License-Identifier: Apache-2.0
// A product of parts of matrices, and its halves.
#pragma once

#include <algorithm>
#include <cstddef>

#include "workloads/linear_algebra/multiply_leaf.hpp"

namespace nopal_bench {

/// c = a·b, c += a·b or c -= a·b. The extents are counted in units that lie Unit doubles apart in a
/// row: elements, or blocks of them. Rows of units are stride doubles apart in all three matrices.
/// Extents are halved at multiples of Multiple.
template <std::size_t Unit, std::size_t Multiple>
struct product {
  [[nodiscard]] std::size_t longest() const { return std::max({e.rows, e.inner, e.cols}); }

  /// Whether the halves update the same c, so that the second updates what the first has made of
  /// it.
  [[nodiscard]] bool splits_inner() const { return e.inner > e.rows && e.inner > e.cols; }

  /// The halves of the longest extent.
  [[nodiscard]] product first_half() const {
    const std::size_t m = middle();
    if (splits_inner()) {
      return {how, a, b, c, stride, {e.rows, m, e.cols}};
    }
    if (splits_rows()) {
      return {how, a, b, c, stride, {m, e.inner, e.cols}};
    }
    return {how, a, b, c, stride, {e.rows, e.inner, m}};
  }
  [[nodiscard]] product second_half() const {
    const std::size_t m = middle();
    if (splits_inner()) {
      const update then = how == update::set ? update::add : how;
      return {then, a + m * Unit, b + m * stride, c, stride, {e.rows, e.inner - m, e.cols}};
    }
    if (splits_rows()) {
      return {how, a + m * stride, b, c + m * stride, stride, {e.rows - m, e.inner, e.cols}};
    }
    return {how, a, b + m * Unit, c + m * Unit, stride, {e.rows, e.inner, e.cols - m}};
  }

  update how;
  const double* a;
  const double* b;
  double* c;
  std::size_t stride;
  extents e;

 private:
  [[nodiscard]] bool splits_rows() const { return e.rows >= e.inner && e.rows >= e.cols; }
  [[nodiscard]] std::size_t middle() const {
    return (longest() / 2 + Multiple - 1) / Multiple * Multiple;
  }
};

}  // namespace nopal_bench
