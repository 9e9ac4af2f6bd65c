// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/openmp.hpp"

#include "matmul.hpp"

namespace nopal_bench {
namespace {

void matmul(const matmul_product& p) {
  if (is_leaf(p)) {
    multiply(p);
    return;
  }
  if (p.splits_inner()) {
    matmul(p.first_half());
    matmul(p.second_half());
    return;
  }
#pragma omp task default(none) shared(p)
  matmul(p.first_half());
  matmul(p.second_half());
#pragma omp taskwait
}

[[maybe_unused]] const bool enrolled =
    enroll<matmul_problem, openmp_session>("", [](auto& session, auto& p) {
      session.run(matmul, p.whole());
      p.result = true;
    });

}  // namespace
}  // namespace nopal_bench
