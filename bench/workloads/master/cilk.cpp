// SPDX-License-Identifier: Apache-2.0
#include <numeric>

#include "harness/sessions/opencilk.hpp"
#include "master.hpp"

namespace nopal_bench {
namespace {

template <class Tree>
using parts_of = std::array<std::uint64_t, Tree::breadth>;

template <class Tree>
std::uint64_t visit_spawn(unsigned level, std::uint64_t n) {
  const std::uint64_t own = master_work(level, n);
  if (level == Tree::depth) {
    return own;
  }
  parts_of<Tree> parts;
  cilk_scope {
    for (unsigned i = 0; i < Tree::breadth; ++i) {
      parts[i] = cilk_spawn visit_spawn<Tree>(level + 1, n);
    }
  }
  return std::accumulate(parts.begin(), parts.end(), own);
}

template <class Tree>
std::uint64_t visit_for(unsigned level, std::uint64_t n) {
  const std::uint64_t own = master_work(level, n);
  if (level == Tree::depth) {
    return own;
  }
  parts_of<Tree> parts;
  cilk_for (unsigned i = 0; i < Tree::breadth; ++i) {
    parts[i] = visit_for<Tree>(level + 1, n);
  }
  return std::accumulate(parts.begin(), parts.end(), own);
}

template <class Tree>
const bool enrolled =
    enroll<master_problem<Tree>, opencilk_session>(
        "", [](auto& session, auto& p) { p.result = session.run(visit_spawn<Tree>, 0U, p.n); }) &&
    enroll<master_problem<Tree>, opencilk_session>(
        "for", [](auto& session, auto& p) { p.result = session.run(visit_for<Tree>, 0U, p.n); });

[[maybe_unused]] const bool both = enrolled<master_tree> && enrolled<master_wide_tree>;

}  // namespace
}  // namespace nopal_bench
