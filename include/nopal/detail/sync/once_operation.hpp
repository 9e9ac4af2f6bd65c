// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <utility>

#include "nopal/detail/platform/config.hpp"
#include "nopal/detail/wait/decision.hpp"

namespace nopal {

class once;

namespace detail {

/// One that waits for another to run what is to run once, or for its own turn.
class once_turn {
 public:
  static constexpr bool is_interruptible = true;
  static constexpr bool begins_at_once = false;
  static constexpr const char* name = "nopal::once: call";
  static constexpr const char* waits_for = "the call of a nopal::once";

  explicit once_turn(once& o) noexcept : once_(&o) {}
  inline bool take() noexcept;
  bool begin(decision& d, bool for_task) noexcept;
  bool end(unsigned number) noexcept;
  [[nodiscard]] const void* object() const noexcept { return once_; }

 protected:
  /// Ends the turn of this, which is the one to run the call. The once may be gone when these
  /// return.
  void has_run() noexcept;
  void has_thrown() noexcept;
  [[nodiscard]] bool is_to_run() const noexcept { return offer_.is_to_run; }

 private:
  struct turn_offer : offer {
    bool is_to_run = false;  ///< Whoever has thrown hands the turn over.
  };

  once* once_;
  turn_offer offer_;
};

/// Runs a function in its turn.
template <class F>
class once_operation : public once_turn {
 public:
  using result = void;

  once_operation(once& o, F& f) noexcept : once_turn(o), f_(&f) {}
  void value() {
    if (is_to_run()) run();
  }

 private:
  NOPAL_NOINLINE void run() {  // because of what it throws: see held_exception.hpp
    try {
      std::invoke(*f_);
    } catch (...) {
      has_thrown();
      throw;
    }
    has_run();
  }

  F* f_;
};

}  // namespace detail
}  // namespace nopal
