// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstring>
#include <functional>
#include <new>
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

/// A forked call, on its way to the forking function a handler for its exceptions. call(push) calls push() once the call's
/// parts are the child's own: from then on the forking function may go on, and what it handed over may be gone.
template <class C>
NOPAL_ALWAYS_INLINE std::size_t run_child(suspension* f, C&& call) noexcept {
  frame_join& frame = frame_join::of_child(f);
  worker* w = this_worker();
  const std::uint64_t order = frame.order();
  std::int64_t position = deque::full;
  try {
    call([&] {
      position = frame.push(w);
      if (position == deque::full) w = nullptr;
    });
  } catch (...) {
    if (position == deque::full || take_back(w, position)) {
      frame.hold_exception();
      return 1;
    }
    frame.note_exception(order);
    w = nullptr;
  }
  if (take_back(w, position)) [[likely]] return 0;  // never where w is nullptr: there is nothing to take back
  if (position == deque::full) return 0;
  frame.arrive(order);
}

/// A forked call whose parts each fit a word: they are handed over in registers. R is void where the result is not wanted.
template <class R, class F, class... A>
struct child_in_registers {
  static std::size_t run(word w0, word w1, suspension* frame, word w2, word w3, word w4) noexcept {
    const word words[] = {w0, w1, w2, w3, w4};
    return run_child(frame, [&](auto&& push) {
      push();
      call(words, std::index_sequence_for<A...>{});
    });
  }

 private:
  template <std::size_t... I>
  NOPAL_ALWAYS_INLINE static void call(const word* w, std::index_sequence<I...>) {
    if constexpr (std::is_void_v<R>)
      static_cast<void>(std::invoke(from_word<F>(w[0]), from_word<A>(w[1 + I])...));
    else
      *from_word<R*>(w[0]) = std::invoke(from_word<F>(w[1]), from_word<A>(w[2 + I])...);
  }
};

/// Any other forked call: its parts are moved from where the forking function put them.
template <class R, class F, class... A>
struct child_in_memory {
  R* result;
  std::tuple<F, A...> parts;

  static std::size_t run(word argument, word, suspension* frame, word, word, word) noexcept {
    auto* there = reinterpret_cast<child_in_memory*>(argument);
    return run_child(frame, [&](auto&& push) {
      child_in_memory here(std::move(*there));
      push();
      const auto invoke = [](auto&&... part) -> decltype(auto) { return std::invoke(std::forward<decltype(part)>(part)...); };
      if constexpr (std::is_void_v<R>)
        static_cast<void>(std::apply(invoke, std::move(here.parts)));
      else
        *here.result = std::apply(invoke, std::move(here.parts));
    });
  }
};

template <class R, class F, class... A>
concept forkable_to = std::is_invocable_v<std::decay_t<F>, std::decay_t<A>...> &&
                      std::is_assignable_v<R&, std::invoke_result_t<std::decay_t<F>, std::decay_t<A>...>>;

template <class R, class F, class... A>
NOPAL_ALWAYS_INLINE void fork_in_registers(frame_join& join, [[maybe_unused]] R* result, const F& f, const A&... args) {
  word words[words_in_registers] = {};
  std::size_t n = 0;
  if constexpr (!std::is_void_v<R>) words[n++] = to_word(result);
  words[n++] = to_word(f);
  ((words[n++] = to_word(args)), ...);
  join.fork(child_in_registers<R, F, A...>::run, words[0], words[1], words[2], words[3], words[4]);
}

template <class R, class F, class... A>
NOPAL_ALWAYS_INLINE void fork_call_of(frame_join& join, R* result, F&& f, A&&... args) {
  constexpr std::size_t count = (std::is_void_v<R> ? 0 : 1) + 1 + sizeof...(A);
  if constexpr (count <= words_in_registers && fits_word<std::decay_t<F>> && (fits_word<std::decay_t<A>> && ...)) {
    fork_in_registers<R, std::decay_t<F>, std::decay_t<A>...>(join, result, f, args...);
  } else {
    using child = child_in_memory<R, std::decay_t<F>, std::decay_t<A>...>;
    child c{result, {std::forward<F>(f), std::forward<A>(args)...}};
    join.fork(child::run, reinterpret_cast<word>(&c), 0, 0, 0, 0);
  }
}

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
    detail::fork_call_of(join_, result, std::forward<F>(f), std::forward<A>(args)...);
  }

  /// The same for a call whose result, if any, is not wanted.
  template <class F, class... A>
    requires std::is_invocable_v<std::decay_t<F>, std::decay_t<A>...>
  NOPAL_ALWAYS_INLINE void fork(F&& f, A&&... args) {
    detail::fork_call_of<void>(join_, nullptr, std::forward<F>(f), std::forward<A>(args)...);
  }

  /// Returns when every call forked so far has ended, maybe on another thread than before.
  /// \throws the exception of the serially first of them that threw.
  NOPAL_ALWAYS_INLINE void join() { join_.join(); }

 private:
  detail::frame_join join_;
};

}  // namespace nopal
