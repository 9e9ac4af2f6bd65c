// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/nopal.hpp"

#include <vector>

#include "uts.hpp"

namespace nopal_bench {
namespace {

template <class Tree>
uts_counts visit_invoke(const Tree& tree, const uts_node& parent, std::uint32_t index);

// Closures fork in pairs, so a loop becomes a tree over its range.
template <class Tree>
uts_counts visit_range(const Tree& tree, const uts_node& node, std::uint32_t first,
                       std::uint32_t last) {
  if (last - first == 1) {
    return visit_invoke(tree, node, first);
  }
  const std::uint32_t middle = first + (last - first) / 2;
  auto [left, right] =
      nopal::parallel_invoke([=, &tree, &node] { return visit_range(tree, node, first, middle); },
                             [=, &tree, &node] { return visit_range(tree, node, middle, last); });
  left += right;
  return left;
}

template <class Tree>
uts_counts visit_invoke(const Tree& tree, const uts_node& parent, std::uint32_t index) {
  const uts_node node = uts_child(parent, index);
  const std::uint32_t count = tree.children(node);
  if (count == 0) {
    return uts_leaf(node);
  }
  uts_counts sum{1, 0, node.height};
  sum += visit_range(tree, node, 0, count);
  return sum;
}

template <class Tree>
uts_counts visit_root_invoke(const Tree& tree) {
  const uts_node root = uts_root(tree.seed);
  uts_counts sum{1, 0, root.height};
  sum += visit_range(tree, root, 0, tree.children_of_root());
  return sum;
}

template <class Tree>
uts_counts visit_frame(const Tree* tree, const uts_node* parent, std::uint32_t index);

template <class Tree>
NOPAL_FORKS void visit_children(const Tree* tree, const uts_node* node, uts_counts* parts,
                                std::uint32_t count) {
  nopal::fork_frame frame;
  const std::uint32_t last = count - 1;
  for (std::uint32_t i = 0; i < last; ++i) {
    frame.fork(&parts[i], visit_frame<Tree>, tree, node, i);
  }
  parts[last] = visit_frame(tree, node, last);
  frame.join();
}

template <class Tree>
uts_counts visit_frame(const Tree* tree, const uts_node* parent, std::uint32_t index) {
  const uts_node node = uts_child(*parent, index);
  const std::uint32_t count = tree->children(node);
  if (count == 0) {
    return uts_leaf(node);
  }
  std::array<uts_counts, Tree::most_children> parts;
  visit_children(tree, &node, parts.data(), count);
  return uts_sum(node, parts.data(), count);
}

template <class Tree>
uts_counts visit_root_frame(const Tree& tree) {
  const uts_node root = uts_root(tree.seed);
  std::vector<uts_counts> parts(tree.children_of_root());
  const auto count = static_cast<std::uint32_t>(parts.size());
  visit_children(&tree, &root, parts.data(), count);
  return uts_sum(root, parts.data(), count);
}

template <class Tree>
const bool enrolled =
    enroll<uts_problem<Tree>, nopal_session>(
        "invoke",
        [](auto& session, auto& p) { p.finish(session.run(visit_root_invoke<Tree>, p.tree)); }) &&
    enroll<uts_problem<Tree>, nopal_session>("frame", [](auto& session, auto& p) {
      p.finish(session.run(visit_root_frame<Tree>, p.tree));
    });

[[maybe_unused]] const bool both = enrolled<geometric_tree> && enrolled<binomial_tree>;

}  // namespace
}  // namespace nopal_bench
