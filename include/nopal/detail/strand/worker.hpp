// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "nopal/detail/deque/deque.hpp"
#include "nopal/detail/platform/config.hpp"
#include "nopal/detail/platform/context.hpp"
#include "nopal/detail/strand/exception_state.hpp"

namespace nopal::detail {

/// What the fork path needs of a worker. The scheduler's own part of it is scheduler_worker
/// (src/scheduler).
struct worker {
  nopal::detail::deque deque;
  exception_state* exceptions = nullptr;  ///< That of the worker's thread.
  /// Floating-point control words of its strand, when that last began or went on. A thief gives
  /// them to a closure.
  std::atomic<fp_control> strand_fp_control{};
#ifdef NOPAL_COUNT_FORKS
  std::atomic<std::uint64_t> forks{0};
#endif

  /// Makes `c` stealable. Returns its position in the deque, or deque::full.
  NOPAL_ALWAYS_INLINE std::int64_t push(continuation* c) noexcept {
#ifdef NOPAL_COUNT_FORKS
    forks.store(forks.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
#endif
    return deque.push(c);
  }
};

}  // namespace nopal::detail

/// The worker whose code this thread runs; nullptr on every other thread. A plain C name, because
/// assembly reads it.
extern "C" __attribute__((
    tls_model("initial-exec"))) constinit thread_local nopal::detail::worker* nopal_this_worker;
/// For the front end whose strand runs on this thread: a word that it leaves for a function that it
/// calls or returns to at once, nullptr whenever a strand begins or goes on; and a guess of what
/// that will be.
struct nopal_strand_words {
  void* left;
  void* guess;  ///< Never nullptr.
};
extern "C" __attribute__((
    tls_model("initial-exec"))) constinit thread_local nopal_strand_words nopal_words_of_strand;

namespace nopal::detail {

/// Reads nopal_this_worker anew, each time. A strand changes threads at any fork or join that it
/// makes, and compilers keep the address of a thread-local in a register across calls; so the
/// compiler must not see that there is one.
NOPAL_ALWAYS_INLINE worker* this_worker() noexcept {
  worker* w;
#if defined(__x86_64__)
  asm volatile(
      "movq nopal_this_worker@gottpoff(%%rip), %0\n\t"
      "movq %%fs:(%0), %0"
      : "=r"(w)
      :
      : "memory");
#elif defined(__aarch64__)
  void* offset;
  asm volatile(
      "mrs %0, tpidr_el0\n\t"
      "adrp %1, :gottprel:nopal_this_worker\n\t"
      "ldr %1, [%1, :gottprel_lo12:nopal_this_worker]\n\t"
      "ldr %0, [%0, %1]"
      : "=&r"(w), "=&r"(offset)
      :
      : "memory");
#endif
  return w;
}

/// The same care for the words of the strand. No clobbered memory: nothing else reads or writes
/// them, volatile asm keep their order, and g++ would call the function of a fork through memory.
NOPAL_ALWAYS_INLINE void leave_word_of_strand(void* word) noexcept {
  void* offset;
#if defined(__x86_64__)
  asm volatile(
      "movq nopal_words_of_strand@gottpoff(%%rip), %0\n\t"
      "movq %1, %%fs:(%0)"
      : "=&r"(offset)
      : "er"(word));
#elif defined(__aarch64__)
  void* thread;
  asm volatile(
      "mrs %0, tpidr_el0\n\t"
      "adrp %1, :gottprel:nopal_words_of_strand\n\t"
      "ldr %1, [%1, :gottprel_lo12:nopal_words_of_strand]\n\t"
      "str %2, [%0, %1]"
      : "=&r"(thread), "=&r"(offset)
      : "r"(word));
#endif
}
/// What was left, and the guess; afterwards nothing is left.
NOPAL_ALWAYS_INLINE nopal_strand_words take_words_of_strand() noexcept {
  nopal_strand_words w;
  void* offset;
#if defined(__x86_64__)
  asm volatile(
      "movq nopal_words_of_strand@gottpoff(%%rip), %2\n\t"
      "movq %%fs:(%2), %0\n\t"
      "movq %%fs:8(%2), %1\n\t"
      "movq $0, %%fs:(%2)"
      : "=&r"(w.left), "=&r"(w.guess), "=&r"(offset));
#elif defined(__aarch64__)
  void* thread;
  asm volatile(
      "mrs %2, tpidr_el0\n\t"
      "adrp %3, :gottprel:nopal_words_of_strand\n\t"
      "ldr %3, [%3, :gottprel_lo12:nopal_words_of_strand]\n\t"
      "add %2, %2, %3\n\t"
      "ldp %0, %1, [%2]\n\t"
      "str xzr, [%2]"
      : "=&r"(w.left), "=&r"(w.guess), "=&r"(thread), "=&r"(offset));
#endif
  return w;
}

/// Whether the continuation that this strand pushed on w's deque is still there; it is then taken
/// back. When a strand leaves its worker everything that it pushed there has been taken: by
/// thieves, or by scheduler::settle() for others to run.
NOPAL_ALWAYS_INLINE bool take_back(worker* w, std::int64_t position) noexcept {
  if (this_worker() != w) [[unlikely]]
    return false;
  return w->deque.pop(position);
}

/// The same without the position, which the deque knows as well. Where the strand has left its
/// worker meanwhile the deque of the worker that it is on now is empty: a worker goes on with
/// another strand only when it has nothing left of the one before.
NOPAL_ALWAYS_INLINE bool take_back_newest() noexcept {
  worker* w = this_worker();
  return w->deque.pop(w->deque.newest());
}

}  // namespace nopal::detail
