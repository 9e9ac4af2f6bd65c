// SPDX-License-Identifier: Apache-2.0
// A promise that has a result, the place that the result goes to, and who may reach both.
#pragma once

#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>

#include "nopal/detail/platform/config.hpp"
#include "nopal/detail/platform/invoke.hpp"
#include "nopal/detail/task/checked_task.hpp"
#include "nopal/detail/task/stored.hpp"
#include "nopal/detail/task/task_declaration.hpp"
#include "nopal/detail/task/task_promise.hpp"

namespace nopal {

template <class T>
class eventual;
template <class T>
class try_eventual;

namespace detail {

template <class T>
inline constexpr bool is_task = false;
template <class T>
inline constexpr bool is_task<task<T>> = true;

template <class T>
class result_promise : public task_promise {
 public:
  using result = stored<T>;

  task<T> get_return_object() noexcept { return task<T>(*this); }

  void result_goes_to(result* r) noexcept { slot_ = r; }
  void result_goes_to(std::optional<result>* r) noexcept {
    slot_ = r;
    this->result_has_no_plain_place();
  }
  void result_goes_to(std::nullptr_t) noexcept {
    slot_ = nullptr;
    this->result_has_no_plain_place();
  }

  /// Hands over the result. A co_return calls this.
  template <class U = T>
  NOPAL_ALWAYS_INLINE void return_value(U&& value) {
    constexpr bool right =
        std::is_reference_v<T> ? std::is_convertible_v<U, T> : std::is_constructible_v<result, U>;
    if constexpr (!check_co_return<right, T, U>())
      return;
    else if constexpr (std::is_reference_v<T>)
      put(detail::address_of(static_cast<T>(value)));
    else
      put(std::forward<U>(value));
  }

 private:
  /// Puts the result where whoever has forked or called the task wants it, after the join that a
  /// result has to wait for.
  template <class U>
  NOPAL_ALWAYS_INLINE void put(U&& value) {
    this->leaves();
    if (!returns_plainly()) [[unlikely]] {
      before_return();
      if (!result_has_plain_place()) {
        if (slot_ != nullptr)
          static_cast<std::optional<result>*>(slot_)->emplace(std::forward<U>(value));
        return;
      }
    }
    if constexpr (std::is_arithmetic_v<result>) {
      *static_cast<result*>(slot_) = static_cast<result>(value);
    } else if constexpr (std::is_assignable_v<result&, U>) {
      *static_cast<result*>(slot_) = std::forward<U>(value);
    } else if constexpr (std::is_move_assignable_v<result>) {
      *static_cast<result*>(slot_) = result(std::forward<U>(value));
    }
  }

  /// A result*; or, if the result has no plain place, a std::optional<result>* or nullptr.
  void* slot_;
};

template <>
class result_promise<void> : public task_promise {
 public:
  /// This is a template because task<void> is not complete here.
  template <class T = void>
  task<T> get_return_object() noexcept {
    return task<T>(*this);
  }
  void result_goes_to(std::nullptr_t) noexcept {}
  void return_void() noexcept {
    this->leaves();
    before_return();
  }
};

struct task_access {
  /// Returns the promise of a task.
  /// \throws std::logic_error if there is none: the task has been moved from.
  template <class T>
  NOPAL_ALWAYS_INLINE static result_promise<T>* promise_of(const task<T>& t) {
    if (t.promise_ == nullptr) [[unlikely]]
      task_promise::nothing_to_run();
    return t.promise_;
  }
  /// Takes the coroutine out of the task that is about to run it.
  template <class T>
  NOPAL_ALWAYS_INLINE static result_promise<T>* release(task<T>&& t) {
    result_promise<T>* p = promise_of(t);
    t.promise_ = nullptr;
    return p;
  }
  /// Returns the task of a coroutine that release() has taken out.
  template <class T>
  static task<T> again(void* promise) noexcept {
    return task<T>(*static_cast<result_promise<T>*>(promise));
  }
};

/// Whether a place is written by a task of its own; see outcome_noter.
template <class R>
inline constexpr bool notes_outcome = false;
template <>
inline constexpr bool notes_outcome<eventual<void>> = true;
template <class T>
inline constexpr bool notes_outcome<try_eventual<T>> = true;

template <class T>
inline constexpr bool is_eventual = notes_outcome<T>;
template <class T>
inline constexpr bool is_eventual<eventual<T>> = true;

struct result_access {
  /// Returns the place for the result of a fork.
  template <class R>
  static auto place(R* r, task_promise& parent) noexcept {
    if constexpr (is_eventual<R>) r->parent_ = &parent;
    return place(r);
  }
  static std::nullptr_t place(std::nullptr_t, task_promise&) noexcept { return nullptr; }

  /// Returns the place for the result of a call, which has ended when its caller goes on.
  template <class R>
  static auto place(R* r) noexcept {
    if constexpr (notes_outcome<R>)
      return nullptr;
    else if constexpr (is_eventual<R>)
      return &r->value_;
    else
      return r;
  }

  // The task that writes to a place uses these.
  template <class Place>
  static void*& child_of(Place& p) noexcept {
    return p.child_;
  }
  template <class Place>
  static auto& outcome_of(Place& p) noexcept {
    return p.outcome_;
  }
  template <class Place>
  static bool& has_ended(Place& p) noexcept {
    return p.has_ended_;
  }
};

template <class F, class... A>
using task_result = typename std::invoke_result_t<F, A...>::value_type;

}  // namespace detail
}  // namespace nopal
