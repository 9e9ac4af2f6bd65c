// SPDX-License-Identifier: Apache-2.0
#include "fibx.hpp"
#include "harness/sessions/opencilk.hpp"

namespace nopal_bench {
namespace {

std::uint64_t fibx(int n) {
  if (n < 2) {
    return 1;
  }
  std::uint64_t a;
  std::uint64_t b;
  cilk_scope {
    a = cilk_spawn fibx(n - 1);
    b = fibx(n - fibx_gap);
  }
  return a + b;
}

[[maybe_unused]] const bool enrolled = enroll<fibx_problem, opencilk_session>(
    "", [](auto& session, auto& p) { p.result = session.run(fibx, int{p.n}); });

}  // namespace
}  // namespace nopal_bench
