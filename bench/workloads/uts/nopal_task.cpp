// SPDX-License-Identifier: Apache-2.0
#include <type_traits>
#include <vector>

#include "harness/sessions/nopal.hpp"
#include "uts.hpp"

namespace nopal_bench {
namespace {

/// What the heap has of the counts of a node's children if they are on the task's own stack.
struct none_on_heap {
  explicit none_on_heap(std::uint32_t) {}
  static uts_counts* data() { return nullptr; }
};
template <bool OnHeap>
using heap_counts = std::conditional_t<OnHeap, std::vector<uts_counts>, none_on_heap>;

// The counts of a node's children are on the heap if OnHeap, and otherwise on the task's own stack.
template <bool OnHeap, class Tree>
nopal::task<uts_counts> visit_task(const Tree* tree, const uts_node* parent, std::uint32_t index) {
  const uts_node node = uts_child(*parent, index);
  const std::uint32_t count = tree->children(node);
  if (count == 0) {
    co_return uts_leaf(node);
  }
  heap_counts<OnHeap> heap(count);
  auto stack = co_await nopal::allocate<uts_counts>(OnHeap ? 0 : count);
  uts_counts* parts = OnHeap ? heap.data() : stack.data();
  const std::uint32_t last = count - 1;
  for (std::uint32_t i = 0; i < last; ++i) {
    co_await nopal::fork(&parts[i], visit_task<OnHeap, Tree>, tree, &node, i);
  }
  co_await nopal::call(&parts[last], visit_task<OnHeap, Tree>, tree, &node, last);
  co_await nopal::join();
  co_return uts_sum(node, parts, count);
}

template <bool OnHeap, class Tree>
nopal::task<uts_counts> visit_root_task(const Tree* tree) {
  const uts_node root = uts_root(tree->seed);
  const std::uint32_t count = tree->children_of_root();
  heap_counts<OnHeap> heap(count);
  auto stack = co_await nopal::allocate<uts_counts>(OnHeap ? 0 : count);
  uts_counts* parts = OnHeap ? heap.data() : stack.data();
  for (std::uint32_t i = 0; i < count; ++i) {
    co_await nopal::fork(&parts[i], visit_task<OnHeap, Tree>, tree, &root, i);
  }
  co_await nopal::join();
  co_return uts_sum(root, parts, count);
}

template <bool OnHeap, class Tree>
constexpr auto kernel = [](auto& session, uts_problem<Tree>& p) {
  const Tree* tree = &p.tree;
  p.finish(session.run(visit_root_task<OnHeap, Tree>, tree));
};

template <class Tree>
const bool enrolled = enroll<uts_problem<Tree>, nopal_session>("task", kernel<false, Tree>) &&
                      enroll<uts_problem<Tree>, nopal_session>("task-heap", kernel<true, Tree>);

[[maybe_unused]] const bool both = enrolled<geometric_tree> && enrolled<binomial_tree>;

}  // namespace
}  // namespace nopal_bench
