// SPDX-License-Identifier: Apache-2.0
// A call that may wait: in plain code it is made at once, and a task awaits it. docs/wait.md
// describes it.
#pragma once

#include <concepts>
#include <coroutine>
#include <cstdio>
#include <exception>
#include <memory>
#include <system_error>
#include <type_traits>
#include <utility>

#include "nopal/detail/platform/config.hpp"
#include "nopal/detail/scheduler/noted_wait.hpp"
#include "nopal/detail/strand/current_scope.hpp"
#include "nopal/detail/wait/decision.hpp"
#include "nopal/detail/wait/limited_wait.hpp"
#include "nopal/detail/wait/no_value.hpp"
#include "nopal/wait/limits.hpp"

namespace nopal::detail {

/// What a call waits for. It lies with whoever waits.
template <class O>
concept wait_operation = requires(O& o, const O& c, decision& d, unsigned number) {
  typename O::result;
  // Does the whole, if that needs no wait. Returns whether it has.
  { o.take() } noexcept -> std::same_as<bool>;
  // Does the same, and otherwise begins a wait that `d` ends. `for_task`: it ends for good, unless
  // waits_again<O>.
  { o.begin(d, true) } noexcept -> std::same_as<bool>;
  // Ends the wait, after `d` is over with this number. Returns false if it has to begin again.
  { o.end(number) } noexcept -> std::same_as<bool>;
  // Returns what the call returns, after the whole is done.
  { o.value() } -> std::same_as<typename O::result>;
  // Whether a stop of the caller's scope ends the wait, if the call has no limits.
  { O::is_interruptible } -> std::convertible_to<bool>;
  // Whether plain code calls begin() without a take() before.
  { O::begins_at_once } -> std::convertible_to<bool>;
  // Name the call, and the object, for messages.
  { O::name } -> std::convertible_to<const char*>;
  { O::waits_for } -> std::convertible_to<const char*>;
  { c.object() } noexcept -> std::same_as<const void*>;
};

/// Whether end() may return false for a task. Such a task is not resumed, but begins its wait again
/// on a fresh stack.
template <class O>
inline constexpr bool waits_again = false;
template <class O>
  requires requires { O::waits_again; }
inline constexpr bool waits_again<O> = O::waits_again;

/// A call without limits.
struct no_limits {};

/// The limits of a call, and where its error goes: nullptr if it throws.
struct call_limits {
  limits within;
  std::error_code* error = nullptr;
};

#ifdef NOPAL_CHECK
/// Returns the description of a wait, for the message that names what waits in vain.
template <class O>
noted_wait::reason reason_of(const O& o) noexcept {
  if constexpr (requires { o.as_reason(); }) {
    return o.as_reason();
  } else {
    const auto describe = [](const void* object, char* text, std::size_t bytes) noexcept {
      std::snprintf(text, bytes, "a strand, task or thread for %s at %p", O::waits_for, object);
    };
    return {describe, o.object()};
  }
}
#endif

/// Takes the place of scope_wait where no stop of the scope ends a call without limits.
struct no_scope {
  void begin(decision& /*d*/) const noexcept {}
  void end() const noexcept {}
};
template <class O>
using wait_in_scope = std::conditional_t<O::is_interruptible, scope_wait, no_scope>;

/// Lets the calling strand or thread wait until the call is done, or what Ends begins ends the
/// wait. Returns 0, or the number of the limit that has. It is not inlined, since it is the slow
/// way of each call.
template <class Ends, wait_operation O, class... Within>
NOPAL_NOINLINE unsigned wait_until_ended(O& o, const Within&... within) noexcept {
#ifdef NOPAL_CHECK
  const noted_wait noted(reason_of(o));
#endif
  for (;;) {
    decision d;
    if (o.begin(d, false)) return 0;
    Ends ends;
    ends.begin(d, within...);
    const unsigned number = wait_for(d);
    ends.end();
    if (o.end(number)) return decision::is_limit(number) ? number : 0;
  }
}

template <wait_operation O>
unsigned wait_until_done(O& o, const limits& within) noexcept {
  return wait_until_ended<limited_wait>(o, within);
}
/// Does the same for a call without limits, which a stop of the caller's scope may end.
template <wait_operation O>
unsigned wait_until_done(O& o) noexcept {
  return wait_until_ended<wait_in_scope<O>>(o);
}

/// Ends a call with limits: throws, or leaves the error. Returns whether the call is done.
template <wait_operation O>
bool conclude(unsigned limit, std::error_code* error) {
  if (error != nullptr) error->clear();
  if (limit == 0) return true;
  if (error == nullptr) throw_limit(limit, O::name);
  *error = std::make_error_code(error_of_limit(limit));
  return false;
}

/// The awaiter of a call. It lies in the task that awaits.
/// \tparam Task  the promise of a task. It has the types of what suspends the task: waiter_of_task,
/// and repeated_waiter_of_task, which also begins a wait again.
template <wait_operation O, class Limits, class Task>
class wait_awaiter {
 public:
  wait_awaiter(Task& t, O&& o, Limits& l) noexcept
      : waiter_(make_waiter(t)), operation_(std::move(o)), limits_(l) {}

