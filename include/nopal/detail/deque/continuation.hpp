// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace nopal::detail {

struct worker;
class stop_scope;

/// Everything that a worker can run, and the whole interface between a front end and the scheduler.
///
/// `run` is called once, on the scheduler stack of the worker that took the continuation. It moves
/// to a strand's stack by the calls of strand.hpp, and returns when the strand that it started has
/// ended or was suspended.
struct continuation {
  using run_function = void (*)(continuation&, worker&) noexcept;

  continuation() noexcept = default;
  /// Leaves `next` as it is: a fork writes nothing that it does not need.
  explicit continuation(run_function r) noexcept : run(r) {}

  /// The next one in an inbox. A front end may use it while no worker can find this one.
  continuation* next;
  /// This is last, beside what the front end's own object begins with: a fork writes both.
  run_function run;
};

}  // namespace nopal::detail
