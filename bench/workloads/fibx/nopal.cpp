// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/nopal.hpp"

#include "fibx.hpp"

namespace nopal_bench {
namespace {

std::uint64_t fibx_invoke(int n) {
  if (n < 2) {
    return 1;
  }
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  nopal::parallel_invoke([&] { a = fibx_invoke(n - 1); }, [&] { b = fibx_invoke(n - fibx_gap); });
  return a + b;
}

NOPAL_FORKS std::uint64_t fibx_frame(int n) {
  if (n < 2) {
    return 1;
  }
  nopal::fork_frame frame;
  std::uint64_t a;
  frame.fork(&a, fibx_frame, n - 1);
  const std::uint64_t b = fibx_frame(n - fibx_gap);
  frame.join();
  return a + b;
}

[[maybe_unused]] const bool enrolled =
    enroll<fibx_problem, nopal_session>(
        "invoke", [](auto& session, auto& p) { p.result = session.run(fibx_invoke, int{p.n}); }) &&
    enroll<fibx_problem, nopal_session>(
        "frame", [](auto& session, auto& p) { p.result = session.run(fibx_frame, int{p.n}); });

}  // namespace
}  // namespace nopal_bench
