// SPDX-License-Identifier: Apache-2.0
#include "nopal/detail/wait/brief_lock.hpp"

#include "platform/futex.hpp"

namespace nopal::detail {

void brief_lock::lock_slowly() noexcept {
  // A section is shorter than a system call. If its owner runs, it ends in this time.
  constexpr int longest_spin = 64;
  for (int i = 0; i < longest_spin; ++i) {
    if (word_.load(std::memory_order_relaxed) == is_free && try_lock()) return;
    cpu_relax();
  }
  // From here on the word says that somebody sleeps. That may be wrong, and costs a wake-up then.
  // The acquire pairs with the release in unlock().
  while (word_.exchange(is_awaited, std::memory_order_acquire) != is_free)
    futex_wait(word_, is_awaited);
}

void brief_lock::wake_one() noexcept { futex_wake(word_, 1); }

}  // namespace nopal::detail
