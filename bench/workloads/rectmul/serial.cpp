// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/serial.hpp"

#include "rectmul.hpp"

namespace nopal_bench {
namespace {

NOPAL_BENCH_CALLED void rectmul(const rectmul_product& p) {
  if (is_leaf(p)) {
    multiply(p);
    return;
  }
  rectmul(p.first_half());
  rectmul(p.second_half());
}

[[maybe_unused]] const bool enrolled =
    enroll<rectmul_problem, serial_session>("", [](auto& session, auto& p) {
      session.run(rectmul, p.whole());
      p.result = true;
    });

}  // namespace
}  // namespace nopal_bench
