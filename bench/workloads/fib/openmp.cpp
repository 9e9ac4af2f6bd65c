// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/openmp.hpp"

#include "fib.hpp"

namespace nopal_bench {
namespace {

std::uint64_t fib(unsigned n) {
  if (n < 2) {
    return n;
  }
  std::uint64_t a;
  std::uint64_t b;
#pragma omp task default(none) shared(a) firstprivate(n)
  a = fib(n - 1);
  b = fib(n - 2);
#pragma omp taskwait
  return a + b;
}

[[maybe_unused]] const bool enrolled = enroll<fib_problem, openmp_session>(
    "", [](auto& session, auto& p) { p.result = session.run(fib, unsigned{p.n}); });

}  // namespace
}  // namespace nopal_bench
