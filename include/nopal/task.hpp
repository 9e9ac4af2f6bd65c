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
#include <coroutine>
#include <functional>
#include <memory>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include "nopal/detail/task/checked_task.hpp"
#include "nopal/detail/task/task_declaration.hpp"
#include "nopal/detail/task/task_parameters.hpp"
#include "nopal/detail/task/task_promise.hpp"
#include "nopal/runtime.hpp"

namespace nopal {

namespace detail {
struct result_access;
struct task_access;
}  // namespace detail

/// A coroutine that computes a T, and has not been started. It starts when another one forks, calls
/// or awaits it, or when it is given to wait() or run(). T may be void or a reference.
///
/// A co_await inside takes fork(), call(), join(), or another task. A coroutine may go on on
/// another thread after each of them: hold no lock across one, and read thread-locals anew. It may
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
class task;

/// A place for the result of a forked task whose type has a destructor. If an exception ends its
/// scope before the join, it waits for the children of the coroutine that has forked. It must be a
/// variable of that coroutine.
/// \code
/// nopal::task<std::string> name(int n) { co_return std::to_string(n); }
/// nopal::task<std::string> both() {
///   nopal::eventual<std::string> a, b;
///   co_await nopal::fork(&a, name, 1);
///   co_await nopal::fork(&b, name, 2);
///   co_await nopal::join();
///   co_return *a + *b;
/// }
/// \endcode
template <class T>
class eventual {
 public:
  eventual() noexcept = default;
  ~eventual() {
    if (parent_ != nullptr) parent_->join_in_place();
  }
  eventual(const eventual&) = delete;
  eventual& operator=(const eventual&) = delete;

  /// Whether the task has ended with a result. Call this and the accessors after the join. With
  /// NOPAL_CHECK the program ends with a message if an accessor finds no value.
  [[nodiscard]] bool has_value() const noexcept { return value_.has_value(); }
  [[nodiscard]] T& operator*() & noexcept { return *checked(value_); }
  [[nodiscard]] const T& operator*() const& noexcept { return *checked(value_); }
  [[nodiscard]] T&& operator*() && noexcept { return *std::move(checked(value_)); }
  [[nodiscard]] T* operator->() noexcept { return &*checked(value_); }
  [[nodiscard]] const T* operator->() const noexcept { return &*checked(value_); }

 private:
  friend detail::result_access;

  template <class V>
  static V& checked(V& value) noexcept {
#ifdef NOPAL_CHECK
    if (!value.has_value()) [[unlikely]]
      detail::checked_coroutine::no_value_yet();
#endif
    return value;
  }

  std::optional<T> value_;
  detail::task_promise* parent_ = nullptr;
};

namespace detail {

template <class T>
inline constexpr bool is_task = false;
template <class T>
inline constexpr bool is_task<task<T>> = true;

/// The type that a result is kept as.
template <class T>
struct stored_result {
  using type = T;
};
template <class T>
struct stored_result<T&> {
  using type = T*;
};
template <class T>
using stored = typename stored_result<T>::type;

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

  template <class U = T>
  NOPAL_ALWAYS_INLINE void return_value(U&& value) {
    constexpr bool right =
        std::is_reference_v<T> ? std::is_convertible_v<U, T> : std::is_constructible_v<result, U>;
    if constexpr (!check_co_return<right, T, U>())
      return;
    else if constexpr (std::is_reference_v<T>)
      put(std::addressof(static_cast<T>(value)));
    else
      put(std::forward<U>(value));
  }

 private:
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
  task<void> get_return_object() noexcept;
  void result_goes_to(std::nullptr_t) noexcept {}
  void return_void() noexcept {
    this->leaves();
    before_return();
  }
};

}  // namespace detail

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

namespace detail {

inline task<void> result_promise<void>::get_return_object() noexcept { return task<void>(*this); }

struct task_access {
  /// \throws std::logic_error if there is none.
  template <class T>
  NOPAL_ALWAYS_INLINE static result_promise<T>* promise_of(const task<T>& t) {
    if (t.promise_ == nullptr) [[unlikely]]
      task_promise::nothing_to_run();
    return t.promise_;
  }
  template <class T>
  NOPAL_ALWAYS_INLINE static result_promise<T>* release(task<T>&& t) {
    result_promise<T>* p = promise_of(t);
    t.promise_ = nullptr;
    return p;
  }
};

struct result_access {
  template <class T>
  static std::optional<T>* place(eventual<T>* e, task_promise& parent) noexcept {
    e->parent_ = &parent;
    return &e->value_;
  }
  template <class R>
  static R* place(R* r, task_promise&) noexcept {
    return r;
  }
  static std::nullptr_t place(std::nullptr_t, task_promise&) noexcept { return nullptr; }

