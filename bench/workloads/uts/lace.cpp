// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/lace.hpp"

#include <vector>

#include "uts.hpp"

namespace nopal_bench {
namespace {

// Lace's tasks are no templates, so there are two for each kind of tree. The last child is called;
// SYNC gives the others from the last back to the first.
#define NOPAL_BENCH_UTS(Tree, visit, visit_root)                                                \
  TASK_3(uts_counts, visit, const Tree*, tree, const uts_node*, parent, std::uint32_t, index) { \
    const uts_node node = uts_child(*parent, index);                                            \
    const std::uint32_t count = tree->children(node);                                           \
    if (count == 0) {                                                                           \
      return uts_leaf(node);                                                                    \
    }                                                                                           \
    std::array<uts_counts, Tree::most_children> parts;                                          \
    for (std::uint32_t i = 0; i < count - 1; ++i) {                                             \
      SPAWN(visit, tree, &node, i);                                                             \
    }                                                                                           \
    parts[count - 1] = CALL(visit, tree, &node, count - 1);                                     \
    for (std::uint32_t i = count - 1; i-- > 0;) {                                               \
      parts[i] = SYNC(visit);                                                                   \
    }                                                                                           \
    return uts_sum(node, parts.data(), count);                                                  \
  }                                                                                             \
  TASK_1(uts_counts, visit_root, const Tree*, tree) {                                           \
    const uts_node root = uts_root(tree->seed);                                                 \
    std::vector<uts_counts> parts(tree->children_of_root());                                    \
    const auto count = static_cast<std::uint32_t>(parts.size());                                \
    for (std::uint32_t i = 0; i < count; ++i) {                                                 \
      SPAWN(visit, tree, &root, i);                                                             \
    }                                                                                           \
    for (std::uint32_t i = count; i-- > 0;) {                                                   \
      parts[i] = SYNC(visit);                                                                   \
    }                                                                                           \
    return uts_sum(root, parts.data(), count);                                                  \
  }                                                                                             \
  [[maybe_unused]] const bool visit_root##_enrolled = enroll<uts_problem<Tree>, lace_session>(  \
      "spawn",                                                                                  \
      [](auto&, auto& p) { p.finish(RUN(visit_root, static_cast<const Tree*>(&p.tree))); });

NOPAL_BENCH_UTS(geometric_tree, visit_geometric, visit_geometric_root)
NOPAL_BENCH_UTS(binomial_tree, visit_binomial, visit_binomial_root)

}  // namespace
}  // namespace nopal_bench
