// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <tuple>
#include <type_traits>
#include <utility>

#include "nopal/detail/frame_join.hpp"

/// Marks a function that has a fork_frame. It must keep its frame to itself, so it is not inlined; and its frame must need
/// no alignment of more than 16 bytes, so g++ is kept from vectorizing it with larger registers, which it would spill.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define NOPAL_FORKS __attribute__((noinline, target("prefer-vector-width=128")))
#else
#define NOPAL_FORKS __attribute__((noinline))
#endif

namespace nopal {
namespace detail {

/// A forked call: what to call, with copies of its arguments, and where its result goes.
template <class R, class F, class... A>
class child {
 public:
  template <class G, class... B>
  NOPAL_ALWAYS_INLINE child(frame_join* frame, R* result, G&& f, B&&... args)
      : frame_(frame), result_(result), call_(std::forward<G>(f), std::forward<B>(args)...) {}

  /// Called by fork_call. Returns 0; or 1 where the call has thrown and the forking function is to throw; or not at all,
  /// where a thief goes on with the forking function.
  static std::size_t run(void* argument) noexcept {
    auto& self = *static_cast<child*>(argument);
    frame_join* frame = self.frame_;
    worker* w = this_worker();
    const std::uint64_t order = frame->order();
    std::int64_t position = deque::full;
    std::exception_ptr e;
    try {
      // Once the frame is pushed the forking function may go on, and *argument is gone.
      child local(std::move(self));
      position = w->push(frame);
      local.invoke();
    } catch (...) {
      if (position == deque::full || take_back(w, position)) {
        frame->hold_exception();
        return 1;
      }
      e = std::current_exception();
    }
    if (!e && (position == deque::full || take_back(w, position))) [[likely]] return 0;
    frame->arrive(std::move(e), order, __builtin_frame_address(0));
  }

 private:
  NOPAL_ALWAYS_INLINE void invoke() {
    if constexpr (std::is_void_v<R>)
      static_cast<void>(std::apply(invoke_moved, std::move(call_)));
    else
      *result_ = std::apply(invoke_moved, std::move(call_));
  }

  static constexpr auto invoke_moved = [](auto&&... parts) -> decltype(auto) {
    return std::invoke(std::forward<decltype(parts)>(parts)...);
  };

  frame_join* frame_;
  R* result_;
  std::tuple<F, A...> call_;
};

template <class R, class F, class... A>
concept forkable_to = std::is_invocable_v<std::decay_t<F>, std::decay_t<A>...> &&
                      std::is_assignable_v<R&, std::invoke_result_t<std::decay_t<F>, std::decay_t<A>...>>;

}  // namespace detail

/// Forks and joins in the middle of a function: after a fork the rest of the function may go on at once, on another thread,
/// while the forked call runs.
///
/// The function must be marked NOPAL_FORKS, and must not have over-aligned locals, variable-length arrays or alloca; hold no
/// lock across a fork or join; read thread-locals anew after one; and join before it leaves a catch block in which it
/// forked. Memory is constant whatever the number of forks.
///
/// Exceptions: where nobody stole, a forked call that throws throws out of fork(), as the call would. Otherwise join()
/// throws the exception of the serially first. A frame that ends without join() joins, and throws likewise; if it ends
/// because the function throws, that exception goes on and those of the children are dropped.
/// Thread-safety: a frame belongs to its function. On a thread that is no worker, the first fork takes the function over to
/// the default runtime and the end of the frame takes it back.
/// Source: Pfeiffer 2020, chapter 4 (Fibril's interface), with a wait-free join.
class fork_frame {
 public:
  NOPAL_ALWAYS_INLINE fork_frame() noexcept = default;
  NOPAL_ALWAYS_INLINE ~fork_frame() noexcept(false) { join_.end(); }
  fork_frame(const fork_frame&) = delete;
  fork_frame& operator=(const fork_frame&) = delete;

  /// Calls f(args...) and assigns the result to *result before the next join() returns. f and args are copied or moved first,
  /// as std::thread does; std::ref passes a reference.
  /// Complexity: no allocation; without a steal the price of about two calls.
  template <class R, class F, class... A>
    requires detail::forkable_to<R, F, A...>
  NOPAL_ALWAYS_INLINE void fork(R* result, F&& f, A&&... args) {
    using child = detail::child<R, std::decay_t<F>, std::decay_t<A>...>;
    child c(&join_, result, std::forward<F>(f), std::forward<A>(args)...);
    join_.fork(child::run, &c);
  }

  /// The same for a call whose result, if any, is not wanted.
  template <class F, class... A>
    requires std::is_invocable_v<std::decay_t<F>, std::decay_t<A>...>
  NOPAL_ALWAYS_INLINE void fork(F&& f, A&&... args) {
    using child = detail::child<void, std::decay_t<F>, std::decay_t<A>...>;
    child c(&join_, nullptr, std::forward<F>(f), std::forward<A>(args)...);
    join_.fork(child::run, &c);
  }

  /// Returns when every call forked so far has ended, maybe on another thread than before.
  /// \throws the exception of the serially first of them that threw.
  NOPAL_ALWAYS_INLINE void join() { join_.join(); }

 private:
  detail::frame_join join_;
};

}  // namespace nopal
