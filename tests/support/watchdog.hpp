// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "support/build.hpp"

namespace nopal_test {

/// Ends the process with a message when the scope that holds it takes longer than it may: a lost
/// wake-up or a strand that nobody resumes shows itself by nothing happening.
class watchdog {
 public:
  using state_printer = std::function<void(std::ostream&)>;

  watchdog(std::chrono::seconds limit, std::string what, std::uint64_t seed,
           state_printer print_state = {})
      : what_(std::move(what)),
        seed_(seed),
        print_state_(std::move(print_state)),
        guard_([this, limit] { wait(limit); }) {}
  ~watchdog() {
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
    }
    changed_.notify_one();
    guard_.join();
  }
  watchdog(const watchdog&) = delete;
  watchdog& operator=(const watchdog&) = delete;

 private:
  void wait(std::chrono::seconds limit) {
    if (with_sanitizer) limit *= 3;
    std::unique_lock lock(mutex_);
    if (changed_.wait_for(lock, limit, [this] { return over_; })) return;
    std::cerr << "watchdog: " << what_ << " has not ended after " << limit.count() << " s; seed "
              << seed_ << " (NOPAL_TEST_SEED=" << seed_ << " repeats it)\n";
    if (print_state_) print_state_(std::cerr);
    std::cerr << std::flush;
    std::abort();
  }

  std::string what_;
  std::uint64_t seed_;
  state_printer print_state_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;
  std::thread guard_;
};

}  // namespace nopal_test
