// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/taskflow.hpp"

#include "fibx.hpp"

namespace nopal_bench {
namespace {

std::uint64_t fibx(int n) {
  if (n < 2) {
    return 1;
  }
  std::uint64_t a;
  std::uint64_t b;
  tf::TaskGroup group = taskflow_group();
  group.silent_async([&a, n] { a = fibx(n - 1); });
  b = fibx(n - fibx_gap);
  group.corun();
  return a + b;
}

[[maybe_unused]] const bool enrolled = enroll<fibx_problem, taskflow_session>(
    "group", [](auto& session, auto& p) { p.result = session.run(fibx, int{p.n}); });

}  // namespace
}  // namespace nopal_bench
