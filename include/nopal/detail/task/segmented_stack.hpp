// SPDX-License-Identifier: Apache-2.0
// This is the memory for coroutine frames: segments that double in size (Williams and Elliott 2024,
// section III-A). docs/task.md describes it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "nopal/detail/platform/assert.hpp"
#include "nopal/detail/platform/config.hpp"
#if NOPAL_ASAN
#include <sanitizer/asan_interface.h>
#endif

namespace nopal::detail {

/// A stack that grows by segments, stacklets, each as large as all below it; its elements do not
/// move. What is taken last is given back first. At most one empty stacklet is kept, so that a
/// caller at the end of one does not take and free the next again and again.
///
/// The stack holds at most 4 M + O(log M) bytes for M bytes in use (theorem 1), beside the three
/// lowest stacklets, if elements are small compared with a stacklet: each stacklet wastes less than
/// an element at its end. If elements are large, it holds at most 8 M.
/// Thread-safety: none; it belongs to one strand at a time.
class segmented_stack {
 public:
  static constexpr std::size_t alignment = 16;

  segmented_stack() noexcept = default;
  ~segmented_stack() {
    free(top_);
    free(spare_);
  }
  segmented_stack(const segmented_stack&) = delete;
  segmented_stack& operator=(const segmented_stack&) = delete;

  /// Takes memory from the top of the stack.
  /// \param bytes  a multiple of `alignment`.
  /// \throws std::bad_alloc
  void* push(std::size_t bytes) {
    if (!fits(bytes)) grow(bytes);
    return push_what_fits(bytes);
  }

  /// Whether a push takes no stacklet.
  /// \param bytes  so few that no sum overflows: half of the address space at most.
  [[nodiscard]] NOPAL_ALWAYS_INLINE bool fits(std::size_t bytes) const noexcept {
    return after(bytes) <= reinterpret_cast<std::uintptr_t>(end_);
  }
  /// Does what push() does, if the caller knows that no other stacklet is needed.
  NOPAL_ALWAYS_INLINE void* push_what_fits(std::size_t bytes) noexcept {
    NOPAL_ASSERT(fits(bytes) && bytes % alignment == 0);
    void* p = next_;
    next_ = reinterpret_cast<std::byte*>(after(bytes));
#if NOPAL_ASAN
    __asan_unpoison_memory_region(p, bytes);
#endif
    return p;
  }

  /// Gives back `p`, the newest that push() returned and that was not given back.
  NOPAL_ALWAYS_INLINE void pop(void* p) noexcept {
    const bool whole_stacklet = begins_stacklet(p);
    cut(p);
    if (whole_stacklet) [[unlikely]]
      keeping_registers([this] { shrink(); });
  }

  /// Does what pop(p) does, for a p that begins no stacklet.
  NOPAL_ALWAYS_INLINE void pop_within(void* p) noexcept {
    NOPAL_ASSERT(!begins_stacklet(p));
    cut(p);
  }

  /// Whether p, which push() has returned, begins a stacklet that goes when p is given back.
  [[nodiscard]] bool begins_stacklet(const void* p) const noexcept { return p == first_; }

  /// Whether p is where the next element begins: everything that was taken after p has been given
  /// back.
  [[nodiscard]] bool ends_at(const void* p) const noexcept { return next_ == p; }

  [[nodiscard]] bool empty() const noexcept {
    return top_ == nullptr || (top_->below == nullptr && next_ == begin_of(top_));
  }

  /// Returns the number of bytes of all stacklets, with what they need for themselves.
  [[nodiscard]] std::size_t bytes_held() const noexcept;

 private:
  /// The size of the lowest stacklet, with its header. Whoever goes on with a task after a steal,
  /// or after a child that waits, begins with this, and a million of them are not to take a page
  /// each.
  static constexpr std::size_t lowest = 640;
  /// The size of the next one at least. With it, a recursion of some hundred levels does not take
  /// and free stacklets again and again on its way up and down. Pages that it does not reach are
  /// not touched.
  static constexpr std::size_t usual = std::size_t{16} << 10;

  struct alignas(alignment) stacklet {
    stacklet* below;
    std::byte* next_below;   ///< Where the next element of `below` begins.
    std::size_t bytes;       ///< The number of bytes behind this header.
    std::size_t with_below;  ///< The sum over this and all below: the next one has as many.
  };

  /// Frees all from `p` on, which lies in the top stacklet.
  NOPAL_ALWAYS_INLINE void cut(void* p) noexcept {
    NOPAL_ASSERT(top_ != nullptr && begin_of(top_) <= p && p < next_);
#if NOPAL_ASAN
    // The frame is gone.
    __asan_poison_memory_region(p, static_cast<std::size_t>(next_ - static_cast<std::byte*>(p)));
#endif
    next_ = static_cast<std::byte*>(p);
  }

  /// Returns where an element of so many bytes ends that begins at next_. This is a number, since
  /// there may be no such place.
  [[nodiscard]] NOPAL_ALWAYS_INLINE std::uintptr_t after(std::size_t bytes) const noexcept {
    return reinterpret_cast<std::uintptr_t>(next_) + bytes;
  }

  static std::byte* begin_of(stacklet* s) noexcept { return reinterpret_cast<std::byte*>(s + 1); }
  static stacklet* make(std::size_t room);
  [[nodiscard]] std::size_t largest_kept() const noexcept;
  static void free(stacklet* s) noexcept;
  void put_on_top(stacklet* s) noexcept;
  void grow(std::size_t bytes);
  void shrink() noexcept;

  std::byte* next_ = nullptr;
  std::byte* end_ = nullptr;
  /// The beginning of the top stacklet; nullptr in the lowest, which stays.
  std::byte* first_ = nullptr;
  stacklet* top_ = nullptr;
  stacklet* spare_ = nullptr;
};

}  // namespace nopal::detail
