// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sched.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

#include "nopal/detail/platform/hook.hpp"
#include "support/seed.hpp"

#ifndef NOPAL_HOOKS
#error "delays are injected into nopal_hooked only"
#endif

namespace nopal_test {

/// While it lives, every step of every protocol is now and then delayed: by some instructions, by a
/// yield, or by a sleep that lets the others get far ahead.
class random_delays {
 public:
  explicit random_delays(std::uint64_t seed) {
    seed_of_all = seed;
    nopal::detail::hook_slot.store(
        &delay, std::memory_order_release);  // pairs with the acquire load in hook()
  }
  ~random_delays() { nopal::detail::hook_slot.store(nullptr, std::memory_order_release); }
  random_delays(const random_delays&) = delete;
  random_delays& operator=(const random_delays&) = delete;

 private:
  // A strand may be on another thread after any step, but not within one: here a thread-local is
  // safe, if not inlined.
  [[gnu::noinline]] static bool delay(nopal::detail::step at) {
    static std::atomic<std::uint64_t> threads{0};
    thread_local random_numbers random(seed_of_all +
                                       threads.fetch_add(1, std::memory_order_relaxed));
    using nopal::detail::step;
    // The fork path has thousands of steps for each steal.
    const bool hot = at == step::pushed || at == step::popping || at == step::popped_late ||
                     at == step::searching || at == step::pool_putting || at == step::pool_looked ||
                     at == step::pool_taking || at == step::pool_marking ||
                     at == step::pool_moving || at == step::pool_swapping;
    if (!random.one_in(hot ? 256 : 4)) return false;
    const unsigned kind = random.below(64);
    if (kind < 40) {
      for (unsigned n = random.below(500); n != 0; --n) asm volatile("");
    } else if (kind < 62) {
      sched_yield();
    } else {
      std::this_thread::sleep_for(std::chrono::microseconds(random.below(100)));
    }
    return false;
  }

  static inline std::atomic<std::uint64_t> seed_of_all{0};
};

}  // namespace nopal_test
