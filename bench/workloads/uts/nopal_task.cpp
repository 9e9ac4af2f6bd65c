// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/nopal.hpp"
#include "uts.hpp"

namespace nopal_bench {
namespace {

// The children's counts lie on the task's own stack.
template <class Tree>
nopal::task<uts_counts> visit_task(const Tree* tree, const uts_node* parent, std::uint32_t index) {
  const uts_node node = uts_child(*parent, index);
  const std::uint32_t count = tree->children(node);
  if (count == 0) {
    co_return uts_leaf(node);
  }
  auto parts = co_await nopal::allocate<uts_counts>(count);
  const std::uint32_t last = count - 1;
  for (std::uint32_t i = 0; i < last; ++i) {
    co_await nopal::fork(&parts[i], visit_task<Tree>, tree, &node, i);
  }
  co_await nopal::call(&parts[last], visit_task<Tree>, tree, &node, last);
  co_await nopal::join();
  co_return uts_sum(node, parts.data(), count);
}

template <class Tree>
nopal::task<uts_counts> visit_root_task(const Tree* tree) {
  const uts_node root = uts_root(tree->seed);
  const std::uint32_t count = tree->children_of_root();
  auto parts = co_await nopal::allocate<uts_counts>(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    co_await nopal::fork(&parts[i], visit_task<Tree>, tree, &root, i);
  }
  co_await nopal::join();
  co_return uts_sum(root, parts.data(), count);
}

template <class Tree>
const bool enrolled = enroll<uts_problem<Tree>, nopal_session>("task", [](auto& session, auto& p) {
  const Tree* tree = &p.tree;
  p.finish(session.run(visit_root_task<Tree>, tree));
});

[[maybe_unused]] const bool both = enrolled<geometric_tree> && enrolled<binomial_tree>;

}  // namespace
}  // namespace nopal_bench
