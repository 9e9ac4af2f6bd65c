// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nopal/detail/wait/decision.hpp"

namespace nopal {

class mutex;

namespace detail {

/// One that waits for a mutex.
class mutex_operation {
 public:
  using result = void;
  static constexpr const char* name = "nopal::mutex: lock";
  static constexpr const char* waits_for = "the nopal::mutex";
  static constexpr bool is_interruptible = false;
  static constexpr bool begins_at_once = false;

  explicit mutex_operation(mutex& m) noexcept : mutex_(&m) {}
  inline bool take() noexcept;
  bool begin(decision& d, bool for_task) noexcept;
  bool end(unsigned number) noexcept;
  void value() const noexcept {}
  [[nodiscard]] const void* object() const noexcept { return mutex_; }

 private:
  friend mutex;

  struct lock_offer : offer {
    bool takes_over = false;  ///< Whoever unlocks hands the lock over.
  };

  mutex* mutex_;
  lock_offer offer_;
  bool is_next_ = false;  ///< It has been woken to lock, and comes before all others.
};

}  // namespace detail
}  // namespace nopal
