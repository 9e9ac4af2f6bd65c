// SPDX-License-Identifier: Apache-2.0
// The product of small matrices that the leaves of all multiplications here are made of.
#pragma once

#include <algorithm>
#include <cstddef>

namespace nopal_bench {

/// What becomes of c: a·b, c + a·b or c - a·b.
enum class update { set, add, subtract };

/// The extents of a product: a is rows × inner, b is inner × cols.
struct extents {
  std::size_t rows;
  std::size_t inner;
  std::size_t cols;
};

/// Multiplies two rows of c and four of b at a time: a vector of b is loaded once for both rows,
/// one of c once for four products. So rows must be even, and inner a multiple of 4. The function
/// is inlined, so that extents that are constants are constants here.
template <update How>
[[gnu::always_inline]] inline void multiply_rows(extents e, const double* __restrict a,
                                                 std::size_t stride_a, const double* __restrict b,
                                                 std::size_t stride_b, double* __restrict c,
                                                 std::size_t stride_c) {
  for (std::size_t i = 0; i < e.rows; i += 2) {
    double* __restrict c0 = c + i * stride_c;
    double* __restrict c1 = c0 + stride_c;
    if constexpr (How == update::set) {
      std::fill_n(c0, e.cols, 0.0);
      std::fill_n(c1, e.cols, 0.0);
    }
    for (std::size_t k = 0; k < e.inner; k += 4) {
      const double* p = a + i * stride_a + k;
      const double* q = p + stride_a;
      const double p0 = p[0], p1 = p[1], p2 = p[2], p3 = p[3];
      const double q0 = q[0], q1 = q[1], q2 = q[2], q3 = q[3];
      const double* b0 = b + k * stride_b;
      const double* b1 = b0 + stride_b;
      const double* b2 = b1 + stride_b;
      const double* b3 = b2 + stride_b;
      for (std::size_t j = 0; j < e.cols; ++j) {
        const double s0 = p0 * b0[j] + p1 * b1[j] + p2 * b2[j] + p3 * b3[j];
        const double s1 = q0 * b0[j] + q1 * b1[j] + q2 * b2[j] + q3 * b3[j];
        c0[j] = How == update::subtract ? c0[j] - s0 : c0[j] + s0;
        c1[j] = How == update::subtract ? c1[j] - s1 : c1[j] + s1;
      }
    }
  }
}

/// A leaf. It is not inlined, so that every variant runs the same machine code, whatever the
/// function that calls it is compiled for.
template <update How>
[[gnu::noinline]] void multiply_leaf(extents e, const double* a, std::size_t stride_a,
                                     const double* b, std::size_t stride_b, double* c,
                                     std::size_t stride_c) {
  multiply_rows<How>(e, a, stride_a, b, stride_b, c, stride_c);
}

/// The same for contiguous blocks.
template <update How, std::size_t Side>
[[gnu::noinline]] void multiply_block(const double* a, const double* b, double* c) {
  multiply_rows<How>({Side, Side, Side}, a, Side, b, Side, c, Side);
}

}  // namespace nopal_bench
