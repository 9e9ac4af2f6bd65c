// SPDX-License-Identifier: Apache-2.0
// Cholesky decomposition of trees that are too small to fork: the leaves of all variants, and the
// algorithm in short. The functions are not inlined, so that every variant runs the same machine
// code.
#pragma once

#include "block_kernels.hpp"
#include "quad_tree.hpp"

namespace nopal_bench {

/// Which quadrants of a product are wanted.
enum class quad_part { whole, lower };

/// c -= a·bᵀ, all of the same level. \returns c, which is made if it is not there and the product
/// is not empty.
[[gnu::noinline]] inline quad_node* subtract_small(quad_node* c, const quad_node* a,
                                                   const quad_node* b, unsigned level,
                                                   quad_part part) {
  if (a == nullptr || b == nullptr) {
    return c;
  }
  if (c == nullptr) {
    c = quad_node::make(level);
  }
  if (level == 0) {
    multiply_block(c->block, a->block, b->block);
    return c;
  }
  for (unsigned q = 0; q < 4; ++q) {
    const unsigned i = q / 2;
    const unsigned j = q % 2;
    if (part == quad_part::lower && i < j) {
      continue;
    }
    const quad_part part_here = i == j ? part : quad_part::whole;
    for (unsigned k = 0; k < 2; ++k) {
      c->at(i, j) = subtract_small(c->at(i, j), a->at(i, k), b->at(j, k), level - 1, part_here);
    }
  }
  return c;
}

/// Solves X·Lᵀ = a; X takes the place of a.
[[gnu::noinline]] inline void solve_small(quad_node* a, const quad_node* l, unsigned level) {
  if (a == nullptr) {
    return;
  }
  if (level == 0) {
    solve_block(a->block, l->block);
    return;
  }
  for (unsigned i = 0; i < 2; ++i) {
    solve_small(a->at(i, 0), l->at(0, 0), level - 1);
    a->at(i, 1) =
        subtract_small(a->at(i, 1), a->at(i, 0), l->at(1, 0), level - 1, quad_part::whole);
    solve_small(a->at(i, 1), l->at(1, 1), level - 1);
  }
}

/// a = L·Lᵀ; L takes the place of a, which has only its lower triangle.
[[gnu::noinline]] inline void factor_small(quad_node* a, unsigned level) {
  if (level == 0) {
    factor_block(a->block);
    return;
  }
  factor_small(a->at(0, 0), level - 1);
  solve_small(a->at(1, 0), a->at(0, 0), level - 1);
  a->at(1, 1) = subtract_small(a->at(1, 1), a->at(1, 0), a->at(1, 0), level - 1, quad_part::lower);
  factor_small(a->at(1, 1), level - 1);
}

}  // namespace nopal_bench
