// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/libfork.hpp"

#include <numeric>

#include "master.hpp"

namespace nopal_bench {
namespace {

template <class Tree>
constexpr auto visit = [](auto visit, unsigned level, std::uint64_t n)
                           LF_STATIC_CALL -> lf::task<std::uint64_t> {
  const std::uint64_t own = master_work(level, n);
  if (level == Tree::depth) {
    co_return own;
  }
  auto [parts] = co_await lf::co_new<std::uint64_t>(Tree::breadth);
  for (unsigned i = 0; i < Tree::breadth; ++i) {
    co_await lf::fork(&parts[i], visit)(level + 1, n);
  }
  co_await lf::join;
  co_return std::accumulate(parts.begin(), parts.end(), own);
};

template <class Tree>
constexpr auto kernel =
    [](auto& session, master_problem<Tree>& p) { p.result = session.run(visit<Tree>, 0U, p.n); };

template <class Tree>
const bool enrolled = enroll<master_problem<Tree>, libfork_lazy>("lazy", kernel<Tree>) &&
                      enroll<master_problem<Tree>, libfork_busy>("busy", kernel<Tree>);

[[maybe_unused]] const bool both = enrolled<master_tree> && enrolled<master_wide_tree>;

}  // namespace
}  // namespace nopal_bench
