// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "nopal/detail/platform/config.hpp"
#include "nopal/detail/platform/fp_control.hpp"

namespace nopal::detail {

struct worker;
class stop_scope;

/// Everything that a worker can run, and the whole interface between a front end and the scheduler.
///
/// Its function is called once, on the scheduler stack of the worker that took the continuation. It
/// moves to a strand's stack by the calls of strand.hpp, and returns when the strand that it
/// started has ended or was suspended.
struct continuation {
  using run_function = void (*)(continuation&, worker&) noexcept;

  /// Writes nothing: a fork writes nothing that it does not need.
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init)
  continuation() noexcept {}
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init)
  explicit continuation(run_function r) noexcept : run(word_of(r)) {}

  /// Says which function runs this. Called while no worker can find this.
  void run_by(run_function r) noexcept { run = word_of(r); }
  [[nodiscard]] bool is_run_by(run_function r) const noexcept { return run == word_of(r); }

  /// Runs this on `w`, whose thread calls this on its scheduler stack.
  void run_on(worker& w) noexcept { function()(*this, w); }

  static std::int64_t word_of(run_function r) noexcept {
    return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(r));
  }
  static run_function function_of(std::int64_t word) noexcept {
    return reinterpret_cast<run_function>(static_cast<std::uintptr_t>(word));
  }

  // An address that has the highest bit moves to the right by one, since the highest bit of a
  // pointer may be a tag, and the lowest one of an aligned address is 0.

  /// Returns the word that stands for an object which keeps the function as its first member.
  static std::int64_t word_of_keeper(const void* keeper) noexcept {
    return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(keeper) >> 1 |
                                     std::uintptr_t{1} << 63);
  }
  static void* keeper_of(std::int64_t word) noexcept {
    return reinterpret_cast<void*>(static_cast<std::uintptr_t>(word) << 1);
  }
  static bool is_keeper(std::int64_t word) noexcept { return word < 0; }

  /// The next one in an inbox. A front end may use it while no worker can find this one.
  continuation* next;
  /// The address of the function. The join of a fork uses this word for more: it says as well who
  /// has arrived (two_way_join.hpp), and if that is the strand which pushed this, the function is
  /// kept elsewhere. This is last, beside what the front end's own object begins with: a fork
  /// writes both.
  std::int64_t run;

 private:
  [[nodiscard]] run_function function() noexcept {
    // The acquire pairs with the exchange by which the strand that pushed this arrives at its join.
    const std::int64_t word = std::atomic_ref(run).load(std::memory_order_acquire);
    return is_keeper(word) ? *static_cast<run_function*>(keeper_of(word)) : function_of(word);
  }
};

/// The continuation of a closure, which begins with the control words that the strand which pushed
/// it had when it last began or went on. Whoever takes it from a deque notes them. Tasks and frames
/// have no room for them, so the deque keeps this by a pointer that is marked: one above its
/// address.
struct closure_continuation : continuation {
  using continuation::continuation;

  /// Returns the marked pointer to `c`, computed here as address_now() does.
  template <class T>
  NOPAL_ALWAYS_INLINE static continuation* marked_now(T& c) noexcept {
    char* p = reinterpret_cast<char*>(static_cast<closure_continuation*>(&c)) + 1;
#if defined(__x86_64__)
    // The second operand says that all of `c` is read.
    asm volatile("leaq %1, %0" : "=r"(p) : "m"(*p), "m"(c));
#else
    asm("" : "+r"(p) : "m"(c));
#endif
    return reinterpret_cast<continuation*>(p);
  }

  fp_control fp_of_pusher;
};

/// Returns `c`, which a deque has kept, without its mark.
inline continuation* unmarked(continuation* c) noexcept {
  return reinterpret_cast<continuation*>(reinterpret_cast<std::uintptr_t>(c) & ~std::uintptr_t{1});
}

/// Does the same for what has just been taken from a deque, and notes the control words `fp` in the
/// continuation of a closure.
inline continuation* unmarked(continuation* c, const fp_control& fp) noexcept {
  continuation* const plain = unmarked(c);
  if (plain != c) static_cast<closure_continuation*>(plain)->fp_of_pusher = fp;
  return plain;
}

}  // namespace nopal::detail
