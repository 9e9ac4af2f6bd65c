// SPDX-License-Identifier: Apache-2.0
// A tree of given depth and breadth whose nodes each loop n times over some arithmetic. It shows
// how much work a fork needs to be worth while, and what many forks in a row cost.
// Source: Schmaus 2015, section 5.1 ("master benchmark"). Nodes at that depth do not fork, as in
// the paper's count of spawns.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "harness/enroll.hpp"

namespace nopal_bench {

/// The tree that the paper measures: 9331 nodes.
struct master_tree {
  static constexpr std::string_view name = "master";
  static constexpr unsigned depth = 5;
  static constexpr unsigned breadth = 6;
  static constexpr std::array sizes{problem_size{"smoke", 100}, problem_size{"quick", 10000},
                                    problem_size{"paper", 1000000}};
};

/// The tree at which stealing of children fails in the paper, for want of room: 1001001 nodes.
struct master_wide_tree {
  static constexpr std::string_view name = "master_wide";
  static constexpr unsigned depth = 2;
  static constexpr unsigned breadth = 1000;
  static constexpr std::array sizes{problem_size{"smoke", 1}, problem_size{"quick", 100},
                                    problem_size{"paper", 1000}};
};

/// A tree of nearly as many nodes as the first, with two children each: 8191 nodes.
struct master_deep_tree {
  static constexpr std::string_view name = "master_deep";
  static constexpr unsigned depth = 12;
  static constexpr unsigned breadth = 2;
  static constexpr std::array sizes = master_tree::sizes;
};

/// What a node does: a multiplication, a division and a store to memory for each of n. \returns A
/// value that differs for each level.
[[gnu::noinline]] inline std::uint64_t master_work(unsigned level, std::uint64_t n) {
  std::array<volatile std::uint64_t, 256> kept;
  std::uint64_t x = level + 1;
  for (std::uint64_t i = 0; i < n; ++i) {
    x *= 2 * i + 3;
    x /= i + 1;
    kept[i % kept.size()] = x;
  }
  return x;
}

template <class Tree>
struct master_problem {
  static constexpr std::string_view name = Tree::name;
  static constexpr auto sizes = Tree::sizes;

  explicit master_problem(std::uint64_t size) : n(size) {}

  void prepare() { result = 0; }
  [[nodiscard]] std::string error() const {
    std::uint64_t right = 0;
    std::uint64_t nodes = 1;
    for (unsigned level = 0; level <= Tree::depth; ++level, nodes *= Tree::breadth) {
      right += nodes * master_work(level, n);
    }
    return result == right ? "" : std::to_string(result) + ", not " + std::to_string(right);
  }

  std::uint64_t n;
  std::uint64_t result = 0;  // the sum of all nodes' values
};

}  // namespace nopal_bench
