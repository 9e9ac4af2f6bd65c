// SPDX-License-Identifier: Apache-2.0
#include "fibx.hpp"
#include "harness/sessions/nopal.hpp"

namespace nopal_bench {
namespace {

nopal::task<std::uint64_t> fibx_task(int n) {
  if (n < 2) {
    co_return 1;
  }
  std::uint64_t a;
  std::uint64_t b;
  co_await nopal::fork(&a, fibx_task, n - 1);
  co_await nopal::call(&b, fibx_task, n - fibx_gap);
  co_await nopal::join();
  co_return a + b;
}

[[maybe_unused]] const bool enrolled = enroll<fibx_problem, nopal_session>(
    "task", [](auto& session, auto& p) { p.result = session.run(fibx_task, int{p.n}); });

}  // namespace
}  // namespace nopal_bench
