// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nopal/detail/platform/config.hpp"  // first: it says what nopal needs

#ifdef NOPAL_SERIAL
#include "nopal/detail/serial/fork_frame.hpp"
#elif defined(NOPAL_FORK_CHILD)
#include "variants/fork/child_fork_frame.hpp"
#else

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <functional>
#include <new>
#include <tuple>
#include <type_traits>
#include <utility>

#include "nopal/detail/fork/events.hpp"
#include "nopal/detail/fork/forked_call.hpp"
#include "nopal/detail/fork/frame_join.hpp"

#ifdef NOPAL_CHECK
#include "nopal/detail/fork/checked_frame.hpp"
#define NOPAL_CHECKED_FORKS __attribute__((target(NOPAL_MARK_OF_FORKS)))
#define NOPAL_CHECKED_USE checked_.used();
#define NOPAL_CHECKED_JOIN const hands_out_results at_end{checked_};
#define NOPAL_CHECKED_END checked_.ends();
#else
#define NOPAL_CHECKED_FORKS
#define NOPAL_CHECKED_USE
#define NOPAL_CHECKED_JOIN
#define NOPAL_CHECKED_END
#endif

/// Marks a function that has a fork_frame. It must keep its frame to itself, so it is not inlined;
/// and its frame must need no alignment of more than 16 bytes, so g++ is kept from vectorizing it
/// with larger registers, which it would spill.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define NOPAL_FORKS __attribute__((noinline, target("prefer-vector-width=128"))) NOPAL_CHECKED_FORKS
#else
#define NOPAL_FORKS __attribute__((noinline)) NOPAL_CHECKED_FORKS
#endif

namespace nopal {
namespace detail {

template <class T>
inline constexpr bool fits_word = std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof(word);

template <class T>
NOPAL_ALWAYS_INLINE word to_word(const T& t) noexcept {
  if constexpr (std::is_pointer_v<T>) {
    return reinterpret_cast<word>(t);
  } else if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) {
    return static_cast<word>(t);
  } else {
    word w = 0;
    std::memcpy(&w, &t, sizeof(T));
    return w;
  }
}

template <class T>
NOPAL_ALWAYS_INLINE T from_word(word w) noexcept {
  if constexpr (std::is_pointer_v<T>) {
    return reinterpret_cast<T>(w);
  } else if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) {
    return static_cast<T>(w);
  } else {
    alignas(T) std::byte bytes[sizeof(T)];
    std::memcpy(bytes, &w, sizeof(T));
    return *std::launder(reinterpret_cast<T*>(bytes));
  }
}

/// What a child keeps while it runs. It keeps this in its own frame, since the forking function's
/// may be another worker's by then, and in memory, since registers that the call preserves would
/// have to be saved first.
struct kept_by_child {
  frame_join* frame;
  std::uint64_t order;
  bool stealable;
};

/// Runs a forked call, with a handler for exceptions on their way to the forking function.
/// call(push) calls push() once the call's parts are the child's own: from then on the forking
/// function may go on, and what it handed over may be gone.
template <class C>
NOPAL_ALWAYS_INLINE std::size_t run_child(suspension* f, worker* w, C&& call) noexcept {
  kept_by_child kept;
  kept.frame = &frame_join::of_child(f);
  kept.stealable = false;
  try {
    call([&] {
      kept.order = kept.frame->order();
      kept.stealable = kept.frame->push(w);
    });
  } catch (...) {
    if (!kept.stealable || take_back_newest()) {
      kept.frame->hold_exception();
      return 1;
    }
    kept.frame->note_exception(kept.order);
    goto stolen;  // the handler must have ended: arrive() does not return
  }
  in_memory(kept);
  if (!kept.stealable || take_back_newest()) [[likely]]
    return 0;
stolen:
  kept.frame->arrive(kept.order);
}

/// A forked call whose parts each fit a word: they are handed over in registers. R is void if the
/// result is not wanted.
template <class R, class F, class... A>
struct child_in_registers {
  static std::size_t run(word w0, word w1, suspension* frame, word w2, word w3, word w4) noexcept {
    worker* w = this_worker();
    if (w == nullptr) [[unlikely]]
      return frame_join::enter_and_run(run, w0, w1, frame, w2, w3, w4);
    return run_child(frame, w, [&](auto&& push) {
      const word all[] = {w0, w1, w2, w3, w4};
      words kept;
      std::copy_n(all, kept.size(), kept.begin());
      push();
      in_memory(kept);
      call(kept, std::index_sequence_for<A...>{});
    });
  }

 private:
  using words = std::array<word, (std::is_void_v<R> ? 0 : 1) + 1 + sizeof...(A)>;

