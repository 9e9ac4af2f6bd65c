// SPDX-License-Identifier: Apache-2.0
// What Cholesky decomposition does to blocks of 4 × 4, column by column.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>

#include "quad_tree.hpp"

namespace nopal_bench {

using quad_values = std::array<double, quad_block_size>;

/// a = L·Lᵀ; L takes the place of the lower triangle, its diagonal included. The triangle above
/// stays as it is.
inline void factor_block(quad_values& a) {
  for (std::size_t j = 0; j < quad_block; ++j) {
    for (std::size_t k = 0; k < j; ++k) {
      for (std::size_t i = j; i < quad_block; ++i) {
        a[quad_block * j + i] -= a[quad_block * k + i] * a[quad_block * k + j];
      }
    }
    const double diagonal = std::sqrt(a[quad_block * j + j]);
    a[quad_block * j + j] = diagonal;
    for (std::size_t i = j + 1; i < quad_block; ++i) {
      a[quad_block * j + i] /= diagonal;
    }
  }
}

/// Solves X·Lᵀ = a; X takes the place of a.
inline void solve_block(quad_values& a, const quad_values& l) {
  for (std::size_t j = 0; j < quad_block; ++j) {
    double column[quad_block];
    for (std::size_t i = 0; i < quad_block; ++i) {
      column[i] = a[quad_block * j + i];
    }
    for (std::size_t k = 0; k < j; ++k) {
      for (std::size_t i = 0; i < quad_block; ++i) {
        column[i] -= a[quad_block * k + i] * l[quad_block * k + j];
      }
    }
    for (std::size_t i = 0; i < quad_block; ++i) {
      a[quad_block * j + i] = column[i] / l[quad_block * j + j];
    }
  }
}

/// c -= a·bᵀ.
inline void multiply_block(quad_values& c, const quad_values& a, const quad_values& b) {
  for (std::size_t j = 0; j < quad_block; ++j) {
    double column[quad_block];
    for (std::size_t i = 0; i < quad_block; ++i) {
      column[i] = c[quad_block * j + i];
    }
    for (std::size_t k = 0; k < quad_block; ++k) {
      for (std::size_t i = 0; i < quad_block; ++i) {
        column[i] -= a[quad_block * k + i] * b[quad_block * k + j];
      }
    }
    for (std::size_t i = 0; i < quad_block; ++i) {
      c[quad_block * j + i] = column[i];
    }
  }
}

}  // namespace nopal_bench
