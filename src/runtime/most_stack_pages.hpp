// SPDX-License-Identifier: Apache-2.0
// Tests and benchmarks that are linked to the library with events use this.
#pragma once

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <utility>

#include "platform/subscription.hpp"
#include "scheduler/scheduler.hpp"
#include "strand/events.hpp"

namespace nopal::detail {

/// Counts the most pages that all stacks of one scheduler, or of one mapped runtime, had in memory
/// at one moment, as the kernel has them.
///
/// Pages come at any moment, and leave only when a worker gives them back. So the number is largest
/// just before that, or at the end, and is counted then. A lock lets one worker at a time count,
/// and no other give pages back meanwhile. A count is repeated until it finds as many pages as the
/// one before, since other workers go on. It misses only what they touch after the last count, and
/// only if that leaves again before the next.
///
/// If the stacks are one file, the kernel counts its pages itself, whichever process touched them,
/// and nothing is missed. The lock and the count are static, so that the workers of a mapped
/// runtime share them as they share all data of the program.
///
/// The object outlives the scheduler, whose workers report to it from their first step to their
/// last. A process has one at a time.
class most_stack_pages {
 public:
  most_stack_pages() noexcept : subscription_(counter{}) {}
  most_stack_pages(const most_stack_pages&) = delete;
  most_stack_pages& operator=(const most_stack_pages&) = delete;

  /// Counts the pages of `s` from here on, or none if `s` is nullptr, as before the end of a
  /// scheduler.
  void count_of(const scheduler* s) noexcept {
    count_by([](const void* p) { return static_cast<const scheduler*>(p)->resident_stack_pages(); },
             s);
  }

  /// Counts `pages(of)` from here on, unless `of` is nullptr.
  void count_by(std::size_t (*pages)(const void*), const void* of) noexcept {
    const std::lock_guard l(mutex_);
    pages_ = pages;
    counted_ = of;
    most_ = 0;
  }

  /// Returns the largest number up to now.
  [[nodiscard]] std::size_t most() const noexcept {
    const std::lock_guard l(mutex_);
    count();
    return most_;
  }

 private:
  struct counter {
    void operator()(const strand_events::giving_back&) const {
      mutex_.lock();
      count();
    }
    void operator()(const strand_events::gave_back&) const { mutex_.unlock(); }
  };

  static void count() noexcept {
    if (counted_ == nullptr) return;
    constexpr int most_repetitions = 8;
    std::size_t before = 0, now = pages_(counted_);
    for (int i = 0; i < most_repetitions && now != before; ++i)
      before = std::exchange(now, pages_(counted_));
    most_ = std::max({most_, before, now});
  }

  static inline std::mutex mutex_;
  static inline std::size_t (*pages_)(const void*) = nullptr;
  static inline const void* counted_ = nullptr;
  static inline std::size_t most_ = 0;

  subscription<strand_events::giving_back, strand_events::gave_back> subscription_;
};

}  // namespace nopal::detail
