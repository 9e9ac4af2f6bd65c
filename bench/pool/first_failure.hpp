// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <mutex>

namespace nopal_bench {

/// The first exception of several threads, for the one that waits for them.
class first_failure {
 public:
  template <class F>
  void guard(F&& f) {
    try {
      f();
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (first_ == nullptr) {
        first_ = std::current_exception();
      }
    }
  }

  /// Whether there is one.
  explicit operator bool() const {
    const std::lock_guard lock(mutex_);
    return first_ != nullptr;
  }

  /// After the threads are joined.
  void rethrow() const {
    if (first_ != nullptr) {
      std::rethrow_exception(first_);
    }
  }

 private:
  mutable std::mutex mutex_;
  std::exception_ptr first_;
};

}  // namespace nopal_bench
