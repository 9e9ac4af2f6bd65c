// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/toomanycooks.hpp"

#include <numeric>
#include <tmc/fork_group.hpp>
#include <tmc/spawn_many.hpp>

#include "master.hpp"

namespace nopal_bench {
namespace {

template <class Tree>
tmc::task<std::uint64_t> visit_group(unsigned level, std::uint64_t n) {
  const std::uint64_t own = master_work(level, n);
  if (level == Tree::depth) {
    co_return own;
  }
  auto group = tmc::fork_group<Tree::breadth, std::uint64_t>();
  for (unsigned i = 0; i < Tree::breadth; ++i) {
    group.fork(visit_group<Tree>(level + 1, n));
  }
  const auto parts = co_await std::move(group);
  co_return std::accumulate(parts.begin(), parts.end(), own);
}

template <class Tree>
tmc::task<std::uint64_t> visit_many(unsigned level, std::uint64_t n) {
  const std::uint64_t own = master_work(level, n);
  if (level == Tree::depth) {
    co_return own;
  }
  const auto visit = [level, n](unsigned) { return visit_many<Tree>(level + 1, n); };
  const auto parts = co_await tmc::spawn_many<Tree::breadth>(tmc::iter_adapter(0U, visit));
  co_return std::accumulate(parts.begin(), parts.end(), own);
}

template <class Tree>
constexpr auto kernel_group =
    [](auto& session, auto& p) { p.result = session.run(visit_group<Tree>, 0U, p.n); };

template <class Tree>
constexpr auto kernel_many =
    [](auto& session, auto& p) { p.result = session.run(visit_many<Tree>, 0U, p.n); };

template <class Tree>
const bool enrolled = enroll<master_problem<Tree>, tmc_session>("group", kernel_group<Tree>) &&
                      enroll<master_problem<Tree>, tmc_session>("many", kernel_many<Tree>);

[[maybe_unused]] const bool both = enrolled<master_tree> && enrolled<master_wide_tree>;

}  // namespace
}  // namespace nopal_bench
