// SPDX-License-Identifier: Apache-2.0
// This is the join of a spawn whose rest is a closure, like that of parallel_invoke. docs/cilk.md
// says which rests are closures.
#pragma once

#include <cstdint>

#include "nopal/detail/join/two_way_join.hpp"

namespace nopal::detail {

/// Runs the rest, which is what follows a spawn in its region. The variables that it uses of the
/// spawning function are captured behind the join in memory.
using cilk_rest = void(void* join);

/// The join. It lies in the frame of the spawning function, which stays on its stack.
class cilk_invoked final : public two_way_join_base {
 public:
  NOPAL_ALWAYS_INLINE cilk_invoked(void (*run_stolen)(continuation&, worker&) noexcept,
                                   worker* w) noexcept
      : two_way_join_base(run_stolen, w) {}

  /// Runs `rest` in a strand of the thief, and arrives. nopal_cilk_run_stolen() calls this.
  void run_on_thief(worker& thief, cilk_rest* rest) noexcept {
    rest_ = rest;
    start_with_exceptions(thief, [](void* argument) {
      auto& self = *static_cast<cilk_invoked*>(argument);
      auto call = [&self] { self.rest_(&self); };
      self.run_and_arrive(call);
    });
  }

 private:
  cilk_rest* rest_;  // The thief writes it, and only the thief reads it.
};

}  // namespace nopal::detail

/// Runs `rest` on the thief. The plugin writes a function that calls this as the `run` of the join
/// (plugins/cilk/pass/invoke.cpp).
extern "C" void nopal_cilk_run_stolen(nopal::detail::continuation* join,
                                      nopal::detail::worker* thief,
                                      nopal::detail::cilk_rest* rest) noexcept;

/// Returns when nobody uses the join any more. The owner calls this after the spawned function has
/// thrown.
extern "C" void nopal_cilk_abandon(void* join) noexcept;

/// Runs f(captured) on the default runtime, from a thread that is no worker.
/// \throws what f throws.
extern "C" void nopal_cilk_run_outside(void (*f)(void*), void* captured);
