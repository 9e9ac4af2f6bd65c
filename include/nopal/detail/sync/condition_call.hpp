// SPDX-License-Identifier: Apache-2.0
// A wait for a nopal::condition. In plain code the strand itself waits for the condition and then
// for the mutex. A task awaits another task that does so, since these are two waits, and more if
// there is a predicate.
#pragma once

#include <mutex>
#include <system_error>
#include <type_traits>
#include <utility>

#include "nopal/detail/platform/assert.hpp"
#include "nopal/detail/wait/wait_call.hpp"
#include "nopal/sync/mutex.hpp"
#include "nopal/task.hpp"

namespace nopal {

class condition;

namespace detail {

/// How the wait of a task for a condition has ended.
struct condition_end {
  bool has_begun = false;  ///< If not, the mutex is still locked.
  unsigned number = decision::stopped;

  [[nodiscard]] unsigned limit() const noexcept { return decision::is_limit(number) ? number : 0; }
};

/// One that waits for a condition. It unlocks the mutex when it is listed.
class condition_operation {
 public:
  using result = void;
  static constexpr bool is_interruptible = true;
  static constexpr bool begins_at_once = true;
  static constexpr const char* name = "nopal::condition: wait";
  static constexpr const char* waits_for = "a notification of the nopal::condition";

  /// \param end  where the end goes if a task waits, which locks the mutex itself. Otherwise
  /// nullptr: this locks it.
  condition_operation(condition& c, mutex& m, condition_end* end) noexcept
      : condition_(&c), mutex_(&m), end_(end) {}

  static bool take() noexcept { return false; }
  bool begin(decision& d, bool for_task) noexcept;
  bool end(unsigned number) noexcept;
  void value() const noexcept {}
  [[nodiscard]] const void* object() const noexcept { return condition_; }

 private:
  condition* condition_;
  mutex* mutex_;
  condition_end* end_;
  offer offer_;
};

/// The predicate of a wait that has none: it ends after one notification.
struct no_predicate {};

/// What a wait for a condition returns. \see wait_call
template <class Predicate, class Limits>
class condition_call {
 public:
  condition_call(const Limits& l, condition& c, std::unique_lock<mutex>& held,
                 Predicate& p) noexcept
      : limits_(l), condition_(&c), mutex_(held.mutex()), predicate_(&p) {
    NOPAL_ASSERT(held.owns_lock());
  }
  condition_call(const condition_call&) = delete;
  condition_call& operator=(const condition_call&) = delete;
  NOPAL_NOINLINE ~condition_call() noexcept(false) {  // as wait_call, if it cleans up
    if (!is_made_) make();
  }

  /// A co_await in a task calls this.
  [[nodiscard]] task<> as_task() const {
    is_made_ = true;
    return run(*this);
  }

 private:
  static constexpr bool is_limited = !std::is_same_v<Limits, no_limits>;

  /// Whether the caller has to wait, once more.
  [[nodiscard]] bool has_to_wait(bool has_waited) const {
    if constexpr (std::is_same_v<Predicate, no_predicate>)
      return !has_waited;
    else
      return !static_cast<bool>((*predicate_)());
  }

  void make() const {
    unsigned limit = 0;
    for (bool waits = has_to_wait(false); waits; waits = has_to_wait(true)) {
      if (limit != 0) return conclude_with(limit);
      limit = wait();
    }
    end_with(limit);
  }
  static task<> run(const condition_call& self) {
    unsigned limit = 0;
    for (bool waits = self.has_to_wait(false); waits; waits = self.has_to_wait(true)) {
      if (limit != 0) {
        self.conclude_with(limit);
        co_return;
      }
      condition_end end;
      [[maybe_unused]] std::error_code error;  // `end` has it, too
      co_await self.wait_of_task(end, error);
      if (end.has_begun) co_await self.mutex_->lock();
      limit = end.limit();
    }
    self.end_with(limit);
  }

  /// Returns the wait of a task. g++ 12 destroys an aggregate twice that is made in the expression
  /// of a co_await, so this is no part of the coroutine.
  [[nodiscard]] wait_call<condition_operation, call_limits> wait_of_task(condition_end& end,
                                                                         std::error_code& e) const {
    call_limits l{{}, &e};  // without an exception, since the mutex has to be locked again
    if constexpr (is_limited) l.within = limits_.within;
    return wait_call<condition_operation, call_limits>(l, *condition_, *mutex_, &end);
  }
  /// Waits once, in plain code. Returns the limit that has ended the wait, or 0.
  [[nodiscard]] unsigned wait() const noexcept {
    condition_operation o(*condition_, *mutex_, nullptr);
    if constexpr (is_limited) {
      if (limits_.within.stop.stop_requested()) return decision::stopped;
      return wait_until_done(o, limits_.within);
    } else {
      return wait_until_done(o);
    }
  }
  /// Ends the call when no more wait is needed. If the predicate holds, no limit counts.
  void end_with(unsigned limit) const {
    conclude_with(std::is_same_v<Predicate, no_predicate> ? limit : 0);
  }
  void conclude_with(unsigned limit) const {
    if constexpr (is_limited)
      conclude<condition_operation>(limit, limits_.error);
    else if (limit != 0)
      throw_limit(limit, condition_operation::name);
  }

  [[no_unique_address]] Limits limits_;
  condition* condition_;
  mutex* mutex_;
  Predicate* predicate_;
  mutable bool is_made_ = false;
};

}  // namespace detail
}  // namespace nopal
