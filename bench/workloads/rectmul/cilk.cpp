// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/opencilk.hpp"
#include "rectmul.hpp"

namespace nopal_bench {
namespace {

void rectmul(const rectmul_product& p) {
  if (is_leaf(p)) {
    multiply(p);
    return;
  }
  const rectmul_product first = p.first_half();
  const rectmul_product second = p.second_half();
  if (p.splits_inner()) {
    rectmul(first);
    rectmul(second);
    return;
  }
  cilk_scope {
    cilk_spawn rectmul(first);
    rectmul(second);
  }
}

[[maybe_unused]] const bool enrolled =
    enroll<rectmul_problem, opencilk_session>("", [](auto& session, auto& p) {
      session.run(rectmul, p.whole());
      p.result = true;
    });

}  // namespace
}  // namespace nopal_bench