  bool await_ready() noexcept {
    if constexpr (is_limited)
      if (limits_.within.stop.stop_requested()) {
        number_ = decision::stopped;
        return true;
      }
    return operation_.take();
  }
  bool await_suspend(std::coroutine_handle<>) noexcept { return wait(); }
  typename O::result await_resume() {
    if (waits_) end_wait();
    const unsigned limit = decision::is_limit(number_) ? number_ : 0;
    if constexpr (is_limited) {
      if (!conclude<O>(limit, limits_.error)) return no_value<typename O::result>();
    } else if (limit != 0) {
      throw_limit(limit, O::name);
    }
    return operation_.value();
  }

 private:
  static constexpr bool is_limited = !std::is_same_v<Limits, no_limits>;
  using waiter_type =
      typename std::conditional_t<waits_again<O>,
                                  std::type_identity<typename Task::repeated_waiter_of_task>,
                                  std::type_identity<typename Task::waiter_of_task>>::type;

  waiter_type make_waiter(Task& t) noexcept {
    if constexpr (waits_again<O>)
      return waiter_type(t, go_on_waiting, this);
    else
      return waiter_type(t);
  }

  /// Begins to wait. Returns whether the task stays suspended. If so, this may be gone.
  bool wait() noexcept {
    for (;;) {
      if (operation_.begin(decision_, true)) return false;
      waits_ = true;
#ifdef NOPAL_CHECK
      noted_.begin(reason_of(operation_));
#endif
      if constexpr (is_limited)
        limited_.begin(decision_, limits_.within);
      else
        limited_.begin(decision_);
      if (waiter_.wait_for([d = &decision_](waiter& w) noexcept { return d->announce(w); }))
        return true;
      if (!has_to_wait_again()) return false;
    }
  }
  /// Ends a wait, and makes this ready for the next one if that has not done the whole.
  bool has_to_wait_again() noexcept {
    if constexpr (waits_again<O>) {
      if (end_wait()) return false;
      std::destroy_at(&decision_);
      std::construct_at(&decision_);
      return true;
    } else {
      return false;  // await_resume() ends the wait
    }
  }
  static bool go_on_waiting(void* self) noexcept {
    auto& a = *static_cast<wait_awaiter*>(self);
    return a.has_to_wait_again() && a.wait();
  }

  bool end_wait() noexcept {
#ifdef NOPAL_CHECK
    noted_.end();
#endif
    limited_.end();
    number_ = decision_.number();
    waits_ = false;
    return operation_.end(number_);
  }

