// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/opencilk.hpp"
#include "strassen.hpp"

namespace nopal_bench {
namespace {

void strassen(const strassen_product& p);

void multiply_factors(const strassen_level& level, std::size_t i) {
  const strassen_factors factors(level, i);
  strassen(factors.product());
}

void strassen(const strassen_product& p) {
  if (is_leaf(p)) {
    multiply(p);
    return;
  }
  const strassen_level level(p);
  constexpr std::size_t last = strassen_products - 1;
  cilk_scope {
    for (std::size_t i = 0; i < last; ++i) {
      cilk_spawn multiply_factors(level, i);
    }
    multiply_factors(level, last);
  }
  const std::size_t rows = level.half;
  const std::size_t rows_at_a_time = level.rows_at_a_time();
#pragma cilk grainsize 1
  cilk_for(std::size_t i = 0; i < rows; i += rows_at_a_time) {
    add_up_results(level, i, std::min(i + rows_at_a_time, rows));
  }
}

[[maybe_unused]] const bool enrolled =
    enroll<strassen_problem, opencilk_session>("", [](auto& session, auto& p) {
      session.run(strassen, p.whole());
      p.result = true;
    });

}  // namespace
}  // namespace nopal_bench
