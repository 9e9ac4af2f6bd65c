// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <utility>

#include "support/thread_state.hpp"

namespace nopal_test {

/// A thread that calls a function in which it will sleep, and ends with it.
class sleeper {
 public:
  template <class F>
  explicit sleeper(F f)
      : thread_([this, f = std::move(f)]() mutable {
          id_.store(gettid());
          f();
        }) {}

  /// Returns when the thread sleeps. It may sleep for something else for a moment, so that a test
  /// must not fail if it does.
  void until_asleep() const {
    int asleep = 0;
    while (asleep < 3) {
      std::this_thread::sleep_for(std::chrono::microseconds(200));
      const int id = id_.load();
      const bool sleeps = id != 0 && waits("/proc/self/task/" + std::to_string(id));
      asleep = sleeps ? asleep + 1 : 0;
    }
  }
  void join() { thread_.join(); }

 private:
  std::atomic<int> id_{0};
  std::jthread thread_;
};

}  // namespace nopal_test
