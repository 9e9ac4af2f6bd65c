// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/openmp.hpp"

#include <vector>

#include "uts.hpp"

namespace nopal_bench {
namespace {

template <class Tree>
uts_counts visit(const Tree& tree, const uts_node& parent, std::uint32_t index);

template <class Tree>
void visit_children(const Tree& tree, const uts_node& node, uts_counts* parts,
                    std::uint32_t count) {
  const std::uint32_t last = count - 1;
  for (std::uint32_t i = 0; i < last; ++i) {
#pragma omp task default(none) shared(tree, node) firstprivate(parts, i)
    parts[i] = visit(tree, node, i);
  }
  parts[last] = visit(tree, node, last);
#pragma omp taskwait
}

template <class Tree>
uts_counts visit(const Tree& tree, const uts_node& parent, std::uint32_t index) {
  const uts_node node = uts_child(parent, index);
  const std::uint32_t count = tree.children(node);
  if (count == 0) {
    return uts_leaf(node);
  }
  std::array<uts_counts, Tree::most_children> parts;
  visit_children(tree, node, parts.data(), count);
  return uts_sum(node, parts.data(), count);
}

template <class Tree>
uts_counts visit_root(const Tree& tree) {
  const uts_node root = uts_root(tree.seed);
  std::vector<uts_counts> parts(tree.children_of_root());
  const auto count = static_cast<std::uint32_t>(parts.size());
  visit_children(tree, root, parts.data(), count);
  return uts_sum(root, parts.data(), count);
}

template <class Tree>
const bool enrolled = enroll<uts_problem<Tree>, openmp_session>(
    "", [](auto& session, auto& p) { p.finish(session.run(visit_root<Tree>, p.tree)); });

[[maybe_unused]] const bool both = enrolled<geometric_tree> && enrolled<binomial_tree>;

}  // namespace
}  // namespace nopal_bench
