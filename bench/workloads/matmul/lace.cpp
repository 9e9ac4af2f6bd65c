// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/lace.hpp"

#include "matmul.hpp"

namespace nopal_bench {
namespace {

// A task finds its product in the caller's frame.
VOID_TASK_1(matmul_lace, const matmul_product*, p) {
  if (is_leaf(*p)) {
    multiply(*p);
    return;
  }
  const matmul_product first = p->first_half();
  const matmul_product second = p->second_half();
  if (p->splits_inner()) {
    CALL(matmul_lace, &first);
    CALL(matmul_lace, &second);
    return;
  }
  SPAWN(matmul_lace, &first);
  CALL(matmul_lace, &second);
  SYNC(matmul_lace);
}

[[maybe_unused]] const bool enrolled =
    enroll<matmul_problem, lace_session>("spawn", [](auto&, auto& p) {
      const matmul_product whole = p.whole();
      RUN(matmul_lace, &whole);
      p.result = true;
    });

}  // namespace
}  // namespace nopal_bench
