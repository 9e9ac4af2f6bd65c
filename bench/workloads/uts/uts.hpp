// SPDX-License-Identifier: Apache-2.0
// The unbalanced tree search as a workload of the benchmarks: tree.hpp has the trees.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "harness/enroll.hpp"
#include "tree.hpp"

namespace nopal_bench {

/// n counts the trees of a family, from 1. The counts of the smallest tree were computed by a
/// program in another language; the others are the published ones.
template <class Tree>
struct uts_problem {
  static constexpr std::string_view name = Tree::name;
  static constexpr std::array sizes{problem_size{"smoke", 1}, problem_size{"quick", 2},
                                    problem_size{"paper", 3}, problem_size{"huge", 4}};

  explicit uts_problem(std::uint64_t size) : tree(chosen(size)) {}

  void prepare() {
    counts = {};
    result = 0;
  }
  void finish(const uts_counts& total) {
    counts = total;
    result = total.nodes;
  }
  [[nodiscard]] std::string error() const {
    return counts == tree.known ? "" : text(counts) + ", not " + text(tree.known);
  }

  /// The recursion is as deep as the tree. What a level takes depends on the library; some
  /// libraries also run other tasks on top of one that waits.
  static std::size_t stack_bytes(std::uint64_t size) {
    constexpr std::size_t of_a_level = std::size_t{4} << 10;
    constexpr std::size_t of_the_rest = std::size_t{1} << 20;
    const std::size_t levels = chosen(size).known.depth;
    return levels < 100 ? 0 : levels * of_a_level + of_the_rest;
  }

  Tree tree;
  uts_counts counts{};
  std::uint64_t result = 0;  // the nodes, for the record

 private:
  static Tree chosen(std::uint64_t size) {
    if (size < 1 || size > Tree::count) {
      throw std::invalid_argument(std::string(name) + ": n is " + std::to_string(size) +
                                  ", allowed are 1 to " + std::to_string(Tree::count));
    }
    return Tree::all()[size - 1];
  }
  static std::string text(const uts_counts& c) {
    return std::to_string(c.nodes) + " nodes, " + std::to_string(c.leaves) + " leaves, depth " +
           std::to_string(c.depth);
  }
};

using uts_geometric_problem = uts_problem<geometric_tree>;
using uts_binomial_problem = uts_problem<binomial_tree>;

}  // namespace nopal_bench