  // The call is one expression, because what it returns may refer to its arguments.
  template <std::size_t... I>
  NOPAL_ALWAYS_INLINE static void call(words& w, std::index_sequence<I...>) {
    if constexpr (std::is_void_v<R>)
      static_cast<void>(std::invoke(from_word<F>(w[0]), from_word<A>(w[1 + I])...));
    else
      result_in(w) = std::invoke(from_word<F>(w[1]), from_word<A>(w[2 + I])...);
  }

  /// Returns the variable for the result. It is evaluated after the call: the right side of an
  /// assignment comes first.
  static auto& result_in(words& w) noexcept {
    in_memory(w);
    return *from_word<R*>(w[0]);
  }
};

/// Any other forked call: its parts are moved from where the forking function put them.
template <class R, class F, class... A>
struct child_in_memory {
  R* result;
  std::tuple<F, A...> parts;

  static std::size_t run(word argument, word, suspension* frame, word, word, word) noexcept {
    worker* w = this_worker();
    if (w == nullptr) [[unlikely]]
      return frame_join::enter_and_run(run, argument, 0, frame, 0, 0, 0);
    auto* there = reinterpret_cast<child_in_memory*>(argument);
    return run_child(frame, w, [&](auto&& push) {
      child_in_memory here(std::move(*there));
      push();
      const auto invoke = [](auto&&... part) -> decltype(auto) {
        return std::invoke(std::forward<decltype(part)>(part)...);
      };
      if constexpr (std::is_void_v<R>)
        static_cast<void>(std::apply(invoke, std::move(here.parts)));
      else
        *here.result = std::apply(invoke, std::move(here.parts));
    });
  }
};

/// Returns the word for register I: the I-th of `given`, or anything.
template <std::size_t I, class... T>
NOPAL_ALWAYS_INLINE word word_or_anything(const T&... given) noexcept {
  if constexpr (I < sizeof...(T)) {
    return to_word(std::get<I>(std::tie(given...)));
  } else {
    word w;
    asm("" : "=r"(w));
    return w;
  }
}

template <class C, class... T>
NOPAL_ALWAYS_INLINE void fork_in_registers(frame_join& join, const T&... given) {
  join.fork(C::run, word_or_anything<0>(given...), word_or_anything<1>(given...),
            word_or_anything<2>(given...), word_or_anything<3>(given...),
            word_or_anything<4>(given...));
}

template <class R, class F, class... A>
NOPAL_ALWAYS_INLINE void fork_call_of(frame_join& join, R* result, F&& f, A&&... args) {
  constexpr std::size_t count = (std::is_void_v<R> ? 0 : 1) + 1 + sizeof...(A);
  if constexpr (count <= words_in_registers && fits_word<std::decay_t<F>> &&
                (fits_word<std::decay_t<A>> && ...)) {
    using child = child_in_registers<R, std::decay_t<F>, std::decay_t<A>...>;
    if constexpr (std::is_void_v<R>)
      fork_in_registers<child, std::decay_t<F>, std::decay_t<A>...>(join, f, args...);
    else
      fork_in_registers<child, R*, std::decay_t<F>, std::decay_t<A>...>(join, result, f, args...);
  } else {
    using child = child_in_memory<R, std::decay_t<F>, std::decay_t<A>...>;
    const auto fork = [&]() __attribute__((always_inline)) {
      child c{result, {std::forward<F>(f), std::forward<A>(args)...}};
      join.fork(child::run, reinterpret_cast<word>(&c), 0, 0, 0, 0);
    };
    if constexpr (std::is_trivially_destructible_v<child>) {
      fork();
    } else {
      // This does what throwing_outside() does, but the frame holds the exception.
      try {
        return fork();
      } catch (...) {
        address_now(join)->hold_exception();
      }
      address_now(join)->rethrow_held();
    }
  }
}

}  // namespace detail

