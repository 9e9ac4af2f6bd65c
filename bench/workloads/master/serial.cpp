// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/serial.hpp"

#include "master.hpp"

namespace nopal_bench {
namespace {

template <class Tree>
NOPAL_BENCH_CALLED std::uint64_t visit(unsigned level, std::uint64_t n) {
  std::uint64_t sum = master_work(level, n);
  if (level == Tree::depth) {
    return sum;
  }
  for (unsigned i = 0; i < Tree::breadth; ++i) {
    sum += visit<Tree>(level + 1, n);
  }
  return sum;
}

template <class Tree>
const bool enrolled = enroll<master_problem<Tree>, serial_session>(
    "", [](auto& session, auto& p) { p.result = session.run(visit<Tree>, 0U, p.n); });

[[maybe_unused]] const bool all =
    enrolled<master_tree> && enrolled<master_wide_tree> && enrolled<master_deep_tree>;

}  // namespace
}  // namespace nopal_bench
