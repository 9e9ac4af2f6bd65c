// SPDX-License-Identifier: Apache-2.0
// What a task can await that is not of nopal. docs/task.md, "Awaitables of others", has the
// protocol and its argument.
#pragma once

#include <coroutine>
#include <type_traits>
#include <utility>

namespace nopal::detail {

template <class S>
inline constexpr bool is_suspend_result = std::is_void_v<S> || std::is_same_v<S, bool>;
template <class P>
inline constexpr bool is_suspend_result<std::coroutine_handle<P>> = true;

/// What the standard calls an awaiter, for coroutines of any kind.
template <class A>
concept foreign_awaiter_type = requires(A& a, std::coroutine_handle<> h) {
  a.await_ready() ? 0 : 0;
  requires is_suspend_result<decltype(a.await_suspend(h))>;
  a.await_resume();
};

template <class X>
concept has_member_co_await = requires(X&& x) { std::forward<X>(x).operator co_await(); };
template <class X>
concept has_free_co_await = requires(X&& x) { operator co_await(std::forward<X>(x)); };

/// Returns the awaiter of `x`, as a co_await that transforms nothing does.
template <class X>
decltype(auto) awaiter_of_foreign(X&& x) {
  if constexpr (has_member_co_await<X>)
    return std::forward<X>(x).operator co_await();
  else if constexpr (has_free_co_await<X>)
    return operator co_await(std::forward<X>(x));
  else
    return std::forward<X>(x);
}

/// An awaitable that is not of nopal. std::suspend_always is none: nobody would have the handle.
template <class X>
concept foreign_awaitable = !std::is_same_v<std::remove_cvref_t<X>, std::suspend_always> &&
                            (has_member_co_await<X> || has_free_co_await<X> ||
                             foreign_awaiter_type<std::remove_reference_t<X>>);

/// What a std::coroutine_handle refers to, without a coroutine: g++ and clang++ begin the frame of
/// every coroutine with these two, and resume() and destroy() call them.
struct alignas(16) handle_target {
  void (*on_resume)(handle_target* self) noexcept;
  void (*on_destroy)(handle_target* self) noexcept;

  [[nodiscard]] std::coroutine_handle<> handle() noexcept {
    return std::coroutine_handle<>::from_address(this);
  }
};

/// Has `awaiter` suspend a coroutine with this handle, and runs the coroutine that it hands over
/// to. Returns false if the first coroutine goes on at once, and nobody resumes the handle.
template <class A>
bool suspend_foreign(A& awaiter, std::coroutine_handle<> handle) {
  using result = decltype(awaiter.await_suspend(handle));
  if constexpr (std::is_void_v<result>) {
    awaiter.await_suspend(handle);
    return true;
  } else if constexpr (std::is_same_v<result, bool>) {
    return awaiter.await_suspend(handle);
  } else {
    const std::coroutine_handle<> next = awaiter.await_suspend(handle);
    if (next == handle) return false;
    next.resume();
    return true;
  }
}

}  // namespace nopal::detail
