// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/openmp.hpp"

#include "rectmul.hpp"

namespace nopal_bench {
namespace {

void rectmul(const rectmul_product& p) {
  if (is_leaf(p)) {
    multiply(p);
    return;
  }
  if (p.splits_inner()) {
    rectmul(p.first_half());
    rectmul(p.second_half());
    return;
  }
#pragma omp task default(none) shared(p)
  rectmul(p.first_half());
  rectmul(p.second_half());
#pragma omp taskwait
}

[[maybe_unused]] const bool enrolled =
    enroll<rectmul_problem, openmp_session>("", [](auto& session, auto& p) {
      session.run(rectmul, p.whole());
      p.result = true;
    });

}  // namespace
}  // namespace nopal_bench
