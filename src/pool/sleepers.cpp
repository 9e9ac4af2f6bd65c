// SPDX-License-Identifier: Apache-2.0
#include "nopal/detail/pool/sleepers.hpp"

#include <climits>

#include "platform/futex.hpp"

namespace nopal::detail {

void pool_sleepers::wake_all() noexcept {
  changes_.fetch_add(1, std::memory_order_seq_cst);  // pairs with announce()
  futex_wake(changes_, INT_MAX);
}

void pool_sleepers::wake_if_wanted() noexcept {
  if (wanted_.exchange(0, std::memory_order_seq_cst) != 0) wake_one();  // pairs with announce()
}

void pool_sleepers::wake_one() noexcept {
  changes_.fetch_add(1, std::memory_order_seq_cst);  // pairs with announce()
  futex_wake(changes_, 1);
}

// Whoever woke this consumer has cleared `wanted_`, which another may have set. That other one must
// not depend on this one.
pool_sleepers::sleeper::~sleeper() {
  if (sleepers_.count_.fetch_sub(1, std::memory_order_seq_cst) > 1)
    sleepers_.wake_one();  // pairs with sleeper()
}

void pool_sleepers::sleeper::sleep(std::chrono::steady_clock::time_point until) noexcept {
  futex_wait_until(sleepers_.changes_, seen_, until);
}

}  // namespace nopal::detail
