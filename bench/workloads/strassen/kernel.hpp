// SPDX-License-Identifier: Apache-2.0
#include "harness/runtimes/kernel.hpp"
#include "strassen.hpp"

namespace nopal_bench {
namespace {

BENCH_DECLARE(void, strassen, (passed<strassen_product> p));

BENCH_KERNEL(void, multiply_factors, (const strassen_level* level, std::size_t i)) {
  const strassen_factors factors(*level, i);
  BENCH_CALL(strassen, (factors.product()));
}

BENCH_DEFINE(void, strassen, (passed<strassen_product> p)) {
  if (is_leaf(p)) {
    multiply(p);
    BENCH_RETURN;
  }
  const strassen_level level(p);
  BENCH_FORK_ALL(strassen_products, i, multiply_factors, (&level, i));
  BENCH_LOOP(std::size_t{0}, level.half, level.rows_at_a_time(), add_up_results, level);
}

[[maybe_unused]] const bool enrolled =
    enroll_kernel<strassen_problem, widest::all>([](auto& session, auto& p) {
      session.run(strassen, p.whole());
      p.result = true;
    });

}  // namespace
}  // namespace nopal_bench
