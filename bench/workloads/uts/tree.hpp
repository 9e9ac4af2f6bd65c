// SPDX-License-Identifier: Apache-2.0
// Unbalanced tree search: counts the nodes of a tree that nobody knows before it has been walked. A
// node is a SHA-1 digest. The root's is that of 16 zero bytes and the seed, and a child's is that
// of its parent's digest and the child's index. The digest as a random number decides how many
// children the node has. Integers have 4 bytes and are big-endian.
// Source: Olivier et al., "UTS: An Unbalanced Tree Search Benchmark", LCPC 2006.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "sha1.hpp"

namespace nopal_bench {

struct uts_node {
  sha1_words digest;
  std::uint32_t height;

  /// A number from 0 to less than 1, of 31 random bits.
  [[nodiscard]] double chance() const { return (digest[4] & 0x7fffffff) / 0x1p31; }
};

inline uts_node uts_root(std::uint32_t seed) {
  return {sha1_of_block({0, 0, 0, 0, seed, 0x80000000, 0, 0, 0, 0, 0, 0, 0, 0, 0, 20 * 8}), 0};
}

inline uts_node uts_child(const uts_node& parent, std::uint32_t index) {
  const sha1_words& d = parent.digest;
  return {sha1_of_block(
              {d[0], d[1], d[2], d[3], d[4], index, 0x80000000, 0, 0, 0, 0, 0, 0, 0, 0, 24 * 8}),
          parent.height + 1};
}

/// The counts of a subtree.
struct uts_counts {
  std::uint64_t nodes;
  std::uint64_t leaves;
  std::uint64_t depth;  // the greatest height

  uts_counts& operator+=(const uts_counts& other) {
    nodes += other.nodes;
    leaves += other.leaves;
    depth = std::max(depth, other.depth);
    return *this;
  }
  bool operator==(const uts_counts&) const = default;
};

inline uts_counts uts_leaf(const uts_node& node) { return {1, 1, node.height}; }

/// The counts of an inner node, from those of its children.
inline uts_counts uts_sum(const uts_node& node, const uts_counts* children, std::uint32_t count) {
  uts_counts sum{1, 0, node.height};
  for (std::uint32_t i = 0; i < count; ++i) {
    sum += children[i];
  }
  return sum;
}

inline const double uts_log_of_one_more = std::log(1 - 1 / (1 + 4.0));

/// A geometric tree of fixed shape: a node above its depth has four children on average, and a node
/// at its depth has none.
struct geometric_tree {
  static constexpr std::string_view name = "uts_geometric";
  // UTS cuts off there; 31 random bits give at most 96.
  static constexpr std::uint32_t most_children = 100;

  std::uint32_t seed;
  std::uint32_t depth;
  uts_counts known;

  [[nodiscard]] std::uint32_t children_of_root() const { return children(uts_root(seed)); }
  [[nodiscard]] std::uint32_t children(const uts_node& node) const {
    if (node.height >= depth) {
      return 0;
    }
    return static_cast<std::uint32_t>(
        std::floor(std::log(1 - node.chance()) / uts_log_of_one_more));
  }

  static constexpr std::size_t count = 4;
  /// Those that the benchmarks walk: T1 cut short, and three published ones.
  static std::array<geometric_tree, count> all();
};

inline constexpr geometric_tree uts_t1{19, 10, {4130071, 3305118, 10}};
inline constexpr geometric_tree uts_t1l{29, 13, {102181082, 81746377, 13}};
inline constexpr geometric_tree uts_t1xl{29, 15, {1635119272, 1308100063, 15}};
inline constexpr geometric_tree uts_t1xxl{19, 15, {4230646601, 3384495738, 15}};

inline std::array<geometric_tree, geometric_tree::count> geometric_tree::all() {
  return {{{19, 7, {63914, 51124, 7}}, uts_t1, uts_t1l, uts_t1xxl}};
}

/// A binomial tree: the root has 2000 children, every other node m with probability q, else none.
/// The expected work below each node is the same, so nobody can tell which of two is worth
/// stealing. With q m close to 1 the tree is deep.
struct binomial_tree {
  static constexpr std::string_view name = "uts_binomial";
  static constexpr std::uint32_t most_children = 8;

  std::uint32_t seed;
  std::uint32_t m;
  double q;
  uts_counts known;

  [[nodiscard]] std::uint32_t children_of_root() const { return 2000; }
  [[nodiscard]] std::uint32_t children(const uts_node& node) const {
    return node.chance() < q ? m : 0;
  }

  static constexpr std::size_t count = 4;
  /// Those that the benchmarks walk: a smaller one, and three published ones.
  static std::array<binomial_tree, count> all();
};

inline constexpr binomial_tree uts_t3{42, 8, 0.124875, {4112897, 3599034, 1572}};
inline constexpr binomial_tree uts_t3l{7, 5, 0.200014, {111345631, 89076904, 17844}};
inline constexpr binomial_tree uts_t3xxl{316, 2, 0.499995, {2793220501, 1396611250, 99049}};

inline std::array<binomial_tree, binomial_tree::count> binomial_tree::all() {
  return {{{42, 8, 0.12, {62689, 55102, 124}}, uts_t3, uts_t3l, uts_t3xxl}};
}

}  // namespace nopal_bench
