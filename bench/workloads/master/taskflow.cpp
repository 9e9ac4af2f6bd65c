// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/taskflow.hpp"

#include <numeric>

#include "master.hpp"

namespace nopal_bench {
namespace {

template <class Tree>
using parts_of = std::array<std::uint64_t, Tree::breadth>;

template <class Tree>
std::uint64_t visit_group(unsigned level, std::uint64_t n) {
  const std::uint64_t own = master_work(level, n);
  if (level == Tree::depth) {
    return own;
  }
  parts_of<Tree> parts;
  tf::TaskGroup group = taskflow_group();
  for (unsigned i = 0; i < Tree::breadth; ++i) {
    group.silent_async([&parts, i, level, n] { parts[i] = visit_group<Tree>(level + 1, n); });
  }
  group.corun();
  return std::accumulate(parts.begin(), parts.end(), own);
}

template <class Tree>
std::uint64_t visit_for(unsigned level, std::uint64_t n) {
  const std::uint64_t own = master_work(level, n);
  if (level == Tree::depth) {
    return own;
  }
  parts_of<Tree> parts;
  tf::Taskflow loop;
  loop.for_each_index(0U, Tree::breadth, 1U,
                      [&](unsigned i) { parts[i] = visit_for<Tree>(level + 1, n); });
  taskflow_session::executor().corun(loop);
  return std::accumulate(parts.begin(), parts.end(), own);
}

template <class Tree>
const bool enrolled =
    enroll<master_problem<Tree>, taskflow_session>(
        "group",
        [](auto& session, auto& p) { p.result = session.run(visit_group<Tree>, 0U, p.n); }) &&
    enroll<master_problem<Tree>, taskflow_session>(
        "for", [](auto& session, auto& p) { p.result = session.run(visit_for<Tree>, 0U, p.n); });

[[maybe_unused]] const bool both = enrolled<master_tree> && enrolled<master_wide_tree>;

}  // namespace
}  // namespace nopal_bench
