// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/libfork.hpp"

#include <vector>

#include "uts.hpp"

namespace nopal_bench {
namespace {

// The children's counts lie on libfork's own stack, by its co_new.
template <class Tree>
constexpr auto visit = [](auto visit, const Tree* tree, const uts_node* parent, std::uint32_t index)
                           LF_STATIC_CALL -> lf::task<uts_counts> {
  const uts_node node = uts_child(*parent, index);
  const std::uint32_t count = tree->children(node);
  if (count == 0) {
    co_return uts_leaf(node);
  }
  auto [parts] = co_await lf::co_new<uts_counts>(count);
  const std::uint32_t last = count - 1;
  for (std::uint32_t i = 0; i < last; ++i) {
    co_await lf::fork(&parts[i], visit)(tree, &node, i);
  }
  co_await lf::call(&parts[last], visit)(tree, &node, last);
  co_await lf::join;
  co_return uts_sum(node, parts.data(), count);
};

template <class Tree>
constexpr auto visit_root = [](auto, const Tree* tree) LF_STATIC_CALL -> lf::task<uts_counts> {
  const uts_node root = uts_root(tree->seed);
  const std::uint32_t count = tree->children_of_root();
  auto [parts] = co_await lf::co_new<uts_counts>(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    co_await lf::fork(&parts[i], visit<Tree>)(tree, &root, i);
  }
  co_await lf::join;
  co_return uts_sum(root, parts.data(), count);
};

// Does the same with the counts on the heap.
template <class Tree>
constexpr auto visit_heap = [](auto visit, const Tree* tree, const uts_node* parent,
                               std::uint32_t index) LF_STATIC_CALL -> lf::task<uts_counts> {
  const uts_node node = uts_child(*parent, index);
  const std::uint32_t count = tree->children(node);
  if (count == 0) {
    co_return uts_leaf(node);
  }
  std::vector<uts_counts> parts(count);
  const std::uint32_t last = count - 1;
  for (std::uint32_t i = 0; i < last; ++i) {
    co_await lf::fork(&parts[i], visit)(tree, &node, i);
  }
  co_await lf::call(&parts[last], visit)(tree, &node, last);
  co_await lf::join;
  co_return uts_sum(node, parts.data(), count);
};

template <class Tree>
constexpr auto visit_root_heap = [](auto, const Tree* tree) LF_STATIC_CALL -> lf::task<uts_counts> {
  const uts_node root = uts_root(tree->seed);
  const std::uint32_t count = tree->children_of_root();
  std::vector<uts_counts> parts(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    co_await lf::fork(&parts[i], visit_heap<Tree>)(tree, &root, i);
  }
  co_await lf::join;
  co_return uts_sum(root, parts.data(), count);
};

template <class Tree>
constexpr auto kernel = [](auto& session, uts_problem<Tree>& p) {
  const Tree* tree = &p.tree;
  p.finish(session.run(visit_root<Tree>, tree));
};

template <class Tree>
constexpr auto kernel_heap = [](auto& session, uts_problem<Tree>& p) {
  const Tree* tree = &p.tree;
  p.finish(session.run(visit_root_heap<Tree>, tree));
};

template <class Tree>
const bool enrolled = enroll<uts_problem<Tree>, libfork_lazy>("lazy", kernel<Tree>) &&
                      enroll<uts_problem<Tree>, libfork_busy>("busy", kernel<Tree>) &&
                      enroll<uts_problem<Tree>, libfork_lazy>("lazy-heap", kernel_heap<Tree>) &&
                      enroll<uts_problem<Tree>, libfork_busy>("busy-heap", kernel_heap<Tree>);

[[maybe_unused]] const bool both = enrolled<geometric_tree> && enrolled<binomial_tree>;

}  // namespace
}  // namespace nopal_bench
