// SPDX-License-Identifier: Apache-2.0
// The views of reducers that a strand has: what moves with the strand, and what joins merge.
// docs/reducer.md has the protocol and its argument.
#pragma once

#include <cstdint>

#include "nopal/detail/platform/config.hpp"

namespace nopal::detail {

/// The views of one segment of the serial execution, or the product of several. The component that
/// has views derives from this; joins see nothing else of them.
class strand_views {
 public:
  strand_views() noexcept = default;
  virtual ~strand_views() = default;
  strand_views(const strand_views&) = delete;
  strand_views& operator=(const strand_views&) = delete;

  /// Puts `right` behind this, and ends `right`. Runs code of the program, so the caller is on a
  /// strand's stack.
  virtual void absorb(strand_views* right) noexcept = 0;

  /// Ends these views, which the serial program would not have made. Those of reducers that have
  /// begun here live on.
  virtual void drop() noexcept = 0;

  /// Gives variables of static storage their views. A call that began on a thread that is no worker
  /// has come back to it with these views, and nobody else would hand them over. Runs code of the
  /// program.
  virtual void come_back_to_thread() noexcept {}

  /// Whether it holds no view.
  [[nodiscard]] virtual bool empty() const noexcept = 0;

  // These members are for a block that has been left at a join.

  strand_views* next = nullptr;  ///< The next block in a sorted list.
  std::uint64_t from = 0;        ///< The numbers of the first segment of the block and of its last.
  std::uint64_t to = 0;
  bool thrown = false;  ///< Its last segment has ended by an exception.
};

}  // namespace nopal::detail

/// The views of the segment that this thread runs; nullptr if it has none.
extern "C" __attribute__((tls_model(
    "initial-exec"))) constinit thread_local nopal::detail::strand_views* nopal_views_of_strand;

namespace nopal::detail {

/// Returns the views of the strand that this thread runs, or nullptr. Reads the word anew, with the
/// care for thread-locals that this_worker() takes.
NOPAL_ALWAYS_INLINE strand_views* views_of_strand() noexcept {
  strand_views* v;
#if defined(__x86_64__)
  asm volatile(
      "movq nopal_views_of_strand@gottpoff(%%rip), %0\n\t"
      "movq %%fs:(%0), %0"
      : "=r"(v));
#elif defined(__aarch64__)
  void* offset;
  asm volatile(
      "mrs %0, tpidr_el0\n\t"
      "adrp %1, :gottprel:nopal_views_of_strand\n\t"
      "ldr %1, [%1, :gottprel_lo12:nopal_views_of_strand]\n\t"
      "ldr %0, [%0, %1]"
      : "=&r"(v), "=&r"(offset));
#endif
  return v;
}

/// Sets what views_of_strand() returns on this thread. It is called where a strand begins, goes on
/// or is left, and where a strand gets its first view.
NOPAL_ALWAYS_INLINE void set_views_of_strand(strand_views* v) noexcept {
  void* offset;
#if defined(__x86_64__)
  asm volatile(
      "movq nopal_views_of_strand@gottpoff(%%rip), %0\n\t"
      "movq %1, %%fs:(%0)"
      : "=&r"(offset)
      : "r"(v));
#elif defined(__aarch64__)
  void* thread;
  asm volatile(
      "mrs %0, tpidr_el0\n\t"
      "adrp %1, :gottprel:nopal_views_of_strand\n\t"
      "ldr %1, [%1, :gottprel_lo12:nopal_views_of_strand]\n\t"
      "str %2, [%0, %1]"
      : "=&r"(thread), "=&r"(offset)
      : "r"(v));
#endif
}

/// Hands the views over on a thread that is no worker, when a call of that thread has come back.
inline void views_come_back_to_thread() noexcept {
  strand_views* v = views_of_strand();
  if (v == nullptr) return;
  v->come_back_to_thread();
  if (!v->empty()) return;
  set_views_of_strand(nullptr);
  delete v;
}

/// Takes the views from the thread, which has none afterwards. The caller takes the segment
/// elsewhere.
inline strand_views* take_views_of_strand() noexcept {
  strand_views* v = views_of_strand();
  set_views_of_strand(nullptr);
  return v;
}

}  // namespace nopal::detail
