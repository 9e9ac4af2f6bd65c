// SPDX-License-Identifier: Apache-2.0
// This is a call that fork_frame::fork() has forked, how it gets its parts, and how it ends. Its
// parts are the function, the arguments, and the pointer to where the result goes, if it is wanted.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <tuple>
#include <type_traits>
#include <utility>

#include "nopal/detail/fork/frame_join.hpp"
#include "nopal/detail/platform/config.hpp"
#include "nopal/detail/platform/invoke.hpp"
#include "nopal/detail/strand/strand.hpp"
#include "nopal/detail/strand/worker.hpp"

namespace nopal::detail {

/// Whether a part can be handed over in a register.
template <class T>
inline constexpr bool fits_word = std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof(word);

/// Packs a part into the word that the forking function hands over in a register.
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

/// Unpacks the part that to_word() has packed. child_in_registers does so, just before the call.
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

/// What a child keeps while it runs. This lies in the child's own frame, since the forking
/// function's may be another worker's by then. It lies in memory, since registers that the call
/// preserves would have to be saved first.
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
  /// Runs the call. fork_call() calls this, with the parts in the words.
  static std::size_t run(word w0, word w1, suspension* frame, word w2, word w3, word w4) noexcept {
    worker* w = this_worker();
    if (w == nullptr) [[unlikely]]
      return frame_join::enter_and_run(run, w0, w1, frame, w2, w3, w4);
    return run_child(frame, w, [&](auto&& push) {
      words kept;
      keep<0>(kept, w0);
      keep<1>(kept, w1);
      keep<2>(kept, w2);
      keep<3>(kept, w3);
      keep<4>(kept, w4);
      push();
      in_memory(kept);
      call(kept, std::index_sequence_for<A...>{});
    });
  }

 private:
  using words = std::array<word, (std::is_void_v<R> ? 0 : 1) + 1 + sizeof...(A)>;

  /// Stores a part, if there are so many. One by one: g++ would store four, and copy them by one
  /// load, which waits until all of them have left the store buffer.
  template <std::size_t I>
  NOPAL_ALWAYS_INLINE static void keep(words& kept, word w) noexcept {
    if constexpr (I < std::tuple_size_v<words>) {
      kept[I] = w;
      in_memory(kept[I]);
    }
  }

  // The call is one expression, because what it returns may refer to its arguments.
  template <std::size_t... I>
  NOPAL_ALWAYS_INLINE static void call(words& w, std::index_sequence<I...>) {
    if constexpr (std::is_void_v<R>)
      static_cast<void>(detail::invoke(from_word<F>(w[0]), from_word<A>(w[1 + I])...));
    else
      result_in(w) = detail::invoke(from_word<F>(w[1]), from_word<A>(w[2 + I])...);
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

  /// Runs the call. fork_call() calls this, with the address of the parts.
  static std::size_t run(word argument, word, suspension* frame, word, word, word) noexcept {
    worker* w = this_worker();
    if (w == nullptr) [[unlikely]]
      return frame_join::enter_and_run(run, argument, 0, frame, 0, 0, 0);
    auto* there = reinterpret_cast<child_in_memory*>(argument);
    return run_child(frame, w, [&](auto&& push) {
      child_in_memory here(std::move(*there));
      push();
      const auto invoke = [](auto&&... part) -> decltype(auto) {
        return detail::invoke(std::forward<decltype(part)>(part)...);
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

/// Forks a child_in_registers, C, with the parts `given`.
template <class C, class... T>
NOPAL_ALWAYS_INLINE void fork_in_registers(frame_join& join, const T&... given) {
  join.fork(C::run, word_or_anything<0>(given...), word_or_anything<1>(given...),
            word_or_anything<2>(given...), word_or_anything<3>(given...),
            word_or_anything<4>(given...));
}

/// Forks f(args...), whose result goes to `result`, in registers if the parts fit, else in memory.
/// fork_frame::fork() calls this, once it knows that the call can be made.
/// \param result  nullptr if R is void: the result is not wanted.
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

}  // namespace nopal::detail
