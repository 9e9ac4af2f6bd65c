// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nopal/detail/platform/config.hpp"

/// A front end may leave a word on its thread for a function that it calls, or returns to, at once.
/// The word is nullptr whenever a strand begins, leaves its thread or goes on, so no strand and no
/// thread finds the word of another. Beside it the front end keeps a guess of what it will leave
/// next. The third word says how far down its stack a strand may run tasks within tasks. It is set
/// whenever one begins or goes on.
struct nopal_strand_words {
  void* left;
  void* guess;  ///< Never nullptr.
  void* lowest;
};
extern "C" __attribute__((
    tls_model("initial-exec"))) constinit thread_local nopal_strand_words nopal_words_of_strand;

namespace nopal::detail {

/// Leaves a word, with the care for thread-locals that this_worker() takes. No memory is declared
/// as clobbered: nothing else reads or writes the words, volatile statements keep their order, and
/// g++ would call the function of a fork through memory.
NOPAL_ALWAYS_INLINE void leave_word_of_strand(void* what) noexcept {
  void* offset;
#if defined(__x86_64__)
  asm volatile(
      "movq nopal_words_of_strand@gottpoff(%%rip), %0\n\t"
      "movq %1, %%fs:(%0)"
      : "=&r"(offset)
      : "er"(what));
#elif defined(__aarch64__)
  void* thread;
  asm volatile(
      "mrs %0, tpidr_el0\n\t"
      "adrp %1, :gottprel:nopal_words_of_strand\n\t"
      "ldr %1, [%1, :gottprel_lo12:nopal_words_of_strand]\n\t"
      "str %2, [%0, %1]"
      : "=&r"(thread), "=&r"(offset)
      : "r"(what));
#endif
}
struct taken_words {
  void* left;
  void* guess;
};

/// Returns the word that was left, and the guess. Afterwards no word is left.
NOPAL_ALWAYS_INLINE taken_words take_words_of_strand() noexcept {
  taken_words w;
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

/// Sets the guess: what the front end will probably leave next.
NOPAL_ALWAYS_INLINE void set_guess_of_strand(void* guess) noexcept {
  void* offset;
#if defined(__x86_64__)
  asm volatile(
      "movq nopal_words_of_strand@gottpoff(%%rip), %0\n\t"
      "movq %1, %%fs:8(%0)"
      : "=&r"(offset)
      : "r"(guess));
#elif defined(__aarch64__)
  void* thread;
  asm volatile(
      "mrs %0, tpidr_el0\n\t"
      "adrp %1, :gottprel:nopal_words_of_strand\n\t"
      "ldr %1, [%1, :gottprel_lo12:nopal_words_of_strand]\n\t"
      "add %0, %0, %1\n\t"
      "str %2, [%0, #8]"
      : "=&r"(thread), "=&r"(offset)
      : "r"(guess));
#endif
}

/// Whether a word is left.
NOPAL_ALWAYS_INLINE bool word_of_strand_is_left() noexcept {
#if defined(__x86_64__)
  bool is_left;
  void* offset;
  asm volatile(
      "movq nopal_words_of_strand@gottpoff(%%rip), %1\n\t"
      "cmpq $0, %%fs:(%1)"
      : "=@ccne"(is_left), "=&r"(offset));
  return is_left;
#elif defined(__aarch64__)
  void* thread;
  void* word;
  asm volatile(
      "mrs %0, tpidr_el0\n\t"
      "adrp %1, :gottprel:nopal_words_of_strand\n\t"
      "ldr %1, [%1, :gottprel_lo12:nopal_words_of_strand]\n\t"
      "ldr %1, [%0, %1]"
      : "=&r"(thread), "=&r"(word));
  return word != nullptr;
#endif
}

/// Whether the strand's stack has grown as far down as calls of tasks within tasks may go.
NOPAL_ALWAYS_INLINE bool stack_of_strand_is_low() noexcept {
#if defined(__x86_64__)
  bool is_low;
  void* offset;
  asm volatile(
      "movq nopal_words_of_strand@gottpoff(%%rip), %1\n\t"
      "cmpq %%fs:16(%1), %%rsp"
      : "=@ccb"(is_low), "=&r"(offset));
  return is_low;
#elif defined(__aarch64__)
  void* thread;
  void* lowest;
  void* sp;
  asm volatile(
      "mrs %0, tpidr_el0\n\t"
      "adrp %1, :gottprel:nopal_words_of_strand\n\t"
      "ldr %1, [%1, :gottprel_lo12:nopal_words_of_strand]\n\t"
      "add %0, %0, %1\n\t"
      "ldr %1, [%0, #16]\n\t"
      "mov %2, sp"
      : "=&r"(thread), "=&r"(lowest), "=&r"(sp));
  return sp < lowest;
#endif
}

}  // namespace nopal::detail
