// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/openmp.hpp"

#include <numeric>

#include "master.hpp"

namespace nopal_bench {
namespace {

template <class Tree>
std::uint64_t visit(unsigned level, std::uint64_t n) {
  const std::uint64_t own = master_work(level, n);
  if (level == Tree::depth) {
    return own;
  }
  std::array<std::uint64_t, Tree::breadth> parts;
  for (unsigned i = 0; i < Tree::breadth; ++i) {
#pragma omp task default(none) shared(parts) firstprivate(i, level, n)
    parts[i] = visit<Tree>(level + 1, n);
  }
#pragma omp taskwait
  return std::accumulate(parts.begin(), parts.end(), own);
}

template <class Tree>
const bool enrolled = enroll<master_problem<Tree>, openmp_session>(
    "", [](auto& session, auto& p) { p.result = session.run(visit<Tree>, 0U, p.n); });

[[maybe_unused]] const bool both = enrolled<master_tree> && enrolled<master_wide_tree>;

}  // namespace
}  // namespace nopal_bench
