// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/openmp.hpp"

#include "fibx.hpp"

namespace nopal_bench {
namespace {

std::uint64_t fibx(int n) {
  if (n < 2) {
    return 1;
  }
  std::uint64_t a = 0;
  std::uint64_t b = 0;
#pragma omp task default(none) shared(a) firstprivate(n)
  a = fibx(n - 1);
  b = fibx(n - fibx_gap);
#pragma omp taskwait
  return a + b;
}

[[maybe_unused]] const bool enrolled = enroll<fibx_problem, openmp_session>(
    "", [](auto& session, auto& p) { p.result = session.run(fibx, int{p.n}); });

}  // namespace
}  // namespace nopal_bench
