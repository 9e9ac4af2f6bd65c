// SPDX-License-Identifier: Apache-2.0
#include "fib.hpp"
#include "harness/sessions/opencilk.hpp"

namespace nopal_bench {
namespace {

std::uint64_t fib(unsigned n) {
  if (n < 2) {
    return n;
  }
  std::uint64_t a;
  std::uint64_t b;
  cilk_scope {
    a = cilk_spawn fib(n - 1);
    b = fib(n - 2);
  }
  return a + b;
}

[[maybe_unused]] const bool enrolled = enroll<fib_problem, opencilk_session>(
    "", [](auto& session, auto& p) { p.result = session.run(fib, unsigned{p.n}); });

}  // namespace
}  // namespace nopal_bench
