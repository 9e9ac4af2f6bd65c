// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/tbb.hpp"

#include <tbb/parallel_for.h>
#include <tbb/task_group.h>

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
  tbb::task_group group;
  for (unsigned i = 0; i < Tree::breadth; ++i) {
    group.run([&parts, i, level, n] { parts[i] = visit_group<Tree>(level + 1, n); });
  }
  group.wait();
  return std::accumulate(parts.begin(), parts.end(), own);
}

template <class Tree>
std::uint64_t visit_for(unsigned level, std::uint64_t n) {
  const std::uint64_t own = master_work(level, n);
  if (level == Tree::depth) {
    return own;
  }
  parts_of<Tree> parts;
  tbb::parallel_for(0U, Tree::breadth,
                    [&](unsigned i) { parts[i] = visit_for<Tree>(level + 1, n); });
  return std::accumulate(parts.begin(), parts.end(), own);
}

template <class Tree>
const bool enrolled =
    enroll<master_problem<Tree>, tbb_session>(
        "group",
        [](auto& session, auto& p) { p.result = session.run(visit_group<Tree>, 0U, p.n); }) &&
    enroll<master_problem<Tree>, tbb_session>(
        "for", [](auto& session, auto& p) { p.result = session.run(visit_for<Tree>, 0U, p.n); });

[[maybe_unused]] const bool both = enrolled<master_tree> && enrolled<master_wide_tree>;

}  // namespace
}  // namespace nopal_bench
