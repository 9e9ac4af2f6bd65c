// SPDX-License-Identifier: Apache-2.0
#include <numeric>

#include "harness/sessions/nopal.hpp"
#include "master.hpp"

namespace nopal_bench {
namespace {

template <class Tree>
nopal::task<std::uint64_t> visit_task(unsigned level, std::uint64_t n) {
  const std::uint64_t own = master_work(level, n);
  if (level == Tree::depth) {
    co_return own;
  }
  auto parts = co_await nopal::allocate<std::uint64_t>(Tree::breadth);
  for (unsigned i = 0; i < Tree::breadth; ++i) {
    co_await nopal::fork(&parts[i], visit_task<Tree>, level + 1, n);
  }
  co_await nopal::join();
  co_return std::accumulate(parts.begin(), parts.end(), own);
}

template <class Tree>
const bool enrolled = enroll<master_problem<Tree>, nopal_session>(
    "task", [](auto& session, auto& p) { p.result = session.run(visit_task<Tree>, 0U, p.n); });

[[maybe_unused]] const bool both = enrolled<master_tree> && enrolled<master_wide_tree>;

}  // namespace
}  // namespace nopal_bench
