// SPDX-License-Identifier: Apache-2.0
// This is what all transactions share, and the list of all their logs.
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

/// Calls f(log) for each log there is, also those that other threads use meanwhile. What asks about
/// all running transactions asks by this: reclamation, the token, stm::synchronize() and
/// stm::stats().
template <class F>
void for_each_log(F&& f) {
  // Pairs with the release in make_log().
  for (transaction_log* l = first_log.load(std::memory_order_acquire); l != nullptr; l = l->next)
    f(*l);
}

/// Returns a log for one transaction: that of the calling thread, if it is free.
/// \throws std::bad_alloc
transaction_log& take_log();
/// Gives back the log of a transaction that has ended, on whichever thread.
void give_back_log(transaction_log& l) noexcept;

/// Frees what `l` has retired and nobody can read any more.
/// Precondition: the caller has `l`, and is in no transaction that has begun.
void reclaim(transaction_log& l) noexcept;
/// Does what reclaim() does, for the logs that no thread has.
void reclaim_of_free_logs() noexcept;

}  // namespace nopal::detail
