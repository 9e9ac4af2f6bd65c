// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/tbb.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_invoke.h>

#include <utility>

#include "strassen.hpp"

namespace nopal_bench {
namespace {

void strassen(const strassen_product& p) {
  if (is_leaf(p)) {
    multiply(p);
    return;
  }
  const strassen_level level(p);
  const auto multiply_factors = [&level](std::size_t i) {
    const strassen_factors factors(level, i);
    strassen(factors.product());
  };
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    tbb::parallel_invoke([&] { multiply_factors(I); }...);
  }(std::make_index_sequence<strassen_products>{});
  tbb::parallel_for(
      tbb::blocked_range<std::size_t>(0, level.half, level.rows_at_a_time()),
      [&level](const auto& rows) { add_up_results(level, rows.begin(), rows.end()); });
}

[[maybe_unused]] const bool enrolled =
    enroll<strassen_problem, tbb_session>("invoke", [](auto& session, auto& p) {
      session.run(strassen, p.whole());
      p.result = true;
    });

}  // namespace
}  // namespace nopal_bench
