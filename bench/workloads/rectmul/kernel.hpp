// SPDX-License-Identifier: Apache-2.0
#include "harness/runtimes/kernel.hpp"
#include "rectmul.hpp"

namespace nopal_bench {
namespace {

BENCH_KERNEL(void, rectmul, (passed<rectmul_product> p)) {
  if (is_leaf(p)) {
    multiply(p);
    BENCH_RETURN;
  }
  if (p.splits_inner()) {
    BENCH_CALL(rectmul, (p.first_half()));
    BENCH_CALL(rectmul, (p.second_half()));
    BENCH_RETURN;
  }
  BENCH_FORK_TWO(rectmul, (p.first_half()), rectmul, (p.second_half()));
}

[[maybe_unused]] const bool enrolled =
    enroll_kernel<rectmul_problem, widest::two>([](auto& session, auto& p) {
      session.run(rectmul, p.whole());
      p.result = true;
    });

}  // namespace
}  // namespace nopal_bench
