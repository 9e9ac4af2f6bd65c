// SPDX-License-Identifier: Apache-2.0
// TooManyCooks is used as a header-only library: TMC_IMPL need not be defined anywhere.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <tmc/ex_cpu.hpp>
#include <tmc/spawn_func.hpp>
#include <tmc/spawn_many.hpp>
#include <tmc/sync.hpp>
#include <tmc/task.hpp>
#include <tmc/topology.hpp>
#include <tmc/utils.hpp>
#include <tmc/version.hpp>
#include <utility>

#include "harness/program.hpp"

#ifndef NOPAL_BENCH_ALLOCATOR
#define NOPAL_BENCH_ALLOCATOR default
#endif
#define NOPAL_BENCH_TEXT_OF(name) #name
#define NOPAL_BENCH_TEXT(name) NOPAL_BENCH_TEXT_OF(name)

namespace nopal_bench {

/// An executor of TooManyCooks with a given number of threads, each on a core of its own, as in its
/// authors' benchmarks. Its coroutines are not on the threads' stacks.
template <tmc::work_stealing_strategy Strategy>
class tmc_session_with {
 public:
  static constexpr bool parallel = true;
  static description peer() {
    return {
        {"name", "TooManyCooks"},
        {"version", std::to_string(TMC_VERSION_MAJOR) + '.' + std::to_string(TMC_VERSION_MINOR) +
                        '.' + std::to_string(TMC_VERSION_PATCH)},
        {"allocator", NOPAL_BENCH_TEXT(NOPAL_BENCH_ALLOCATOR)}};
  }

  tmc_session_with(unsigned workers, std::size_t) {
#ifdef TMC_USE_HWLOC
    executor_.set_thread_pinning_level(tmc::topology::thread_pinning_level::CORE);
#endif
    executor_.set_work_stealing_strategy(Strategy).set_thread_count(workers).init();
    if (executor_.thread_count() != workers) {
      throw not_possible_here("TooManyCooks starts " + std::to_string(executor_.thread_count()) +
                              " threads here, not " + std::to_string(workers));
    }
  }

  template <class F, class... A>
  auto run(F f, A&&... args) {
    return tmc::post_waitable(executor_, f(std::forward<A>(args)...)).get();
  }
  [[nodiscard]] static std::string figures() { return {}; }

 private:
  tmc::ex_cpu executor_;
};

using tmc_session = tmc_session_with<tmc::work_stealing_strategy::HIERARCHY_MATRIX>;

/// Forks a task for each block of so many indices, and joins all of them. This is what TooManyCooks
/// has for loops.
template <class Body>
tmc::task<void> tmc_for_blocks(std::size_t first, std::size_t last, std::size_t block,
                               const Body& body) {
  const auto run_block = [&body, first, last, block](std::size_t i) {
    return [&body, begin = first + i * block, end = std::min(first + (i + 1) * block, last)] {
      body(begin, end);
    };
  };
  const std::size_t count = (last - first + block - 1) / block;
  co_await tmc::spawn_func_many(tmc::iter_adapter(std::size_t{0}, run_block), count);
}

}  // namespace nopal_bench
