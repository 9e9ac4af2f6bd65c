// SPDX-License-Identifier: Apache-2.0
// What LU decomposition does to single blocks, which are square, row by row and contiguous. The
// functions are not inlined, for the same reason as in multiply_leaf.hpp.
#pragma once

#include <cstddef>

namespace nopal_bench {

/// a = L·U in place: L below the diagonal, whose own diagonal is 1 and not stored, U from the
/// diagonal on.
template <std::size_t Side>
[[gnu::noinline]] void factor_block(double* a) {
  for (std::size_t k = 0; k < Side; ++k) {
    const double* pivot = a + k * Side;
    for (std::size_t i = k + 1; i < Side; ++i) {
      double* __restrict row = a + i * Side;
      const double factor = row[k] / pivot[k];
      row[k] = factor;
      for (std::size_t j = k + 1; j < Side; ++j) {
        row[j] -= factor * pivot[j];
      }
    }
  }
}

/// Solves L·X = m for the L of a factored block; X takes the place of m.
template <std::size_t Side>
[[gnu::noinline]] void solve_lower_block(const double* __restrict l, double* m) {
  for (std::size_t i = 1; i < Side; ++i) {
    double* __restrict row = m + i * Side;
    for (std::size_t k = 0; k < i; ++k) {
      const double factor = l[i * Side + k];
      const double* above = m + k * Side;
      for (std::size_t j = 0; j < Side; ++j) {
        row[j] -= factor * above[j];
      }
    }
  }
}

/// Solves X·U = m for the U of a factored block; X takes the place of m.
template <std::size_t Side>
[[gnu::noinline]] void solve_upper_block(const double* __restrict u, double* __restrict m) {
  for (std::size_t i = 0; i < Side; ++i) {
    double* row = m + i * Side;
    for (std::size_t k = 0; k < Side; ++k) {
      const double* pivot = u + k * Side;
      const double factor = row[k] / pivot[k];
      row[k] = factor;
      for (std::size_t j = k + 1; j < Side; ++j) {
        row[j] -= factor * pivot[j];
      }
    }
  }
}

}  // namespace nopal_bench
