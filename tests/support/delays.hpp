// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sched.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

#include "platform/subscription.hpp"
#include "support/all_events.hpp"
#include "support/seed.hpp"

namespace nopal_test {

/// While it lives, every event of every protocol is now and then delayed: by some instructions, by
/// a yield, or by a sleep that lets the others get far ahead.
class random_delays {
 public:
  explicit random_delays(std::uint64_t seed) : subscription_((seed_of_all = seed, handler{})) {}

 private:
  struct handler {
    template <class E>
    typename E::answer operator()(const E& /*event*/) const {
      delay(is_hot<E>);
      return typename E::answer();
    }
  };

  // The fork path, the pool and transactions have thousands of these for each steal.
  template <class E>
  static constexpr bool is_hot =
      is_one_of<E, deque_events::pushed, deque_events::popping, deque_events::popped_late,
                scheduler_events::searching, pool_events::put, pool_events::looked,
                pool_events::taking, pool_events::marking, pool_events::moving,
                pool_events::swapping, stm_events::comparing, stm_events::looking_again>;

  // A strand may be on another thread after any event, but not within one: here a thread-local is
  // safe, if not inlined.
  [[gnu::noinline]] static void delay(bool hot) {
    static std::atomic<std::uint64_t> threads{0};
    thread_local random_numbers random(seed_of_all +
                                       threads.fetch_add(1, std::memory_order_relaxed));
    if (!random.one_in(hot ? 256 : 4)) return;
    const unsigned kind = random.below(64);
    if (kind < 40) {
      for (unsigned n = random.below(500); n != 0; --n) asm volatile("");
    } else if (kind < 62) {
      sched_yield();
    } else {
      std::this_thread::sleep_for(std::chrono::microseconds(random.below(100)));
    }
  }

  static inline std::atomic<std::uint64_t> seed_of_all{0};
  nopal::detail::subscription<all_events> subscription_;
};

}  // namespace nopal_test