  waiter_type waiter_;
  O operation_;
  [[no_unique_address]] Limits limits_;
  decision decision_;
  [[no_unique_address]] std::conditional_t<is_limited, limited_wait, wait_in_scope<O>> limited_;
  unsigned number_ = 0;
  bool waits_ = false;
#ifdef NOPAL_CHECK
  noted_wait noted_;
#endif
};

/// No call is its value.
template <class O>
inline constexpr bool is_value = false;

/// What a call that may wait returns. It is made where its value is used; if nobody uses the value,
/// at the end of the expression. `co_await` in a task makes it without the strand.
template <wait_operation O, class Limits = no_limits>
class wait_call {
  struct nothing;  // nobody converts a call without a value to this

  /// Whether the end of a call that throws has something to clean up. Then it is not inlined: see
  /// held_exception.hpp.
  static constexpr bool cleans_up =
      !std::is_trivially_destructible_v<O> || !std::is_trivially_destructible_v<Limits>;

 public:
  using result = typename O::result;
  using value = std::conditional_t<std::is_void_v<result>, nothing, result>;

  template <class... A>
  explicit wait_call(const Limits& l, A&&... a) : limits_(l), operation_(std::forward<A>(a)...) {}
  wait_call(const wait_call&) = delete;
  wait_call& operator=(const wait_call&) = delete;
  NOPAL_ALWAYS_INLINE ~wait_call() noexcept(!may_throw)
    requires(!cleans_up)
  {
    if (!is_made_) make();
  }
  NOPAL_NOINLINE ~wait_call() noexcept(!may_throw)
    requires cleans_up
  {
    if (!is_made_) make();
  }

  /// Makes the call, and returns its value.
  NOPAL_ALWAYS_INLINE operator value() && {
    is_made_ = true;
    return make();
  }

  // These are for `auto v = c.receive();`, which is the call itself.
  template <std::same_as<bool> B>
  explicit operator B() const& {
    refuse<O>();
  }
  template <std::same_as<bool> B>
    requires(!std::same_as<result, bool>)
  explicit operator B() && = delete;
  template <class R = result>
  auto operator*() const -> decltype(*std::declval<R&>()) {
    refuse<O>();
  }
  template <class R = result>
  auto operator->() const -> decltype(std::declval<R&>().operator->()) {
    refuse<O>();
  }

  /// A co_await in a task calls this.
  template <class Task>
  [[nodiscard]] wait_awaiter<O, Limits, Task> awaiter_in(Task& t) const noexcept {
    static_assert(
        alignof(wait_awaiter<O, Limits, Task>) <= Task::frame_alignment,
        "nopal: a task cannot wait for over-aligned elements, since frames are aligned to "
        "16 bytes. Put the element into a std::unique_ptr");
    is_made_ = true;
    return {t, std::move(operation_), limits_};
  }

 private:
  template <class C>
  [[noreturn]] static void refuse() noexcept {
    static_assert(
        is_value<C>,
        "nopal: the call has not been made: auto keeps the call itself, and not its value. "
        "For example, write std::optional<T> v = c.receive(), bool sent = c.send(v), or "
        "int which = nopal::select(c.receiving(v))");
    std::terminate();
  }

  static constexpr bool is_limited = !std::is_same_v<Limits, no_limits>;
  static constexpr bool may_throw =
      is_limited || O::is_interruptible || !noexcept(std::declval<O&>().value());

  NOPAL_ALWAYS_INLINE bool takes() const noexcept {
    return !O::begins_at_once && operation_.take();
  }
  NOPAL_ALWAYS_INLINE result make() const {
    if constexpr (is_limited) {
      unsigned limit = decision::stopped;
      if (!limits_.within.stop.stop_requested())
        limit = takes() ? 0 : wait_until_done(operation_, limits_.within);
      if (!conclude<O>(limit, limits_.error)) return no_value<result>();
    } else if (!takes()) [[unlikely]] {
      const unsigned limit = wait_until_done(operation_);
      if constexpr (O::is_interruptible)
        if (limit != 0) throw_limit(limit, O::name);
    }
    return operation_.value();
  }

  [[no_unique_address]] mutable Limits limits_;
  mutable O operation_;
  mutable bool is_made_ = false;
};

}  // namespace nopal::detail
