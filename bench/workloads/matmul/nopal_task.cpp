// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/nopal.hpp"
#include "matmul.hpp"

namespace nopal_bench {
namespace {

nopal::task<> matmul_task(matmul_product p) {
  if (is_leaf(p)) {
    multiply(p);
    co_return;
  }
  if (p.splits_inner()) {
    co_await nopal::call(matmul_task, p.first_half());
    co_await nopal::call(matmul_task, p.second_half());
    co_return;
  }
  co_await nopal::fork(matmul_task, p.first_half());
  co_await nopal::call(matmul_task, p.second_half());
  co_await nopal::join();
}

[[maybe_unused]] const bool enrolled =
    enroll<matmul_problem, nopal_session>("task", [](auto& session, auto& p) {
      session.run(matmul_task, p.whole());
      p.result = true;
    });

}  // namespace
}  // namespace nopal_bench
