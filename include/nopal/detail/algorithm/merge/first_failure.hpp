// SPDX-License-Identifier: Apache-2.0
// An algorithm that has to bring its elements home before an exception leaves it keeps the
// exception here.
#pragma once

#include <atomic>
#include <exception>
#include <utility>

#include "nopal/algorithm/grain.hpp"
#include "nopal/parallel_invoke.hpp"

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

  /// Runs both closures, which throw nothing, perhaps at the same time. If a stop comes before a
  /// thief has begun the second one, a fork leaves that out and throws; this then calls it, and
  /// keeps the exception. Whether it has begun is known when the fork has joined it.
  template <class F, class G>
  void invoke_both(const F& f, const G& g) noexcept {
    bool begun = false;
    try {
      parallel_invoke(f, [&] {
        begun = true;
        g();
      });
    } catch (...) {
      keep([] { throw; });
      if (!begun) g();
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
