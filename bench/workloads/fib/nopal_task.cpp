// SPDX-License-Identifier: Apache-2.0
#include "fib.hpp"
#include "harness/sessions/nopal.hpp"

namespace nopal_bench {
namespace {

nopal::task<std::uint64_t> fib_task(unsigned n) {
  if (n < 2) {
    co_return n;
  }
  std::uint64_t a;
  std::uint64_t b;
  co_await nopal::fork(&a, fib_task, n - 1);
  co_await nopal::call(&b, fib_task, n - 2);
  co_await nopal::join();
  co_return a + b;
}

[[maybe_unused]] const bool enrolled = enroll<fib_problem, nopal_session>(
    "task", [](auto& session, auto& p) { p.result = session.run(fib_task, unsigned{p.n}); });

}  // namespace
}  // namespace nopal_bench
