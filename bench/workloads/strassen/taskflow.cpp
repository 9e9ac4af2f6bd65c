// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/taskflow.hpp"

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
  tf::TaskGroup group = taskflow_group();
  for (std::size_t i = 0; i < last; ++i) {
    group.silent_async([&level, i] { multiply_factors(level, i); });
  }
  multiply_factors(level, last);
  group.corun();
  taskflow_for(0, level.half, level.rows_at_a_time(),
               [&level](std::size_t first, std::size_t last_row) {
                 add_up_results(level, first, last_row);
               });
}

[[maybe_unused]] const bool enrolled =
    enroll<strassen_problem, taskflow_session>("group", [](auto& session, auto& p) {
      session.run(strassen, p.whole());
      p.result = true;
    });

}  // namespace
}  // namespace nopal_bench
