// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <ostream>
#include <thread>
#include <utility>

#include "nopal/runtime.hpp"
#include "runtime/owned_scheduler.hpp"
#include "runtime/root_call.hpp"

namespace nopal_test {

/// As runtime::run, on a scheduler that a test has made itself, of a machine of its own.
template <class F>
decltype(auto) run_in(nopal::detail::scheduler& s, F&& f) {
  return nopal::detail::run_through(
      [&s](void (*call)(void*), void* argument) { nopal::detail::run_on(s, call, argument); },
      std::forward<F>(f));
}

/// Whether every stack comes to be free again. A thief of a task leaves its stack after it has
/// arrived, so the caller may be back before it.
template <class Run>
bool frees_all_stacks(Run& r) {
  using namespace std::chrono_literals;
  for (const auto end = std::chrono::steady_clock::now() + 10s; r.stats().stacks_in_use != 0;) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(100us);
  }
  return true;
}

/// What a watchdog prints. Racy, and only looked at when something is wrong already.
inline void print_state(std::ostream& out, nopal::detail::scheduler& s) {
  const nopal::statistics all = s.stats();
  out << "stacks in use " << all.stacks_in_use << ", at most " << all.peak_stacks_in_use << '\n';
  for (unsigned i = 0; i < s.workers(); ++i) {
    const nopal::detail::scheduler_worker& w = s.worker_at(i);
    const nopal::counts& c = all.per_worker[i];
    out << "worker " << i << ": deque " << (w.deque.looks_empty() ? "empty" : "not empty") << ", "
        << (w.current != nullptr ? "on the stack of a strand" : "on its scheduler stack")
        << ", spare stack " << (w.spare != nullptr ? "there" : "missing") << ", steals " << c.steals
        << " and " << c.failed_steals << " failed, suspensions " << c.suspensions << ", switches "
        << c.stack_switches << ", sleeps " << c.sleeps << ", wake-ups " << c.wake_ups << '\n';
  }
}

}  // namespace nopal_test
