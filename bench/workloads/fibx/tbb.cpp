// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/tbb.hpp"

#include <tbb/parallel_invoke.h>
#include <tbb/task_group.h>

#include "fibx.hpp"

namespace nopal_bench {
namespace {

std::uint64_t fibx_invoke(int n) {
  if (n < 2) {
    return 1;
  }
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  tbb::parallel_invoke([&] { a = fibx_invoke(n - 1); }, [&] { b = fibx_invoke(n - fibx_gap); });
  return a + b;
}

std::uint64_t fibx_group(int n) {
  if (n < 2) {
    return 1;
  }
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  tbb::task_group group;
  group.run([&] { a = fibx_group(n - 1); });
  group.run_and_wait([&] { b = fibx_group(n - fibx_gap); });
  return a + b;
}

[[maybe_unused]] const bool enrolled =
    enroll<fibx_problem, tbb_session>(
        "invoke", [](auto& session, auto& p) { p.result = session.run(fibx_invoke, int{p.n}); }) &&
    enroll<fibx_problem, tbb_session>(
        "group", [](auto& session, auto& p) { p.result = session.run(fibx_group, int{p.n}); });

}  // namespace
}  // namespace nopal_bench
