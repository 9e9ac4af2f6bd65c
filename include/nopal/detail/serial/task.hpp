// SPDX-License-Identifier: Apache-2.0
// This is the serial elision of tasks: a fork or a call runs the child to its end, and a join only
// throws what a child has thrown.
#pragma once

#include <concepts>
#include <coroutine>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <tuple>
#include <type_traits>
#include <utility>

#include "nopal/detail/runtime/completion.hpp"
#include "nopal/detail/serial/runtime.hpp"
#include "nopal/detail/serial/task/eventual.hpp"
#include "nopal/detail/serial/task/foreign_awaiter.hpp"
#include "nopal/detail/serial/task_promise.hpp"
#include "nopal/detail/task/checked_task.hpp"
#include "nopal/detail/task/task_parameters.hpp"

namespace nopal {
inline namespace serial {

template <class T = void>
class task;

namespace serial_detail {

template <class T>
class promise;

template <class T>
inline constexpr bool is_task = false;
template <class T>
inline constexpr bool is_task<task<T>> = true;

/// Reaches what task and eventual hide from their users.
struct access {
  /// \throws std::logic_error if `t` has been moved from.
  template <class T>
  static void check(const task<T>& t) {
    if (t.own_.handle() == nullptr)
      throw std::logic_error("nopal: this task has been moved from; there is nothing to run");
  }
  /// Takes the coroutine out of `t`.
  /// \throws std::logic_error as check()
  template <class T>
  static owned<promise<T>> release(task<T>&& t) {
    check(t);
    return std::move(t.own_);
  }
  template <class R>
  static auto place(R* r) noexcept {
    if constexpr (is_eventual<R>)
      return &r->value_;
    else
      return r;
  }

  /// Awaits `child`, and writes its outcome to `place`.
  /// \tparam Nothing  is void: a task is not complete here.
  template <class Place, class T, class Nothing = void>
  static task<Nothing> note_outcome(Place& place, task<T> child) {
    if constexpr (std::is_same_v<Place, eventual<void>>) {
      co_await std::move(child);
      place.has_ended_ = true;
    } else {
      try {
        if constexpr (std::is_void_v<T>) {
          co_await std::move(child);
          place.outcome_.set_value();
        } else {
          place.outcome_.set_value(co_await std::move(child));
        }
      } catch (...) {
        place.outcome_.set_error(std::current_exception());
      }
    }
  }
};

template <class T>
class result_promise : public task_promise {
 public:
  using result = stored<T>;

  void result_goes_to(result* r) noexcept { plain_ = r; }
  void result_goes_to(std::optional<result>* r) noexcept { optional_ = r; }

  template <class U = T>
  void return_value(U&& value) {
    constexpr bool right =
        std::is_reference_v<T> ? std::is_convertible_v<U, T> : std::is_constructible_v<result, U>;
    if constexpr (!detail::check_co_return<right, T, U>())
      return;
    else if constexpr (std::is_reference_v<T>)
      put(std::addressof(static_cast<T>(value)));
    else
      put(std::forward<U>(value));
  }

 private:
  template <class U>
  void put(U&& value) {
    if (optional_ != nullptr) {
      optional_->emplace(std::forward<U>(value));
    } else if (plain_ != nullptr) {
      if constexpr (std::is_arithmetic_v<result>)
        *plain_ = static_cast<result>(value);
      else if constexpr (std::is_assignable_v<result&, U>)
        *plain_ = std::forward<U>(value);
      else if constexpr (std::is_move_assignable_v<result>)
        *plain_ = result(std::forward<U>(value));
    }
  }

  result* plain_ = nullptr;
  std::optional<result>* optional_ = nullptr;
};

template <>
class result_promise<void> : public task_promise {
 public:
  void return_void() const noexcept {}
};

template <class F, class... A>
using task_result = typename std::invoke_result_t<F, A...>::value_type;

}  // namespace serial_detail

template <class T>
class [[nodiscard(
    "nopal: a task does nothing until it is forked, called, awaited or given to "
    "nopal::wait")]] task {
  static_assert(!serial_detail::is_task<T>,
                "nopal::task: the result must not be a task; co_return co_await the inner one");
  static_assert(detail::fits_frame<serial_detail::stored<T>>,
                "nopal::task: the result must not be over-aligned: frames are aligned to 16 bytes");

 public:
  using value_type = T;
  void swap(task& other) noexcept { own_.swap(other.own_); }

 private:
  friend serial_detail::promise<T>;
  friend serial_detail::access;
  explicit task(std::coroutine_handle<serial_detail::promise<T>> h) noexcept : own_(h) {}

  serial_detail::owned<serial_detail::promise<T>> own_;
};

template <class F, class... A>
concept task_function =
    std::invocable<F, A...> && serial_detail::is_task<std::invoke_result_t<F, A...>>;

template <class R, class T>
concept place_for = std::same_as<R, eventual<T>> || std::same_as<R, try_eventual<T>> ||
                    (!std::is_void_v<T> &&
                     ((std::same_as<R, serial_detail::stored<T>> && std::is_move_assignable_v<R>) ||
                      std::same_as<R, eventual<serial_detail::stored<T>>>));

namespace serial_detail {

template <class R, class F, class... A>
inline constexpr bool result_has_place = true;
template <class R, class F, class... A>
  requires(!std::is_void_v<R>) && task_function<F, A...>
inline constexpr bool result_has_place<R, F, A...> = place_for<R, task_result<F, A...>>;

/// Says whether f(args...) can be forked or called, and its result go to an R. If not, the compiler
/// says why.
/// \tparam R  void if the result goes nowhere.
template <class R, class F, class... A>
struct checked_child
    : detail::checked_task_call<detail::is_already_made<F>, std::is_invocable_v<F, A...>,
                                task_function<F, A...>, result_has_place<R, F, A...>, R, F, A...> {
};

template <bool Forks, class R, class F, class... A>
struct child_expression {
  R result;
  F&& f;
  std::tuple<A&&...> arguments;

  [[nodiscard]] auto make() {
    return std::apply(
        [&](auto&&... a) {
          using place = std::remove_pointer_t<R>;
          auto child = std::invoke(std::forward<F>(f), std::forward<decltype(a)>(a)...);
          if constexpr (notes_outcome<place>)
            return access::release(access::note_outcome(*result, std::move(child)));
          else
            return access::release(std::move(child));
        },
        std::move(arguments));
  }
};

struct join_expression {};

struct joins_at_its_end {
  ~joins_at_its_end() {}  // a scope is used by being there
};

struct join_scope_expression {
  [[nodiscard]] auto awaiter_in(task_promise&) const noexcept {
    struct awaiter : std::suspend_never {
      [[nodiscard]] joins_at_its_end await_resume() const noexcept { return {}; }
    };
    return awaiter{};
  }
};

/// A call whose result is the value of the expression.
template <class T>
struct value_awaiter : call_awaiter<promise<T>> {
  std::optional<stored<T>> value;

  value_awaiter(task_promise& parent, owned<promise<T>> child) noexcept
      : call_awaiter<promise<T>>(parent, std::move(child)) {
    this->child().result_goes_to(&value);
  }
  T await_resume() {
    call_awaiter<promise<T>>::await_resume();
    if constexpr (std::is_reference_v<T>)
      return static_cast<T>(**value);
    else
      return *std::move(value);
  }
};

template <class T>
class promise final : public result_promise<T> {
 public:
  task<T> get_return_object() noexcept {
    return task<T>(std::coroutine_handle<promise>::from_promise(*this));
  }

  template <bool Forks, class R, class F, class... A>
  auto await_transform(child_expression<Forks, R, F, A...>&& e) {
    return awaiter_of<Forks>(child_made_by(e), e.result);
  }
  template <class U>
  auto await_transform(task<U>&& t) {
    auto hand_on = [&] { return std::move(t); };
    return await_transform(
        child_expression<false, std::nullptr_t, decltype(hand_on)&>{nullptr, hand_on, {}});
  }
  join_awaiter await_transform(join_expression) noexcept { return {{}, this}; }
  template <class E>
    requires requires(const E& e, task_promise& t) { e.awaiter_in(t); }
  auto await_transform(E&& e) {
    return e.awaiter_in(*this);
  }
  auto await_transform(detail::foreign_awaitable auto&& x) {
    return foreign_awaiter<decltype(x)>(std::forward<decltype(x)>(x));
  }
  template <class Other>
  void await_transform(Other&&) {
    static_assert(
        !sizeof(Other),
        "nopal::task: co_await takes nopal::fork(…), nopal::call(…), nopal::join(), "
        "nopal::resume_on(…), nopal::allocate<T>(…), a task that it may consume: co_await "
        "f(…) or co_await std::move(t), or anything with an operator co_await or the "
        "functions of an awaiter");
  }

 private:
  template <class E>
  auto child_made_by(E& e) {
    try {
      return e.make();
    } catch (...) {
      this->unhandled_exception();
      this->join();
      throw;  // join() has thrown
    }
  }

  /// Returns what a co_await of `child` gets: a fork, a call whose result goes to `place`, or a
  /// call that returns its result.
  template <bool Forks, class U, class R>
  auto awaiter_of(owned<promise<U>> child, R place) {
    if constexpr (!std::is_null_pointer_v<R> && !notes_outcome<std::remove_pointer_t<R>>)
      child.handle().promise().result_goes_to(access::place(place));
    if constexpr (Forks)
      return fork_awaiter<promise<U>>(*this, std::move(child));
    else if constexpr (std::is_void_v<U> || !std::is_null_pointer_v<R>)
      return call_awaiter<promise<U>>(*this, std::move(child));
    else
      return value_awaiter<U>(*this, std::move(child));
  }
};

}  // namespace serial_detail

template <class R, class F, class... A>
  requires(!std::is_function_v<R>)
[[nodiscard("nopal: a fork takes place where it is awaited: co_await nopal::fork(…)")]] auto fork(
    R* result, F&& f, A&&... args) noexcept {
  if constexpr (serial_detail::checked_child<R, F, A...>::check()) {
    detail::check_fork<F, A...>();
    static_assert(std::is_trivially_destructible_v<R> || serial_detail::is_eventual<R>,
                  "nopal::fork: a result with a destructor needs a nopal::eventual<T>, which waits "
                  "for the child where an exception ends its scope before the join");
    return serial_detail::child_expression<true, R*, F, A...>{
        result, std::forward<F>(f), {std::forward<A>(args)...}};
  } else {
    return detail::refused_expression();
  }
}
template <class F, class... A>
  requires(!detail::is_place<F>)
[[nodiscard("nopal: a fork takes place where it is awaited: co_await nopal::fork(…)")]] auto fork(
    F&& f, A&&... args) noexcept {
  if constexpr (serial_detail::checked_child<void, F, A...>::check()) {
    detail::check_fork<F, A...>();
    return serial_detail::child_expression<true, std::nullptr_t, F, A...>{
        nullptr, std::forward<F>(f), {std::forward<A>(args)...}};
  } else {
    return detail::refused_expression();
  }
}
template <class No = detail::one_function_comes_first__a_lambda_chooses_among_several_of_one_name>
No fork(...);

template <class R, class F, class... A>
  requires(!std::is_function_v<R>)
[[nodiscard("nopal: a call takes place where it is awaited: co_await nopal::call(…)")]] auto call(
    R* result, F&& f, A&&... args) noexcept {
  if constexpr (serial_detail::checked_child<R, F, A...>::check())
    return serial_detail::child_expression<false, R*, F, A...>{
        result, std::forward<F>(f), {std::forward<A>(args)...}};
  else
    return detail::refused_expression();
}
template <class F, class... A>
  requires(!detail::is_place<F>)
[[nodiscard("nopal: a call takes place where it is awaited: co_await nopal::call(…)")]] auto call(
    F&& f, A&&... args) noexcept {
  if constexpr (serial_detail::checked_child<void, F, A...>::check())
    return serial_detail::child_expression<false, std::nullptr_t, F, A...>{
        nullptr, std::forward<F>(f), {std::forward<A>(args)...}};
  else
    return detail::refused_expression();
}
template <class No = detail::one_function_comes_first__a_lambda_chooses_among_several_of_one_name>
No call(...);

[[nodiscard(
    "nopal: a join takes place where it is awaited: co_await "
    "nopal::join()")]] inline serial_detail::join_expression
join() noexcept {
  return {};
}

[[nodiscard(
    "nopal: it takes place where it is awaited: auto scope = co_await "
    "nopal::join_scope()")]] inline serial_detail::join_scope_expression
join_scope() noexcept {
  return {};
}

template <class T>
T wait(task<T> t) {
  const auto own = serial_detail::access::release(std::move(t));
  auto& promise = own.handle().promise();
  std::optional<serial_detail::stored<std::conditional_t<std::is_void_v<T>, int, T>>> value;
  if constexpr (!std::is_void_v<T>) promise.result_goes_to(&value);
  own.handle().resume();
  promise.join();
  if constexpr (std::is_reference_v<T>)
    return static_cast<T>(**value);
  else if constexpr (!std::is_void_v<T>)
    return *std::move(value);
}

}  // namespace serial

template <class T>
struct detail::completion<serial::task<T>> {
  static T complete(serial::task<T>&& t) { return wait(std::move(t)); }
};

}  // namespace nopal

template <class T, class... Parameters>
struct std::coroutine_traits<nopal::task<T>, Parameters...>
    : nopal::detail::task_parameters<Parameters...> {
  using promise_type = nopal::serial_detail::promise<T>;
};
