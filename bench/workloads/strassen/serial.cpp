// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/serial.hpp"

#include "strassen.hpp"

namespace nopal_bench {
namespace {

NOPAL_BENCH_CALLED void strassen(const strassen_product& p) {
  if (is_leaf(p)) {
    multiply(p);
    return;
  }
  const strassen_level level(p);
  for (std::size_t i = 0; i < strassen_products; ++i) {
    const strassen_factors factors(level, i);
    strassen(factors.product());
  }
  add_up_results(level, 0, level.half);
}

[[maybe_unused]] const bool enrolled =
    enroll<strassen_problem, serial_session>("", [](auto& session, auto& p) {
      session.run(strassen, p.whole());
      p.result = true;
    });

}  // namespace
}  // namespace nopal_bench
