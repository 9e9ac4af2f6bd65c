// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/tbb.hpp"

#include <tbb/parallel_invoke.h>
#include <tbb/task_group.h>

#include "fib.hpp"

namespace nopal_bench {
namespace {

std::uint64_t fib_invoke(unsigned n) {
  if (n < 2) {
    return n;
  }
  std::uint64_t a;
  std::uint64_t b;
  tbb::parallel_invoke([&] { a = fib_invoke(n - 1); }, [&] { b = fib_invoke(n - 2); });
  return a + b;
}

std::uint64_t fib_group(unsigned n) {
  if (n < 2) {
    return n;
  }
  std::uint64_t a;
  std::uint64_t b;
  tbb::task_group group;
  group.run([&] { a = fib_group(n - 1); });
  group.run_and_wait([&] { b = fib_group(n - 2); });
  return a + b;
}

[[maybe_unused]] const bool enrolled =
    enroll<fib_problem, tbb_session>(
        "invoke",
        [](auto& session, auto& p) { p.result = session.run(fib_invoke, unsigned{p.n}); }) &&
    enroll<fib_problem, tbb_session>(
        "group", [](auto& session, auto& p) { p.result = session.run(fib_group, unsigned{p.n}); });

}  // namespace
}  // namespace nopal_bench
