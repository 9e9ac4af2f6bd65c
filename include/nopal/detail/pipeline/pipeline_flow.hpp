// SPDX-License-Identifier: Apache-2.0
// This keeps the order of what is on its way through a pipeline.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <limits>
#include <mutex>
#include <optional>
#include <stop_token>
#include <utility>

#include "nopal/algorithm/grain.hpp"

#ifndef NOPAL_SERIAL
#include "nopal/detail/wait/brief_lock.hpp"
#endif

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

#ifdef NOPAL_SERIAL
struct flow_lock {
  void lock() noexcept {}
  void unlock() noexcept {}
};
#else
using flow_lock = detail::brief_lock;
#endif

/// The carriers of items through a pipeline, and the first item that has failed.
///
/// A carrier is a strand that takes an item from the source, brings it through all stages, and
/// begins again. Items have numbers in the order of the source. When one fails, those before it go
/// on, since one of them may fail as well, and that exception counts then. All others are stopped:
/// a stop is requested of the scope of each carrier that has a later item or none.
class pipeline_flow {
 public:
  /// The number of an item that is not known yet.
  static constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();

  struct carrier {
    std::stop_source stop;
    /// The number of its item. It changes only while the flow is locked, except for its end.
    std::atomic<std::uint64_t> item{none};
  };

  explicit pipeline_flow(std::size_t carriers) : carriers_(carriers) {}

  [[nodiscard]] carrier& operator[](std::size_t i) { return carriers_[i]; }

  /// Whether nothing more is to be taken from the source.
  [[nodiscard]] bool is_over() noexcept {
    const std::lock_guard held(lock_);
    return is_over_;
  }
  /// Notes that the source has ended.
  void end() noexcept {
    const std::lock_guard held(lock_);
    is_over_ = true;
  }

  /// Gives an item that has come from the source its number, unless it is not wanted any more.
  [[nodiscard]] std::optional<std::uint64_t> begin(carrier& c) noexcept {
    const std::lock_guard held(lock_);
    if (is_over_) return {};
    // Relaxed: whoever reads it has locked the flow since, and otherwise finds `none` or a number
    // that is less than the one that has failed.
    c.item.store(next_, std::memory_order_relaxed);
    return next_++;
  }
  /// Notes that an item has come through.
  static void finish(carrier& c) noexcept { c.item.store(none, std::memory_order_relaxed); }

  /// Takes the current exception, which has ended the item of a carrier, or the source. Carriers of
  /// later items are stopped.
  void fail(carrier& c) noexcept {
    std::exception_ptr e = std::current_exception();
    std::uint64_t failed = c.item.load(std::memory_order_relaxed);
    {
      const std::lock_guard held(lock_);
      if (failed == none) failed = next_;
      if (failed >= failed_) return;
      failed_ = failed;
      is_over_ = true;
      error_.swap(e);
    }
    for (carrier& other : carriers_)
      if (&other != &c && other.item.load(std::memory_order_relaxed) > failed)
        other.stop.request_stop();
  }

  /// Throws the exception of the first item that has failed, if one has.
  /// Precondition: no carrier is left.
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  flow_lock lock_;  ///< It guards the rest, apart from the carriers.
  bool is_over_ = false;
  std::uint64_t next_ = 0;
  std::uint64_t failed_ = none;
  std::exception_ptr error_;
  std::deque<carrier> carriers_;
};

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