/// Forks and joins in the middle of a function: after a fork the rest of the function may go on at
/// once, on another thread, while the forked call runs.
///
/// The function must be marked NOPAL_FORKS, and must not have over-aligned locals, variable-length
/// arrays or alloca. It must hold no lock across a fork or a join, read thread-locals anew after
/// one, and join before it leaves a catch block in which it forked. Memory is constant whatever the
/// number of forks.
/// \code
/// NOPAL_FORKS long fib(long n) {
///   if (n < 2) return n;
///   nopal::fork_frame frame;
///   long a;
///   frame.fork(&a, fib, n - 1);
///   const long b = fib(n - 2);
///   frame.join();
///   return a + b;
/// }
/// \endcode
///
/// Exceptions: if nobody stole, a forked call that throws throws out of fork(), as the call would;
/// if calls that were forked before have been stolen from, fork() waits for them, and throws the
/// exception of the serially first. Otherwise join() throws the exception of the serially first
/// call that threw. A frame that ends without join() joins, and throws likewise; if it ends because
/// the function itself throws, that exception goes on and those of the children are dropped.
/// Thread-safety: a frame belongs to its function. On a thread that is no worker, the first fork
/// takes the function over to the default runtime, and the end of the frame takes it back. Of
/// several frames in such a function, the one that forks first must end last: declare it first.
/// Source: Pfeiffer 2020, chapter 4 (Fibril's interface), with a wait-free join.
class fork_frame {
 public:
#ifdef NOPAL_CHECK
  NOPAL_ALWAYS_INLINE fork_frame(
      detail::declaration_of_frame d = detail::this_function_must_be_marked_NOPAL_FORKS(
          std::source_location::current())) noexcept
      : checked_(d) {}
#else
  NOPAL_ALWAYS_INLINE fork_frame() noexcept = default;
#endif
  NOPAL_ALWAYS_INLINE ~fork_frame() noexcept(false) {
    NOPAL_CHECKED_USE
    NOPAL_CHECKED_END
    NOPAL_CHECKED_JOIN
    join_.end();
  }
  fork_frame(const fork_frame&) = delete;
  fork_frame& operator=(const fork_frame&) = delete;

  /// Calls f(args...) and assigns the result to *result before the next join() returns. f and args
  /// are copied or moved first, as std::thread does; std::ref passes a reference. If f returns a
  /// nopal::task, the child runs that to its end as well, and *result gets the result of the task.
  /// Complexity: no allocation; without a steal it costs about as much as two calls.
  template <class R, class F, class... A>
    requires(!std::is_function_v<R>)
  NOPAL_ALWAYS_INLINE void fork(R* result, F&& f, A&&... args) {
    if constexpr (detail::check_forked_call<R, F, A...>()) {
      NOPAL_CHECKED_USE
      if constexpr (detail::returns_a_task<std::decay_t<F>, std::decay_t<A>...>)
        fork_onto(result, detail::run_to_end<std::decay_t<F>>{std::forward<F>(f)},
                  std::forward<A>(args)...);
      else
        fork_onto(result, std::forward<F>(f), std::forward<A>(args)...);
    }
  }

  /// Does the same for a call whose result, if it has one, is dropped.
  template <class F, class... A>
    requires(!detail::is_place<F>)
  NOPAL_ALWAYS_INLINE void fork(F&& f, A&&... args) {
    if constexpr (detail::check_forked_call<void, F, A...>()) {
      NOPAL_CHECKED_USE
      if constexpr (detail::returns_a_task<std::decay_t<F>, std::decay_t<A>...>)
        detail::fork_call_of<void>(join_, nullptr,
                                   detail::run_to_end<std::decay_t<F>>{std::forward<F>(f)},
                                   std::forward<A>(args)...);
      else
        detail::fork_call_of<void>(join_, nullptr, std::forward<F>(f), std::forward<A>(args)...);
    }
  }
  template <class No = detail::one_function_comes_first__a_lambda_chooses_among_several_of_one_name>
  No fork(...);

  /// Returns when every call forked so far has ended, perhaps on another thread than before.
  /// \throws the exception of the serially first of them that threw.
  NOPAL_ALWAYS_INLINE void join() {
    NOPAL_CHECKED_USE
    NOPAL_CHECKED_JOIN
    join_.join();
  }

 private:
  template <class R, class F, class... A>
  NOPAL_ALWAYS_INLINE void fork_onto(R* result, F&& f, A&&... args) {
#ifdef NOPAL_CHECK
    detail::checked_frame::fork_with_result fork(checked_);
    const std::uint64_t steals = join_.steals();
    R* const place = checked_.place_for(result);
    detail::fork_call_of(join_, place, std::forward<F>(f), std::forward<A>(args)...);
    fork.returned = true;
    checked_.hide(place, join_.steals() == steals);
#else
    detail::fork_call_of(join_, result, std::forward<F>(f), std::forward<A>(args)...);
#endif
  }

#ifdef NOPAL_CHECK
  /// Hands out the results at its end. Its end comes behind the join, whether that returns or
  /// throws.
  struct hands_out_results {
    detail::checked_frame& checked;
    NOPAL_ALWAYS_INLINE ~hands_out_results() { checked.hand_out_results(); }
  };

  detail::checked_frame checked_;
#endif
  NOPAL_EMIT_FORKING
  detail::frame_join join_;
};

}  // namespace nopal

#undef NOPAL_CHECKED_USE
#undef NOPAL_CHECKED_JOIN
#undef NOPAL_CHECKED_END
#endif
