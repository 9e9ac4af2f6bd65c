// SPDX-License-Identifier: Apache-2.0
#include "harness/runtimes/kernel.hpp"
#include "matmul.hpp"

namespace nopal_bench {
namespace {

BENCH_KERNEL(void, matmul, (passed<matmul_product> p)) {
  if (is_leaf(p)) {
    multiply(p);
    BENCH_RETURN;
  }
  if (p.splits_inner()) {
    BENCH_CALL(matmul, (p.first_half()));
    BENCH_CALL(matmul, (p.second_half()));
    BENCH_RETURN;
  }
  BENCH_FORK_TWO(matmul, (p.first_half()), matmul, (p.second_half()));
}

[[maybe_unused]] const bool enrolled =
    enroll_kernel<matmul_problem, widest::two>([](auto& session, auto& p) {
      session.run(matmul, p.whole());
      p.result = true;
    });

}  // namespace
}  // namespace nopal_bench
