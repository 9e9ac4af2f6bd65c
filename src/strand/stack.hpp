// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "platform/stack_memory.hpp"
#include "strand/events.hpp"
#include "strand/fiber.hpp"

namespace nopal::detail {

struct strand_worker;

/// A stack that strands run on: one that nopal mapped, the own stack of a thread that lends it
/// (docs/strand.md), or a segment of a file, which a stack_strategy places at the addresses that a
/// strand needs.
///
/// The object itself lies at the high end of a mapped stack, so that a shallow strand costs one
/// page.
class stack {
 public:
  /// Maps a new stack. Returns nullptr if the system gives no more.
  static stack* map(std::size_t usable_bytes) noexcept;
  static void unmap(stack* s) noexcept;

  /// The stack [low, low + bytes) of a thread that lends it. A fault in the `guard` bytes from
  /// `guard_begin` on is an overflow.
  stack(std::byte* low, std::size_t bytes, std::byte* guard_begin = nullptr,
        std::size_t guard = 0) noexcept;

  /// A segment of a file: `m` says how large it is and where in the file. It is nowhere until
  /// place() is called.
  explicit stack(const stack_memory& m) noexcept;

  /// Puts a segment, on which nobody runs now, where its memory begins at `begin`.
  void place(std::byte* begin) noexcept;
  ~stack();
  stack(const stack&) = delete;
  stack& operator=(const stack&) = delete;

  /// The address at which the first frame of a strand begins. It is 16-byte aligned.
  [[nodiscard]] std::byte* base() const noexcept { return base_; }
  [[nodiscard]] bool holds(const void* address) const noexcept {
    const auto* p = static_cast<const std::byte*>(address);
    return low_ <= p && p < base_;
  }
  [[nodiscard]] std::size_t usable_bytes() const noexcept {
    return static_cast<std::size_t>(base_ - low_);
  }
  /// Returns how many bytes lie between the guard and `sp`, which is on this stack, if it is lent.
  [[nodiscard]] std::size_t usable_below(const std::byte* sp) const noexcept {
    const std::byte* const end = memory_.begin + memory_.guard;
    return sp > end ? static_cast<std::size_t>(sp - end) : 0;
  }
  [[nodiscard]] bool lent() const noexcept { return memory_.usable == 0; }
  [[nodiscard]] const stack_memory& memory() const noexcept { return memory_; }

  /// Whether `address` is in the guard.
  [[nodiscard]] bool guards(const void* address) const noexcept;

  /// Gives back the pages below `live`, or all if it is nullptr. Returns how many pages that were.
  std::size_t reclaim(void* live, bool lazily) noexcept;

  /// Returns how many pages below `live`, or of all if it is nullptr, are in memory and hold
  /// nothing any more. Asks the kernel, but not more often than once in a millisecond. In between
  /// it uses the last answer, a lowest address, again.
  std::size_t stale_pages(void* live) noexcept;

  /// Whether a strand that waits has left more than a page below `live` that is in memory. Asks the
  /// kernel at the first wait. As long as the answer is no, it asks again 1, 2, 4, … and 64 waits
  /// later, and then at each 128th. In between it says no.
  bool has_stale_pages_in_wait(void* live) noexcept;

  [[nodiscard]] std::size_t resident_pages() const noexcept;

  /// Prepares for a strand that is about to begin here.
  void begin_strand() noexcept {
    id = strand_id::fresh();
    waits_between_asks_ = waits_until_ask_ = 1;
    emit_of<strand_events::beginning>(id);
  }

  [[no_unique_address]] strand_id id;  ///< The id of the strand whose stack this is.
  fiber sanitizer_fiber;
  stack* next_free = nullptr;        ///< The next in the stack_cache that it lies in.
  stack* next_mapped = nullptr;      ///< The next in the stack_cache that mapped it.
  strand_worker* left_by = nullptr;  ///< The worker that left it when its strand last stopped.
  /// All that the strands of this stack have pushed was pushed below this position.
  std::int64_t pushed_below = 0;
  std::uint64_t call = 0;  ///< The call that its strand is a part of; see strand_worker.
  /// Whether its strand stops to wait for something else than a join. Set before it stops.
  bool waits = false;
  /// Whether it is suspended or free with stale pages. stack_supply counts such stacks.
  bool unreclaimed = false;

 private:
  stack(const stack_memory& m, std::byte* base) noexcept;
  std::byte* first_unused_page_end(void* live) const noexcept;

  stack_memory memory_;
  std::byte* low_;
  std::byte* base_;
  std::byte* lowest_touched_ = nullptr;
  std::int64_t asked_at_ = 0;  ///< When lowest_touched_ was found, in nanoseconds; 0: never.
  std::uint8_t waits_between_asks_ = 1;
  std::uint8_t waits_until_ask_ = 1;
};

}  // namespace nopal::detail
