// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/serial.hpp"

#include "uts.hpp"

namespace nopal_bench {
namespace {

template <class Tree>
NOPAL_BENCH_CALLED uts_counts visit(const Tree& tree, const uts_node& parent, std::uint32_t index) {
  const uts_node node = uts_child(parent, index);
  const std::uint32_t count = tree.children(node);
  if (count == 0) {
    return uts_leaf(node);
  }
  uts_counts sum{1, 0, node.height};
  for (std::uint32_t i = 0; i < count; ++i) {
    sum += visit(tree, node, i);
  }
  return sum;
}

template <class Tree>
uts_counts visit_root(const Tree& tree) {
  const uts_node root = uts_root(tree.seed);
  uts_counts sum{1, 0, root.height};
  for (std::uint32_t i = 0, count = tree.children_of_root(); i < count; ++i) {
    sum += visit(tree, root, i);
  }
  return sum;
}

template <class Tree>
const bool enrolled = enroll<uts_problem<Tree>, serial_session>(
    "", [](auto& session, auto& p) { p.finish(session.run(visit_root<Tree>, p.tree)); });

[[maybe_unused]] const bool both = enrolled<geometric_tree> && enrolled<binomial_tree>;

}  // namespace
}  // namespace nopal_bench
