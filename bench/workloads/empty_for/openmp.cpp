// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/openmp.hpp"

#include "empty_for.hpp"

namespace nopal_bench {
namespace {

void for_each(std::uint8_t* first, std::uint8_t* last) {
  const auto n = static_cast<std::size_t>(last - first);
#pragma omp taskloop default(none) firstprivate(first, n) grainsize(1)
  for (std::size_t i = 0; i < n; ++i) {
    empty_body(first[i]);
  }
}

[[maybe_unused]] const bool enrolled = enroll<empty_for_problem, openmp_session>(
    "", [](auto& session, auto& p) { run_empty_for(session, p, for_each); });

}  // namespace
}  // namespace nopal_bench
