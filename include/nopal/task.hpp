// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nopal/detail/platform/config.hpp"  // first: it says what nopal needs

#ifdef NOPAL_SERIAL
#include "nopal/detail/serial/task.hpp"
#else

// https://github.com/llvm/llvm-project/issues/56301
#if defined(__clang__) && __clang_major__ < 19
#error "nopal: tasks need clang 19 or later; g++ 12 or later compiles them, too."
#include "nopal: see the error above"
#endif

#include <concepts>
#include <type_traits>
#include <utility>

#include "nopal/detail/runtime/checked_function.hpp"
#include "nopal/detail/task/checked_task.hpp"
#include "nopal/detail/task/join_scope.hpp"
#include "nopal/detail/task/promise.hpp"
#include "nopal/detail/task/result_promise.hpp"
#include "nopal/detail/task/task_declaration.hpp"
#include "nopal/detail/task/task_parameters.hpp"
#include "nopal/detail/task/task_promise.hpp"
#include "nopal/detail/task/wait_here.hpp"
#include "nopal/runtime.hpp"
#include "nopal/task/eventual.hpp"

namespace nopal {

/// A coroutine that computes a T, and has not been started. It starts when another one forks, calls
/// or awaits it, or when it is given to wait(), run() or start(). T may be void or a reference.
///
/// A co_await inside takes fork(), call(), join(), another task, a wait of nopal's, or whatever any
/// coroutine can await. A coroutine may go on on another thread after each of them: hold no lock of
/// threads across one (a nopal::mutex may be held), and read thread-locals anew. It may
/// call any plain function, including one that forks by parallel_invoke or fork_frame.
/// \code
/// nopal::task<long> fib(int n) {
///   if (n < 2) co_return n;
///   long a, b;
///   co_await nopal::fork(&a, fib, n - 1);
///   co_await nopal::call(&b, fib, n - 2);
///   co_await nopal::join();
///   co_return a + b;
/// }
/// long thirty() { return nopal::run(fib, 30); }
/// \endcode
///
/// Thread-safety: none; one thread owns an object. Destroying a task that has not been started does
/// nothing else.
/// Source: Williams and Elliott 2024, section III.
template <class T>
class [[nodiscard(
    "nopal: a task does nothing until it is forked, called, awaited or given to "
    "nopal::wait")]]
#ifdef __clang__
[[clang::trivial_abi]]
#endif
task {
 public:
  using value_type = T;

  task(task&& other) noexcept : promise_(std::exchange(other.promise_, nullptr)) {}
  task& operator=(task&& other) noexcept {
    task(std::move(other)).swap(*this);
    return *this;
  }
  ~task() {
    if (promise_ != nullptr) promise_->handle().destroy();
  }

  void swap(task& other) noexcept { std::swap(promise_, other.promise_); }

 private:
  friend detail::result_promise<T>;
  friend detail::task_access;
  explicit task(detail::result_promise<T>& p) noexcept : promise_(&p) {
    // A compiler that saw where this comes from might put the frame into the caller's, without its
    // header.
    asm("" : "+r"(promise_));
    if (promise_ == nullptr) __builtin_unreachable();
  }

  detail::result_promise<T>* promise_;

  // These come last: a compiler need not look at what follows an assertion that fails.
  static_assert(!detail::is_task<T>,
                "nopal::task: the result must not be a task; co_return co_await the inner one");
  static_assert(detail::fits_frame<detail::stored<T>>,
                "nopal::task: the result must not be over-aligned: frames are aligned to 16 bytes");
};

/// A function that fork() and call() take: with these arguments it returns a nopal::task.
template <class F, class... A>
concept task_function = std::invocable<F, A...> && detail::is_task<std::invoke_result_t<F, A...>>;

/// A place to which the result of a T task can go: a T that can be assigned, or for a T& a T*; an
/// eventual<T>; or a try_eventual<T>.
template <class R, class T>
concept place_for =
    std::same_as<R, eventual<T>> || std::same_as<R, try_eventual<T>> ||
    (!std::is_void_v<T> && ((std::same_as<R, detail::stored<T>> && std::is_move_assignable_v<R>) ||
                            std::same_as<R, eventual<detail::stored<T>>>));

namespace detail {

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
    : checked_task_call<is_already_made<F>, std::is_invocable_v<F, A...>, task_function<F, A...>,
                        result_has_place<R, F, A...>, R, F, A...> {};

}  // namespace detail

/// co_await fork(&result, f, args...) starts f(args...), a task, and goes on: on one worker when
/// that task has ended, otherwise perhaps at the same time. *result is assigned before the next
/// join() goes on.
///
/// Arguments go to f as in a call of it: f takes by value whatever it is to keep. What would dangle
/// is refused: a temporary for a parameter that is a reference, a closure that holds something and
/// is a temporary, a result with a destructor in anything but an eventual.
/// \code
/// nopal::task<int> twice(int n) { co_return 2 * n; }
/// nopal::task<int> sum() {
///   int a, b;
///   co_await nopal::fork(&a, twice, 1);
///   co_await nopal::fork(&b, twice, 2);
///   co_await nopal::join();
///   co_return a + b;
/// }
/// \endcode
///
/// Exceptions: those of the child come out of join(). An exception between fork and join ends the
/// coroutine's variables while children may use them: see join_scope() and eventual.
/// Complexity: O(1); no allocation unless a stack grows.
/// Source: Williams and Elliott 2024, algorithm 3.
template <class R, class F, class... A>
  requires(!std::is_function_v<R>)
[[nodiscard(
    "nopal: a fork takes place where it is awaited: co_await "
    "nopal::fork(…)")]] NOPAL_ALWAYS_INLINE auto
fork(R* result, F&& f, A&&... args) noexcept {
  if constexpr (detail::checked_child<R, F, A...>::check()) {
    detail::check_fork<F, A...>();
    static_assert(std::is_trivially_destructible_v<R> || detail::is_eventual<R>,
                  "nopal::fork: a result with a destructor needs a nopal::eventual<T>, which waits "
                  "for the child where an exception ends its scope before the join");
    return detail::fork_expression<R*, F, A...>{
        result, std::forward<F>(f), {std::forward<A>(args)...}};
  } else {
    return detail::refused_expression();
  }
}

/// Does the same for a task whose result, if it has one, is dropped.
template <class F, class... A>
  requires(!detail::is_place<F>)
[[nodiscard(
    "nopal: a fork takes place where it is awaited: co_await "
    "nopal::fork(…)")]] NOPAL_ALWAYS_INLINE auto
fork(F&& f, A&&... args) noexcept {
  if constexpr (detail::checked_child<void, F, A...>::check()) {
    detail::check_fork<F, A...>();
    return detail::fork_expression<std::nullptr_t, F, A...>{
        nullptr, std::forward<F>(f), {std::forward<A>(args)...}};
  } else {
    return detail::refused_expression();
  }
}
template <class No = detail::one_function_comes_first__a_lambda_chooses_among_several_of_one_name>
No fork(...);

/// co_await call(&result, f, args...) runs f(args...), a task, and assigns its result. If it
/// throws, the children forked before are waited for, and the exception of the serially first goes
/// on.
template <class R, class F, class... A>
  requires(!std::is_function_v<R>)
[[nodiscard(
    "nopal: a call takes place where it is awaited: co_await "
    "nopal::call(…)")]] NOPAL_ALWAYS_INLINE auto
call(R* result, F&& f, A&&... args) noexcept {
  if constexpr (detail::checked_child<R, F, A...>::check())
    return detail::call_expression<R*, F, A...>{
        result, std::forward<F>(f), {std::forward<A>(args)...}};
  else
    return detail::refused_expression();
}

/// Does the same, with the result as the value of the co_await expression.
template <class F, class... A>
  requires(!detail::is_place<F>)
[[nodiscard(
    "nopal: a call takes place where it is awaited: co_await "
    "nopal::call(…)")]] NOPAL_ALWAYS_INLINE auto
call(F&& f, A&&... args) noexcept {
  if constexpr (detail::checked_child<void, F, A...>::check())
    return detail::call_expression<std::nullptr_t, F, A...>{
        nullptr, std::forward<F>(f), {std::forward<A>(args)...}};
  else
    return detail::refused_expression();
}
template <class No = detail::one_function_comes_first__a_lambda_chooses_among_several_of_one_name>
No call(...);

/// co_await join() goes on when every task that the coroutine has forked so far has ended.
///
/// A coroutine that ends without a join joins at its end; whatever its children still use must live
/// until then.
/// \throws the exception of the serially first child that threw.
/// Complexity: one test if no steal took place.
[[nodiscard(
    "nopal: a join takes place where it is awaited: co_await nopal::join()")]] inline detail::
    join_expression
    join() noexcept {
  return {};
}

/// auto scope = co_await join_scope() makes a variable whose end waits for all forked children: if
/// an exception leaves the scope before its join, nothing that is declared above it ends before the
/// children have.
[[nodiscard(
    "nopal: it takes place where it is awaited: auto scope = co_await "
    "nopal::join_scope()")]] inline detail::join_scope_expression
join_scope() noexcept {
  return {};
}

/// Runs a task from plain code and returns its result. The calling strand stops meanwhile, its
/// worker does not. On a thread that is no worker the task runs on the default runtime.
/// \code
/// nopal::task<int> answer() { co_return 42; }
/// int plain() { return nopal::wait(answer()); }
/// \endcode
///
/// \throws whatever the task throws; std::logic_error for a task that has been moved from.
/// Thread-safety: call it anywhere.
template <class T>
T wait(task<T> t) {
  return run([&]() -> T { return detail::wait_here(std::move(t)); });
}

}  // namespace nopal

#endif
