// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/serial.hpp"

#include "matmul.hpp"

namespace nopal_bench {
namespace {

NOPAL_BENCH_CALLED void matmul(const matmul_product& p) {
  if (is_leaf(p)) {
    multiply(p);
    return;
  }
  matmul(p.first_half());
  matmul(p.second_half());
}

[[maybe_unused]] const bool enrolled =
    enroll<matmul_problem, serial_session>("", [](auto& session, auto& p) {
      session.run(matmul, p.whole());
      p.result = true;
    });

}  // namespace
}  // namespace nopal_bench
