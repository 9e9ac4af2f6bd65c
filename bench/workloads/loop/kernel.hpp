// SPDX-License-Identifier: Apache-2.0
#include "harness/runtimes/kernel.hpp"
#include "loop.hpp"

namespace nopal_bench {
namespace {

BENCH_LEAF(void, child, (std::atomic<std::uint64_t> * total, std::uint64_t i)) {
  loop_child(total, i);
  BENCH_RETURN;
}

BENCH_KERNEL(void, loop, (std::atomic<std::uint64_t> * total, std::uint64_t n)) {
  BENCH_FORK_N(n, i, child, (total, i));
}

[[maybe_unused]] const bool enrolled = enroll_kernel<loop_problem, widest::n>(
    [](auto& session, auto& p) { run_loop(session, p, loop); });

}  // namespace
}  // namespace nopal_bench
