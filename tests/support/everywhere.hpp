// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <thread>

#include "nopal/nopal.hpp"

namespace nopal_test {

/// Calls f on one worker, on four, on this thread as their guest, and on this thread alone.
template <class F>
void everywhere(F&& f) {
  for (const unsigned workers : {1U, 4U})
    for (const bool caller_works : {false, true}) {
      nopal::runtime r({.workers = workers, .caller_works = caller_works});
      r.run(f);
    }
  f();
}

/// Runs a function on the only worker of a runtime.
template <class F>
void on_one_worker(F&& f) {
  nopal::runtime r({.workers = 1, .caller_works = false});
  r.run(f);
}

/// Waits until the flag is set, which happens only when somebody has stolen what comes after.
inline void until(const std::atomic<bool>& flag) {
  while (!flag.load()) std::this_thread::yield();
}

/// Computes for that long.
inline void spin_for(std::chrono::steady_clock::duration d) {
  const auto end = std::chrono::steady_clock::now() + d;
  while (std::chrono::steady_clock::now() < end) {
  }
}

}  // namespace nopal_test
