// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/toomanycooks.hpp"

#include <tmc/spawn_many.hpp>

#include "strassen.hpp"

namespace nopal_bench {
namespace {

tmc::task<void> strassen(strassen_product p);

tmc::task<void> multiply_factors(const strassen_level* level, std::size_t i) {
  const strassen_factors factors(*level, i);
  co_await strassen(factors.product());
}

tmc::task<void> strassen(strassen_product p) {
  if (is_leaf(p)) {
    multiply(p);
    co_return;
  }
  const strassen_level level(p);
  const auto factors = [&level](std::size_t i) { return multiply_factors(&level, i); };
  co_await tmc::spawn_many<strassen_products>(tmc::iter_adapter(std::size_t{0}, factors));
  co_await tmc_for_blocks(
      0, level.half, level.rows_at_a_time(),
      [&level](std::size_t first, std::size_t last) { add_up_results(level, first, last); });
}

[[maybe_unused]] const bool enrolled =
    enroll<strassen_problem, tmc_session>("many", [](auto& session, auto& p) {
      session.run(strassen, p.whole());
      p.result = true;
    });

}  // namespace
}  // namespace nopal_bench
