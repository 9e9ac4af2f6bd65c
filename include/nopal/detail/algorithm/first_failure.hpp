// SPDX-License-Identifier: Apache-2.0
// An algorithm that must bring its elements to an end before an exception leaves it keeps the
// exception here.
#pragma once

#include <atomic>
#include <exception>
#include <utility>

#include "nopal/algorithm/grain.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

/// The exception of the first of several strands that failed.
class first_failure {
 public:
  /// Calls f(), unless something has failed, and keeps what it throws. Returns whether f has
  /// returned. Others see soon that something has failed, and do in vain what they do until then;
  /// so no order is needed.
  template <class F>
  bool keep(const F& f) noexcept {
    if (failed_.load(std::memory_order_relaxed)) return false;
    try {
      f();
      return true;
    } catch (...) {
      if (!failed_.exchange(true, std::memory_order_relaxed)) exception_ = std::current_exception();
      return false;
    }
  }

  /// Throws what was kept. Called when all strands have been joined.
  NOPAL_NOINLINE void rethrow_if_any() {
    if (exception_) std::rethrow_exception(std::exchange(exception_, nullptr));
  }

 private:
  std::atomic<bool> failed_{false};
  std::exception_ptr exception_;  ///< Written by the one strand that has set `failed_`.
};

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
