// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/toomanycooks.hpp"

#include <tmc/spawn_many.hpp>

#include "uts.hpp"

namespace nopal_bench {
namespace {

// The results are a vector: an array for the most children that there can be takes longer, because
// most nodes have far fewer.
template <class Tree>
tmc::task<uts_counts> visit(const Tree* tree, const uts_node* parent, std::uint32_t index) {
  const uts_node node = uts_child(*parent, index);
  const std::uint32_t count = tree->children(node);
  if (count == 0) {
    co_return uts_leaf(node);
  }
  const auto child = [tree, &node](std::uint32_t i) { return visit(tree, &node, i); };
  const auto parts = co_await tmc::spawn_many(tmc::iter_adapter(0U, child), count);
  co_return uts_sum(node, parts.data(), count);
}

template <class Tree>
tmc::task<uts_counts> visit_root(const Tree* tree) {
  const uts_node root = uts_root(tree->seed);
  const std::uint32_t count = tree->children_of_root();
  const auto child = [tree, &root](std::uint32_t i) { return visit(tree, &root, i); };
  const auto parts = co_await tmc::spawn_many(tmc::iter_adapter(0U, child), count);
  co_return uts_sum(root, parts.data(), count);
}

template <class Tree>
const bool enrolled = enroll<uts_problem<Tree>, tmc_session>("many", [](auto& session, auto& p) {
  const Tree* tree = &p.tree;
  p.finish(session.run(visit_root<Tree>, tree));
});

[[maybe_unused]] const bool both = enrolled<geometric_tree> && enrolled<binomial_tree>;

}  // namespace
}  // namespace nopal_bench
