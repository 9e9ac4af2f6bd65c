// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nopal/detail/wait/decision.hpp"

namespace nopal {

class shared_mutex;

namespace detail {

/// One that waits for a shared mutex.
struct shared_mutex_operation {
  using result = void;
  static constexpr bool is_interruptible = false;
  static constexpr bool begins_at_once = false;
  static constexpr const char* waits_for = "the nopal::shared_mutex";

  explicit shared_mutex_operation(shared_mutex& m, bool s) noexcept : mutex(&m) {
    listed.shares = s;
  }
  inline bool take() noexcept;
  bool begin(decision& d, bool for_task) noexcept;
  bool end(unsigned number) noexcept;
  void value() const noexcept {}
  [[nodiscard]] const void* object() const noexcept { return mutex; }

  struct lock_offer : offer {
    bool shares = false;
  };

  shared_mutex* mutex;
  lock_offer listed;
};

struct exclusive_operation : shared_mutex_operation {
  static constexpr const char* name = "nopal::shared_mutex: lock";
  explicit exclusive_operation(shared_mutex& m) noexcept : shared_mutex_operation(m, false) {}
};
struct shared_operation : shared_mutex_operation {
  static constexpr const char* name = "nopal::shared_mutex: lock_shared";
  explicit shared_operation(shared_mutex& m) noexcept : shared_mutex_operation(m, true) {}
};

}  // namespace detail
}  // namespace nopal
