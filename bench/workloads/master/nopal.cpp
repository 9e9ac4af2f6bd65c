// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/nopal.hpp"

#include <numeric>

#include "master.hpp"

namespace nopal_bench {
namespace {

template <class Tree>
std::uint64_t visit_invoke(unsigned level, std::uint64_t n);

// Closures fork in pairs, so a loop becomes a tree over its range.
template <class Tree>
std::uint64_t visit_range(unsigned count, unsigned level, std::uint64_t n) {
  if (count == 1) {
    return visit_invoke<Tree>(level, n);
  }
  const unsigned half = count / 2;
  std::uint64_t left = 0;
  std::uint64_t right = 0;
  nopal::parallel_invoke([&] { left = visit_range<Tree>(half, level, n); },
                         [&] { right = visit_range<Tree>(count - half, level, n); });
  return left + right;
}

template <class Tree>
std::uint64_t visit_invoke(unsigned level, std::uint64_t n) {
  const std::uint64_t own = master_work(level, n);
  return level == Tree::depth ? own : own + visit_range<Tree>(Tree::breadth, level + 1, n);
}

template <class Tree>
NOPAL_FORKS std::uint64_t visit_frame(unsigned level, std::uint64_t n) {
  const std::uint64_t own = master_work(level, n);
  if (level == Tree::depth) {
    return own;
  }
  nopal::fork_frame frame;
  std::array<std::uint64_t, Tree::breadth> parts;
  for (unsigned i = 0; i < Tree::breadth; ++i) {
    frame.fork(&parts[i], visit_frame<Tree>, level + 1, n);
  }
  frame.join();
  return std::accumulate(parts.begin(), parts.end(), own);
}

template <class Tree>
std::uint64_t visit_for(unsigned level, std::uint64_t n) {
  const std::uint64_t own = master_work(level, n);
  if (level == Tree::depth) {
    return own;
  }
  std::array<std::uint64_t, Tree::breadth> parts;
  nopal::for_each(parts, [=](std::uint64_t& part) { part = visit_for<Tree>(level + 1, n); });
  return std::accumulate(parts.begin(), parts.end(), own);
}

template <class Tree>
const bool enrolled =
    enroll<master_problem<Tree>, nopal_session>(
        "invoke",
        [](auto& session, auto& p) { p.result = session.run(visit_invoke<Tree>, 0U, p.n); }) &&
    enroll<master_problem<Tree>, nopal_session>(
        "for", [](auto& session, auto& p) { p.result = session.run(visit_for<Tree>, 0U, p.n); }) &&
    enroll<master_problem<Tree>, nopal_session>("frame", [](auto& session, auto& p) {
      p.result = session.run(visit_frame<Tree>, 0U, p.n);
    });

[[maybe_unused]] const bool all =
    enrolled<master_tree> && enrolled<master_wide_tree> && enrolled<master_deep_tree>;

}  // namespace
}  // namespace nopal_bench
