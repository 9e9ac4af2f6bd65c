// SPDX-License-Identifier: Apache-2.0
// The token: as long as a transaction has it, no other commits what it has written.
#pragma once

#include <atomic>
#include <mutex>

#include "nopal/detail/platform/fence.hpp"
#include "nopal/detail/stm/transaction_log.hpp"

namespace nopal::detail {

class waiter;

class commit_token {
 public:
  /// Returns when the caller has the token and no other transaction commits.
  void take(const transaction_log& own) noexcept;
  /// The next that has asked for it gets it.
  void give_back() noexcept;
  /// Returns when nobody has it, or somebody has given it back meanwhile.
  void wait_until_free() noexcept;

  /// The caller has announced in its log that it commits, and looks whether it may.
  [[nodiscard]] bool is_taken() const noexcept {
    // Pairs with heavy_fence() in take(): either it is seen here that the token is taken, or the
    // announcement is seen there.
    light_fence();
    return is_taken_.load(acquire_at_fence);
  }

 private:
  struct node {
    bool wants_token;
    waiter* waits = nullptr;
    node* next = nullptr;
  };

  [[nodiscard]] bool add(node& n, waiter& w) noexcept;
  void wait_in_line(node& n) noexcept;

  std::atomic<bool> is_taken_{false};  ///< Written under the mutex.
  std::mutex mutex_;
  node* first_ = nullptr;  ///< In the order in which they came. Under the mutex.
  node** last_ = &first_;
};
extern constinit commit_token token_of_stm;

}  // namespace nopal::detail
