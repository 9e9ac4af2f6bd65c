// SPDX-License-Identifier: Apache-2.0
// Sparse matrices as quad trees: a node of level 0 is a block of 4 × 4 elements, one of level l has
// four nodes of level l - 1. A quadrant without elements is a null pointer.
#pragma once

#include <array>
#include <cstddef>

namespace nopal_bench {

constexpr std::size_t quad_block = 4;
constexpr std::size_t quad_block_size = quad_block * quad_block;

/// A block is stored column by column, so that what a leaf kernel has in its inner loop is
/// contiguous.
union quad_node {
  static quad_node* make(unsigned level) {
    auto* node = new quad_node;
    if (level == 0) {
      node->block = {};
    } else {
      node->child = {};
    }
    return node;
  }

  [[nodiscard]] quad_node*& at(unsigned i, unsigned j) { return child[2 * i + j]; }
  [[nodiscard]] const quad_node* at(unsigned i, unsigned j) const { return child[2 * i + j]; }

  std::array<quad_node*, 4> child;  // by rows
  std::array<double, quad_block_size> block;
};

/// The side of a matrix whose root has this level.
constexpr std::size_t quad_side(unsigned level) { return quad_block << level; }

/// The element at (i, j) of a tree of this level. It is made, with the nodes above it, if it is not
/// there.
inline double& quad_element(quad_node*& node, unsigned level, std::size_t i, std::size_t j) {
  if (node == nullptr) {
    node = quad_node::make(level);
  }
  if (level == 0) {
    return node->block[j * quad_block + i];
  }
  const std::size_t half = quad_side(level - 1);
  return quad_element(node->at(i < half ? 0 : 1, j < half ? 0 : 1), level - 1, i % half, j % half);
}

inline quad_node* quad_copy(const quad_node* from, unsigned level) {
  if (from == nullptr) {
    return nullptr;
  }
  auto* node = quad_node::make(level);
  if (level == 0) {
    node->block = from->block;
  } else {
    for (std::size_t q = 0; q < from->child.size(); ++q) {
      node->child[q] = quad_copy(from->child[q], level - 1);
    }
  }
  return node;
}

inline void quad_delete(quad_node* node, unsigned level) {
  if (node == nullptr) {
    return;
  }
  if (level > 0) {
    for (quad_node* c : node->child) {
      quad_delete(c, level - 1);
    }
  }
  delete node;
}

/// Calls f(i, j, value) for every element of every block there is.
template <class F>
void quad_for_each(const quad_node* node, unsigned level, std::size_t row, std::size_t column,
                   const F& f) {
  if (node == nullptr) {
    return;
  }
  if (level == 0) {
    for (std::size_t k = 0; k < quad_block_size; ++k) {
      f(row + k % quad_block, column + k / quad_block, node->block[k]);
    }
    return;
  }
  const std::size_t half = quad_side(level - 1);
  for (unsigned q = 0; q < 4; ++q) {
    quad_for_each(node->child[q], level - 1, row + q / 2 * half, column + q % 2 * half, f);
  }
}

}  // namespace nopal_bench
