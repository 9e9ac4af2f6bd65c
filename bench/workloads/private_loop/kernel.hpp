// SPDX-License-Identifier: Apache-2.0
#include "harness/runtimes/kernel.hpp"
#include "private_loop.hpp"

namespace nopal_bench {
namespace {

BENCH_LEAF(void, child, (std::uint32_t* numbers, std::uint64_t i)) {
  private_child(numbers, i);
  BENCH_RETURN;
}

BENCH_KERNEL(void, private_loop, (std::uint32_t* numbers, std::uint64_t n)) {
  BENCH_FORK_N(n, i, child, (numbers, i));
}

[[maybe_unused]] const bool enrolled = enroll_kernel<private_loop_problem, widest::n>(
    [](auto& session, auto& p) { run_private_loop(session, p, private_loop); });

}  // namespace
}  // namespace nopal_bench
