// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/nopal.hpp"
#include "rectmul.hpp"

namespace nopal_bench {
namespace {

nopal::task<> rectmul_task(rectmul_product p) {
  if (is_leaf(p)) {
    multiply(p);
    co_return;
  }
  if (p.splits_inner()) {
    co_await nopal::call(rectmul_task, p.first_half());
    co_await nopal::call(rectmul_task, p.second_half());
    co_return;
  }
  co_await nopal::fork(rectmul_task, p.first_half());
  co_await nopal::call(rectmul_task, p.second_half());
  co_await nopal::join();
}

[[maybe_unused]] const bool enrolled =
    enroll<rectmul_problem, nopal_session>("task", [](auto& session, auto& p) {
      session.run(rectmul_task, p.whole());
      p.result = true;
    });

}  // namespace
}  // namespace nopal_bench
