// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "nopal/detail/deque/deque.hpp"
#include "nopal/detail/platform/assert.hpp"
#include "nopal/detail/platform/config.hpp"
#include "nopal/detail/platform/configuration.hpp"
#include "nopal/detail/platform/fp_control.hpp"
#include "nopal/detail/strand/exception_state.hpp"
#include "nopal/detail/strand/worker_number.hpp"

namespace nopal::detail {

/// What the fork path needs of a worker. strand_worker (src/strand) has what a strand needs of it,
/// and scheduler_worker (src/scheduler) what the scheduler needs.
struct worker {
  nopal::detail::deque deque;
  exception_state* exceptions = nullptr;  ///< The state of the worker's thread.
  /// The floating-point control words that its strand had when it last began or went on. A thief
  /// gives them to a closure.
  std::atomic<fp_control> strand_fp_control{};
#ifdef NOPAL_COUNT_FORKS
  std::atomic<std::uint64_t> forks{0};
#endif
  const worker_number number;  ///< The number in the process, not in its runtime.
  const unsigned index;        ///< The index in its runtime; from first_guest on it is a guest.

  /// No runtime has as many workers.
  static constexpr unsigned first_guest = 1U << 16;

  explicit worker(unsigned index_in_runtime) : index(index_in_runtime) {}

  /// Makes `c` stealable. Returns its position in the deque, or a negative number if that is full.
  NOPAL_ALWAYS_INLINE std::int64_t push(continuation* c) noexcept {
    count_fork();
    return deque.push(c);
  }

  /// Pushes the `c` that was just taken back from `position`, or that did not fit when it was last
  /// pushed.
  NOPAL_ALWAYS_INLINE std::int64_t push_again(continuation* c, std::int64_t position) noexcept {
    count_fork();
    return deque.push_again(c, position);
  }

  [[nodiscard]] bool is_this_worker() const noexcept;

 private:
  /// Counts a fork, in a build that counts them. Each push calls this.
  NOPAL_ALWAYS_INLINE void count_fork() noexcept {
#ifdef NOPAL_COUNT_FORKS
    forks.store(forks.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
#endif
    NOPAL_ASSERT(is_this_worker());  // the deque's owner is one thread
  }
};

}  // namespace nopal::detail

/// The worker whose code this thread runs; nullptr on every other thread. It has a plain C name,
/// because assembly reads it.
extern "C" __attribute__((
    tls_model("initial-exec"))) constinit thread_local nopal::detail::worker* nopal_this_worker;
namespace nopal::detail {

/// Returns the worker that this thread runs, or nullptr if it is no worker. Reads nopal_this_worker
/// anew, each time. A strand changes threads at any fork or join that it makes, and compilers keep
/// the address of a thread-local in a register across calls; so the compiler must not see that
/// there is one.
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

/// Returns whether this_worker() == w, for a `w` that may be anything.
NOPAL_ALWAYS_INLINE bool is_this_worker(const worker* w) noexcept {
#if defined(__x86_64__)
  bool same;
  void* offset;
  asm volatile(
      "movq nopal_this_worker@gottpoff(%%rip), %1\n\t"
      "cmpq %%fs:(%1), %2"
      : "=@cce"(same), "=&r"(offset)
      : "r"(w)
      : "memory");
  return same;
#else
  return this_worker() == w;
#endif
}

inline bool worker::is_this_worker() const noexcept { return detail::is_this_worker(this); }

/// Takes back the continuation that this strand pushed at `position`, and returns whether it was
/// still there. When a strand leaves its worker, everything that it pushed there has been taken: by
/// thieves, or by scheduler::hand_over_deque() for others to run. The worker on which it goes on
/// begins above those positions, so this need not ask on which worker the position was.
/// docs/deque.md has the argument.
NOPAL_ALWAYS_INLINE bool take_back(std::int64_t position) noexcept {
  return this_worker()->deque.pop(position);
}

/// Does the same without the position, which the deque knows as well. If the strand has left its
/// worker meanwhile, the deque of the worker that it is on now is empty: a worker goes on with
/// another strand only when it has nothing left of the one before.
NOPAL_ALWAYS_INLINE bool take_back_newest() noexcept {
  worker* w = this_worker();
  return w->deque.pop(w->deque.newest());
}

}  // namespace nopal::detail
