// SPDX-License-Identifier: Apache-2.0
// What all transactions share, and the logs of all.
#pragma once

#include <atomic>
#include <cstdint>

#include "nopal/detail/platform/config.hpp"
#include "nopal/detail/stm/transaction_log.hpp"

namespace nopal::detail {

/// The version of the latest commit that has written.
struct alignas(cache_line) stm_clock {
  std::atomic<std::uint64_t> version{0};
};
extern constinit stm_clock clock_of_stm;

/// The first of all logs; they are linked by `next`, and none is ever taken out.
extern constinit std::atomic<transaction_log*> first_log;

template <class F>
void for_each_log(F&& f) {
  // Pairs with the release in make_log().
  for (transaction_log* l = first_log.load(std::memory_order_acquire); l != nullptr; l = l->next)
    f(*l);
}

/// A log for one transaction: that of the calling thread, if it is free.
/// \throws std::bad_alloc
transaction_log& take_log();
/// The transaction has ended, on whichever thread.
void give_back_log(transaction_log& l) noexcept;

/// Frees what `l` has retired and nobody can read any more. The caller has `l`, and is in no
/// transaction that has begun.
void reclaim(transaction_log& l) noexcept;
/// The same for the logs that no thread has.
void reclaim_of_free_logs() noexcept;

}  // namespace nopal::detail
