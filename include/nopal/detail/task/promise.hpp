// SPDX-License-Identifier: Apache-2.0
// What a coroutine may co_await of nopal/task.hpp, and the promise that takes it.
#pragma once

#include <coroutine>
#include <optional>
#include <source_location>
#include <tuple>
#include <type_traits>
#include <utility>

#include "nopal/detail/platform/config.hpp"
#include "nopal/detail/platform/invoke.hpp"
#include "nopal/detail/task/checked_coroutine.hpp"
#include "nopal/detail/task/foreign/foreign_awaiter.hpp"
#include "nopal/detail/task/result_promise.hpp"
#include "nopal/detail/task/task_awaiters.hpp"
#include "nopal/detail/task/task_declaration.hpp"
#include "nopal/detail/task/task_parameters.hpp"
#include "nopal/detail/task/task_promise.hpp"
#include "nopal/detail/task/task_waiter.hpp"

namespace nopal::detail {

template <class R, class F, class... A>
struct fork_expression {
  R result;
  F&& f;
  std::tuple<A&&...> arguments;
};

template <class R, class F, class... A>
struct call_expression {
  R result;
  F&& f;
  std::tuple<A&&...> arguments;
};

struct join_expression {};

template <class Place>
struct outcome_noter;  // in note_outcome.hpp

/// A call whose result is the value of the expression.
template <class T>
class value_awaiter {
 public:
  value_awaiter(task_promise& parent, result_promise<T>& child) noexcept : parent_(&parent) {
    child.result_goes_to(&value_);
  }
  value_awaiter(const value_awaiter&) = delete;
  value_awaiter& operator=(const value_awaiter&) = delete;

  static bool await_ready() noexcept { return false; }
  template <class P>
  NOPAL_ALWAYS_INLINE static bool await_suspend(std::coroutine_handle<P> h) noexcept {
    return call_awaiter::await_suspend(h);
  }
  T await_resume() {
    parent_->finish_call();
    if constexpr (std::is_reference_v<T>)
      return static_cast<T>(**value_);
    else
      return *std::move(value_);
  }

 private:
  task_promise* parent_;
  std::optional<stored<T>> value_;
};

/// The promise of a coroutine, as the compiler sees it.
template <class T>
class promise final : public result_promise<T> {
 public:
#ifdef NOPAL_CHECK
  promise() noexcept = default;
  /// Takes the parameters of the coroutine. If the coroutine is a lambda's, g++ passes the closure
  /// as the first one, and clang++ does not tell. They are not constrained, because the closure's
  /// type is not complete there.
  template <class First, class... Parameters>
  explicit promise(First&& first, Parameters&&...) noexcept {
    this->checked_.is_call_with(first);
  }

  task<T> get_return_object(std::source_location at = std::source_location::current()) noexcept {
    this->checked_.declared(at);
    return result_promise<T>::get_return_object();
  }

  auto initial_suspend() noexcept {
    struct awaiter : std::suspend_always {
      checked_coroutine* checked;
      void await_resume() const noexcept { checked->begins(); }
    };
    return awaiter{{}, &this->checked_};
  }

  decltype(auto) final_suspend() noexcept {
    this->checked_.ends();
    return task_promise::final_suspend();
  }
#endif

  // A co_await of the coroutine calls one of these first. Each makes the child, if there is to be
  // one, and returns the awaiter.

  template <class R, class F, class... A>
  NOPAL_ALWAYS_INLINE decltype(auto) await_transform(fork_expression<R, F, A...>&& e) {
    child_made_by(e, task_promise::kind::forked)
        ->result_goes_to(result_access::place(e.result, *this));
    return this->awaiter_of_fork();
  }

  template <class R, class F, class... A>
  NOPAL_ALWAYS_INLINE decltype(auto) await_transform(call_expression<R, F, A...>&& e) {
    auto* child = child_made_by(e, task_promise::kind::called);
    if constexpr (std::is_null_pointer_v<R>) {
      return awaiter_of(*child);
    } else {
      child->result_goes_to(result_access::place(e.result));
      return this->awaiter_of_call();
    }
  }

  template <class U>
  decltype(auto) await_transform(task<U>&& t) {
    auto hand_on = [&] { return std::move(t); };
    return await_transform(
        call_expression<std::nullptr_t, decltype(hand_on)&>{nullptr, hand_on, {}});
  }

  NOPAL_ALWAYS_INLINE decltype(auto) await_transform(join_expression) noexcept {
    return this->awaiter_of_join();
  }

  /// Takes what other headers add: resume_on(), allocate().
  template <class E>
    requires requires(const E& e, task_promise& t) { e.awaiter_in(t); }
  auto await_transform(E&& e) noexcept {
    return e.awaiter_in(*this);
  }
  /// Takes what other headers add that is several waits: the task calls another one for it.
  template <class E>
    requires requires(const E& e) { e.as_task(); }
  decltype(auto) await_transform(E&& e) {
    auto make = [&e] { return e.as_task(); };
    return await_transform(call_expression<std::nullptr_t, decltype(make)&>{nullptr, make, {}});
  }

  /// Takes an awaitable that is not of nopal.
  template <foreign_awaitable X>
  foreign_awaiter<X> await_transform(X&& x) {
    return {*this, std::forward<X>(x)};
  }

  template <class Other>
  void await_transform(Other&&) {
    static_assert(
        std::is_void_v<Other>,
        "nopal::task: co_await takes nopal::fork(…), nopal::call(…), nopal::join(), "
        "nopal::resume_on(…), nopal::allocate<T>(…), a task that it may consume: co_await "
        "f(…) or co_await std::move(t), or anything with an operator co_await or the "
        "functions of an awaiter");
  }

 private:
  /// Calls the function of a fork or call, so that the task it returns is a child of this one.
  /// Returns the promise of the child.
  template <class E>
  NOPAL_ALWAYS_INLINE auto* child_made_by(E& e, task_promise::kind k) {
    return this->make_child(k, [&] {
      return std::apply(
          [&](auto&&... a) {
            const auto make = [&] {
              return detail::invoke(std::forward<decltype(e.f)>(e.f),
                                    std::forward<decltype(a)>(a)...);
            };
            using place = std::remove_pointer_t<decltype(e.result)>;
            if constexpr (notes_outcome<place>)
              return task_access::release(outcome_noter<place>::make_task(*e.result, make));
            else
              return task_access::release(detail::invoke(std::forward<decltype(e.f)>(e.f),
                                                         std::forward<decltype(a)>(a)...));
          },
          std::move(e.arguments));
    });
  }

  /// Returns the awaiter of a call whose result is the value of the co_await.
  template <class U>
  decltype(auto) awaiter_of(result_promise<U>& child) {
    if constexpr (std::is_void_v<U>)
      return this->awaiter_of_call();
    else
      return value_awaiter<U>(*this, child);
  }
};

}  // namespace nopal::detail

template <class T, class... Parameters>
struct std::coroutine_traits<nopal::task<T>, Parameters...>
    : nopal::detail::task_parameters<Parameters...> {
  using promise_type = nopal::detail::promise<T>;
};
