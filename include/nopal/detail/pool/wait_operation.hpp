// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

#include "nopal/detail/platform/config.hpp"
#include "nopal/detail/pool/pool_body.hpp"
#include "nopal/detail/pool/sleepers.hpp"
#include "nopal/detail/wait/wait_call.hpp"

namespace nopal::detail {

/// Returns a copy of a small element, and not `to` itself. Compilers copy an optional as a whole,
/// and processors wait when they load as a whole what has just been written in parts.
template <class T>
NOPAL_ALWAYS_INLINE std::optional<T> returned(std::optional<T>& to) {
  if constexpr (std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof(void*))
    return to.has_value() ? std::optional<T>(*to) : std::nullopt;
  else
    return std::move(to);
}

/// A consumer that waits for an element, or for the end of the pool.
///
/// Whoever is woken has to look for an element itself, and may find that another one was faster. So
/// a wait begins again, until a look finds something or a limit ends it.
template <class T, class Mechanism>
class pool_wait_operation {
 public:
  using body = pool_body<Mechanism>;
  using side = typename managed_pool<Mechanism>::consumer_side;

  using result = std::optional<T>;
  static constexpr const char* name = "nopal::pool: wait";
  static constexpr const char* waits_for = "an element of the nopal::pool";
  static constexpr bool begins_at_once = false;
  static constexpr bool is_interruptible = true;
  static constexpr bool waits_again = true;

  pool_wait_operation(body& b, side& mine) noexcept
      : body_(&b), side_(&mine), sleeper_(b.sleepers, mine.id) {}

  bool take() noexcept {
    const pool_handles::use mine(body_->consumers, side_->id);
    return look(false);
  }

  bool begin(decision& d, bool /*for_task*/) noexcept {
    if (!in_use_) in_use_.emplace(body_->consumers, side_->id);
    sleeper_.announce(d);
    // The gate is asked before the look that finds nothing.
    const bool is_over = body_->gate.is_over();
    is_done_ = look(true) || is_over;
    if (!is_done_) {
      // Whatever was put when this was woken has been looked for.
      is_woken_ = false;
      return false;
    }
    // Whoever serves the decision already is waited for.
    if (!sleeper_.withdraw()) return false;
    leave();
    return true;
  }

  bool end(unsigned number) noexcept {
    if (decision::is_limit(number)) {
      in_use_.reset();
      return true;
    }
    is_woken_ = true;
    if (!is_done_) return false;
    leave();
    return true;
  }

  std::optional<T> value() {
    if (exception_ != nullptr) [[unlikely]]
      std::rethrow_exception(std::move(exception_));
    return returned(element_);
  }

  [[nodiscard]] const void* object() const noexcept { return body_; }

 private:
  /// Looks for an element. Returns whether it has one, or an exception.
  bool look(bool fenced) noexcept {
    try {
      return body_->elements.get(*side_, element_, fenced);
    } catch (...) {
      exception_ = std::current_exception();
      return true;
    }
  }
  /// Wakes the next one, if this was woken, since whoever has put meanwhile has woken nobody.
  void leave() noexcept {
    in_use_.reset();
    if (is_woken_) body_->sleepers.wake_one();
  }

  body* body_;
  side* side_;
  pool_sleepers::sleeper sleeper_;
  std::optional<T> element_;
  std::exception_ptr exception_;
  std::optional<pool_handles::use> in_use_;
  bool is_done_ = false;
  bool is_woken_ = false;
};

}  // namespace nopal::detail