  /// Returns the place for the result of a call, which has ended when its caller goes on.
  template <class T>
  static std::optional<T>* place(eventual<T>* e) noexcept {
    return &e->value_;
  }
  template <class R>
  static R* place(R* r) noexcept {
    return r;
  }
};

template <class T>
inline constexpr bool is_eventual = false;
template <class T>
inline constexpr bool is_eventual<eventual<T>> = true;

template <class F, class... A>
using task_result = typename std::invoke_result_t<F, A...>::value_type;

}  // namespace detail

/// A function that fork() and call() take: with these arguments it returns a nopal::task.
template <class F, class... A>
concept task_function = std::invocable<F, A...> && detail::is_task<std::invoke_result_t<F, A...>>;

/// A place to which the result of a T task can go: a T that can be assigned, or an eventual<T>; for
/// a T& a T*.
template <class R, class T>
concept place_for =
    !std::is_void_v<T> && ((std::same_as<R, detail::stored<T>> && std::is_move_assignable_v<R>) ||
                           std::same_as<R, eventual<detail::stored<T>>>);

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

  template <class Other>
  void await_transform(Other&&) {
    static_assert(std::is_void_v<Other>,
                  "nopal::task: co_await takes nopal::fork(…), nopal::call(…), nopal::join(), "
                  "nopal::resume_on(…), "
                  "nopal::allocate<T>(…), or a task that it may consume: co_await f(…) or co_await "
                  "std::move(t)");
  }

 private:
  template <class E>
  NOPAL_ALWAYS_INLINE auto* child_made_by(E& e, task_promise::kind k) {
    return this->make_child(k, [&] {
      return std::apply(
          [&](auto&&... a) {
            return task_access::release(
                std::invoke(std::forward<decltype(e.f)>(e.f), std::forward<decltype(a)>(a)...));
          },
          std::move(e.arguments));
    });
  }

  template <class U>
  decltype(auto) awaiter_of(result_promise<U>& child) {
    if constexpr (std::is_void_v<U>)
      return this->awaiter_of_call();
    else
      return value_awaiter<U>(*this, child);
  }
};

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

namespace detail {

struct join_scope_expression {
  [[nodiscard]] auto awaiter_in(task_promise& t) const noexcept;
};

}  // namespace detail

/// auto scope = co_await join_scope() makes a variable whose end waits for all forked children: if
/// an exception leaves the scope before its join, nothing that is declared above it ends before the
/// children have.
[[nodiscard(
    "nopal: it takes place where it is awaited: auto scope = co_await "
    "nopal::join_scope()")]] inline detail::join_scope_expression
join_scope() noexcept {
  return {};
}

namespace detail {

class joins_at_its_end {
 public:
  explicit joins_at_its_end(task_promise& t) noexcept : task_(&t) {}
  ~joins_at_its_end() { task_->join_in_place(); }
  joins_at_its_end(const joins_at_its_end&) = delete;
  joins_at_its_end& operator=(const joins_at_its_end&) = delete;

 private:
  task_promise* task_;
};

inline auto join_scope_expression::awaiter_in(task_promise& t) const noexcept {
  struct awaiter : std::suspend_never {
    task_promise* task;
    [[nodiscard]] joins_at_its_end await_resume() const noexcept { return joins_at_its_end(*task); }
  };
  return awaiter{{}, &t};
}

/// This function is not inlined, because of what it throws: see held_exception.hpp.
template <class T>
NOPAL_NOINLINE T wait_here(task<T>&& t) {
  task<T> own = std::move(t);
  result_promise<T>& p = *task_access::promise_of(own);
  outermost_task waiting;
  p.belongs_to(waiting);
  if constexpr (std::is_void_v<T>) {
    waiting.run(p);
    if (waiting.exception != nullptr) std::rethrow_exception(std::move(waiting.exception));
  } else {
    std::optional<stored<T>> value;
    p.result_goes_to(&value);
    waiting.run(p);
    if (waiting.exception != nullptr) std::rethrow_exception(std::move(waiting.exception));
    if constexpr (std::is_reference_v<T>)
      return static_cast<T>(**value);
    else
      return *std::move(value);
  }
}

}  // namespace detail

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

/// Wherever a function is given to nopal it may return a task, which is then run to its end.
template <class T>
struct detail::completion<task<T>> {
  static T complete(task<T>&& t) {
    if (this_worker() == nullptr) [[unlikely]]
      return wait(std::move(t));
    return wait_here(std::move(t));
  }
  /// Does the same on a worker.
  static T complete_here(task<T>&& t) { return wait_here(std::move(t)); }
};

}  // namespace nopal

template <class T, class... Parameters>
struct std::coroutine_traits<nopal::task<T>, Parameters...>
    : nopal::detail::task_parameters<Parameters...> {
  using promise_type = nopal::detail::promise<T>;
};

#endif
