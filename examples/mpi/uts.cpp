// SPDX-License-Identifier: Apache-2.0
// Unbalanced tree search: all ranks count the nodes of a tree that nobody knows before it has been
// walked. The trees and their counts are published: Olivier et al., "UTS: An Unbalanced Tree Search
// Benchmark", LCPC 2006.
//   mpiexec -n 2 example_mpi_uts [--ranks] [TREE]
#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iomanip>
#include <iostream>
#include <map>
#include <string_view>
#include <variant>

#include "nopal/mpi.hpp"
#include "nopal/nopal.hpp"
#include "uts/tree.hpp"

namespace {

using namespace nopal_bench;

const std::map<std::string_view, std::variant<geometric_tree, binomial_tree>> trees{
    {"T1", uts_t1}, {"T1L", uts_t1l}, {"T1XL", uts_t1xl}, {"T3", uts_t3}, {"T3L", uts_t3l}};

constexpr const char* help =
    R"(usage: mpiexec -n RANKS example_mpi_uts [--ranks] [TREE]

Counts the nodes of a tree, and compares them with the published counts.

  TREE     T1    4,130,071 nodes, an even tree
           T1L   102,181,082 nodes, an even tree
           T1XL  1,635,119,272 nodes, an even tree
           T3    4,112,897 nodes; subtrees differ beyond all bounds (default)
           T3L   111,345,631 nodes; subtrees differ beyond all bounds
  --ranks  Print what each rank has done

Exit status: 0 if the counts are the published ones, 1 if they differ, 2 for a mistake in the
command line. The environment variable NOPAL_WORKERS says how many workers a rank has.
)";

struct settings {
  std::string_view tree = "T3";
  bool ranks = false;
  bool help = false;
  const char* unknown = nullptr;
};

settings parsed(int argc, char** argv) {
  settings s;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--help")
      s.help = true;
    else if (word == "--ranks")
      s.ranks = true;
    else if (trees.contains(word))
      s.tree = word;
    else
      s.unknown = argv[i];
  }
  return s;
}

/// What a rank has done.
struct share {
  std::uint64_t nodes;
  nopal::mpi::statistics sent;
};

/// The nodes that this rank has expanded, by workers.
nopal::worker_local<std::uint64_t> expanded;
const nopal::mpi::world* world_of_this_rank = nullptr;

share share_of_this_rank() {
  return {expanded.combine(std::plus<>()).value_or(0), world_of_this_rank->counts()};
}

template <class Tree>
uts_counts counts_of(nopal::mpi::world& world, const Tree& tree, bool by_ranks) {
  return world.fold_tree(
      uts_root(tree.seed),
      [&tree, by_ranks](const uts_node& node, const auto& emit) {
        if (by_ranks) expanded.with([](std::uint64_t& n) { ++n; });
        const std::uint32_t children =
            node.height == 0 ? tree.children_of_root() : tree.children(node);
        if (children == 0) return uts_leaf(node);
        for (std::uint32_t i = 0; i < children; ++i) emit(uts_child(node, i));
        return uts_counts{1, 0, node.height};
      },
      [](uts_counts a, const uts_counts& b) { return a += b; });
}

void print_ranks(nopal::mpi::world& world) {
  constexpr std::array columns{"rank",     "nodes",   "messages", "bytes",
                               "requests", "denials", "got",      "given"};
  for (const char* column : columns) std::cout << std::setw(12) << column;
  std::uint64_t all = 0;
  std::uint64_t most = 0;
  for (int r = 0; r < world.size(); ++r) {
    const auto [nodes, s] = world.run_on(r, nopal::mpi::function<&share_of_this_rank>).get();
    std::cout << '\n' << std::setw(12) << r;
    for (const std::uint64_t n :
         {nodes, s.messages, s.bytes, s.requests, s.denials, s.pieces_got, s.pieces_given})
      std::cout << std::setw(12) << n;
    all += nodes;
    most = std::max(most, nodes);
  }
  const double mean = static_cast<double>(all) / world.size();
  std::cout << "\nimbalance " << static_cast<double>(most) / mean
            << " (the most nodes of a rank over their mean)\n";
}

/// Returns whether the counts are right.
template <class Tree>
bool search(nopal::mpi::world& world, nopal::runtime& runtime, const Tree& tree, bool by_ranks) {
  world.barrier();
  const auto start = std::chrono::steady_clock::now();
  const uts_counts got = runtime.run([&] { return counts_of(world, tree, by_ranks); });
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  if (world.rank() == 0) {
    std::cout << got.nodes << " nodes, depth " << got.depth << ", " << got.leaves << " leaves"
              << (got == tree.known ? "" : ", which is WRONG") << "; " << took.count() << " s, "
              << static_cast<double>(got.nodes) / took.count() << " nodes/s\n";
    if (by_ranks) print_ranks(world);
  }
  return got == tree.known;
}

/// Options for a recursion that is as deep as the tree. Stacks take memory as far as they are used.
nopal::options options_for_deep_trees() {
  nopal::options o = nopal::options::from_environment();
  o.stack_bytes = std::max(o.stack_bytes, std::size_t{512} << 20);
  return o;
}

}  // namespace

int main(int argc, char** argv) {
  nopal::mpi::world world(argc, argv);
  world_of_this_rank = &world;
  const settings s = parsed(argc, argv);
  if (s.help || s.unknown != nullptr) {
    if (world.rank() == 0 && s.unknown != nullptr)
      std::cerr << "example_mpi_uts: '" << s.unknown << "' is no option and no tree; --help shows "
                << "what is allowed\n";
    else if (world.rank() == 0)
      std::cout << help;
    return s.unknown != nullptr ? 2 : 0;
  }
  nopal::runtime runtime(options_for_deep_trees());
  const auto is_right = [&](const auto& tree) { return search(world, runtime, tree, s.ranks); };
  return std::visit(is_right, trees.at(s.tree)) ? 0 : 1;
}
