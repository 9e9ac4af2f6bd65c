// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <new>

#include "nopal/async/countdown.hpp"
#include "nopal/c/countdown.h"

namespace nopal::detail {

/// Returns what nopal_countdown_init() has made there.
inline countdown& c_countdown_in(nopal_countdown* c) noexcept {
  return *std::launder(reinterpret_cast<countdown*>(c));
}

/// Counts as the functions of countdown do, but refuses what they must not be asked for. So a
/// signal is a compare-and-swap here.
struct c_countdown {
  static constexpr std::int64_t most = INT64_MAX / countdown::one_signal;

  /// Waits for `k` more signals. Returns false, with nothing done, if these are too many to count.
  static bool add(countdown& c, std::int64_t k) noexcept {
    std::int64_t word = c.word_.load(std::memory_order_relaxed);
    do {
      if (k > most - word / countdown::one_signal) return false;
    } while (!c.word_.compare_exchange_weak(word, word + k * countdown::one_signal,
                                            std::memory_order_relaxed));
    return true;
  }

  /// Gives `k` signals, more than 0. Returns false, with nothing done, if fewer are to come.
  static bool signal(countdown& c, std::int64_t k) noexcept {
    std::int64_t word = c.word_.load(std::memory_order_relaxed);
    do {
      if (k > word / countdown::one_signal) return false;
    } while (!c.word_.compare_exchange_weak(
        word, word - k * countdown::one_signal,
        std::memory_order_acq_rel,  // pairs as the step of countdown::signal() does
        std::memory_order_relaxed));
    if (word == k * countdown::one_signal + countdown::somebody_waits) c.decision_->serve();
    return true;
  }
};

}  // namespace nopal::detail
