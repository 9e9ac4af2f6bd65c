// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/tbb.hpp"

#include <tbb/parallel_invoke.h>

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
  tbb::parallel_invoke([&] { matmul(p.first_half()); }, [&] { matmul(p.second_half()); });
}

[[maybe_unused]] const bool enrolled =
    enroll<matmul_problem, tbb_session>("invoke", [](auto& session, auto& p) {
      session.run(matmul, p.whole());
      p.result = true;
    });

}  // namespace
}  // namespace nopal_bench
