// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "nopal/detail/platform/assert.hpp"
#include "nopal/detail/sync/awaited_word.hpp"

namespace nopal::detail {

/// What a barrier is without the function of its phases.
class barrier_core {
 public:
  explicit barrier_core(std::int64_t n) noexcept : state_(0), expected_(n), missing_(n) {
    NOPAL_ASSERT(n > 0);
  }
  barrier_core(const barrier_core&) = delete;
  barrier_core& operator=(const barrier_core&) = delete;

  /// The number of the phase, which cannot change before the caller arrives.
  [[nodiscard]] std::uint32_t phase() const noexcept {
    return state_.word.load(std::memory_order_relaxed) & ~state_.is_awaited;
  }
  [[nodiscard]] bool is_over(std::uint32_t phase) const noexcept {
    // The acquire pairs with the release in end_phase().
    return (state_.word.load(std::memory_order_acquire) & ~state_.is_awaited) != phase;
  }
  /// Returns whether the caller is the last one to arrive, who calls end_phase().
  [[nodiscard]] bool arrives(std::int64_t k) noexcept {
    // This releases what was done before for the last one to arrive, and acquires it there.
    const std::int64_t before = missing_.fetch_sub(k, std::memory_order_acq_rel);
    NOPAL_ASSERT(k > 0 && before >= k);
    return before == k;
  }
  /// Has one less arrive in each later phase. The caller arrives after this.
  void drop() noexcept { expected_.fetch_sub(1, std::memory_order_relaxed); }
  /// Begins the next phase. The barrier may be gone when this returns.
  void end_phase() noexcept;

  bool pass_or_list(std::uint32_t phase, offer& o) noexcept;
  void unlist(offer& o) noexcept { state_.unlist(o); }

 private:
  static constexpr std::uint32_t one_phase = 2;

  awaited_word<std::uint32_t> state_;  ///< The number of the phase, which may wrap around.
  std::atomic<std::int64_t> expected_;
  std::atomic<std::int64_t> missing_;
};

/// The end of a phase, for whoever waits.
struct phase_end {
  static constexpr const char* name = "nopal::barrier: wait";
  static constexpr const char* waits_for = "the others at the nopal::barrier";

  barrier_core* at;
  std::uint32_t phase;

  bool take() noexcept { return at->is_over(phase); }
  bool take_or_list(offer& o) noexcept { return at->pass_or_list(phase, o); }
  void unlist(offer& o) noexcept { at->unlist(o); }
  [[nodiscard]] const void* object() const noexcept { return at; }
};

struct no_phase_function {
  void operator()() const noexcept {}
};

}  // namespace nopal::detail
