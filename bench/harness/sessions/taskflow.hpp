// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <taskflow/algorithm/for_each.hpp>
#include <taskflow/taskflow.hpp>

#include "harness/program.hpp"
#include "harness/thread_stacks.hpp"

namespace nopal_bench {

/// An executor of Taskflow with a given number of workers. The calling thread is none of them, and
/// waits for the future of what it submits, as in Taskflow's examples.
class taskflow_session {
 public:
  static constexpr bool parallel = true;
  static description peer() { return {{"name", "Taskflow"}, {"version", tf::version()}}; }

  taskflow_session(unsigned workers, std::size_t stack_bytes) {
    have_thread_stacks_of(std::max(stack_bytes, least_stack_bytes));
    executor_.emplace(workers);
  }
  ~taskflow_session() { executor_.reset(); }
  taskflow_session(const taskflow_session&) = delete;
  taskflow_session& operator=(const taskflow_session&) = delete;

  /// The executor is global, as in Taskflow's documentation: a task need not carry it, so more
  /// tasks fit a std::function without an allocation. This saves a fifth of fib's time.
  static tf::Executor& executor() { return *executor_; }

  template <class F, class... A>
  auto run(F f, A... args) {
    return executor().async([&] { return std::invoke(f, args...); }).get();
  }
  [[nodiscard]] static std::string figures() { return {}; }

 private:
  // A worker that waits runs other tasks on top of the one that waits, whether it waits for them or
  // not: how deep tasks nest does not follow from the recursion. Master_wide, two levels deep,
  // needs 9 MB.
  static constexpr std::size_t least_stack_bytes = std::size_t{64} << 20;

  static inline std::optional<tf::Executor> executor_;
};

/// A task group for a recursion. A worker must call this, and must have joined the group by corun()
/// before it is destroyed.
inline tf::TaskGroup taskflow_group() { return taskflow_session::executor().task_group(); }

/// Runs a loop in the midst of a recursion, called by a worker: body(first, last) for parts of the
/// range, which Taskflow's default partitioner deals out. No part except the last is smaller than
/// the grain.
template <class Body>
void taskflow_for(std::size_t first, std::size_t last, std::size_t grain, const Body& body) {
  tf::Taskflow loop;
  loop.for_each_by_index(
      tf::IndexRange<std::size_t>(first, last, 1),
      [&](const auto& part) { body(part.begin(), part.end()); }, tf::GuidedPartitioner(grain));
  taskflow_session::executor().corun(loop);
}

}  // namespace nopal_bench
