// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace nopal::detail {

struct worker;

/// Everything that a thief can run, and the whole interface between a front end and the scheduler.
///
/// `run` is called once, on the scheduler stack of the worker that took the continuation. It moves
/// to a task stack by the calls of strand.hpp, and returns when the strand that it started has
/// ended or was suspended.
struct continuation {
  void (*run)(continuation&, worker&) noexcept;
};

}  // namespace nopal::detail
