// SPDX-License-Identifier: Apache-2.0
// As long as a transaction has the token, no other transaction commits what it has written.
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
  /// Gives the token to the next that has asked for it, if there is one.
  void give_back() noexcept;
  /// Returns when nobody has it, or somebody has given it back meanwhile.
  void wait_until_free() noexcept;

  /// Returns whether the token is taken, so that the caller may not commit.
  /// Precondition: the caller has announced in its log that it commits.
  [[nodiscard]] bool is_taken() const noexcept {
    // Pairs with heavy_fence() in take(): either this load sees that the token is taken, or take()
    // sees the announcement.
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
  node* first_ = nullptr;  ///< The line, in the order in which nodes came. Guarded by the mutex.
  node** last_ = &first_;
};
extern constinit commit_token token_of_stm;

}  // namespace nopal::detail
