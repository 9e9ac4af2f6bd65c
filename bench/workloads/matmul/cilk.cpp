// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/opencilk.hpp"
#include "matmul.hpp"

namespace nopal_bench {
namespace {

void matmul(const matmul_product& p) {
  if (is_leaf(p)) {
    multiply(p);
    return;
  }
  const matmul_product first = p.first_half();
  const matmul_product second = p.second_half();
  if (p.splits_inner()) {
    matmul(first);
    matmul(second);
    return;
  }
  cilk_scope {
    cilk_spawn matmul(first);
    matmul(second);
  }
}

[[maybe_unused]] const bool enrolled =
    enroll<matmul_problem, opencilk_session>("", [](auto& session, auto& p) {
      session.run(matmul, p.whole());
      p.result = true;
    });

}  // namespace
}  // namespace nopal_bench
