// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include "nopal/detail/deque/continuation.hpp"
#include "nopal/detail/platform/assert.hpp"

namespace nopal::detail {

/// The circular array of the growing deques: 2^k slots, indexed modulo its size, and the smaller
/// arrays that it replaced. A thief may still read those, so they live as long as the deque; sizes
/// double, so all of them together are smaller than the newest.
///
/// Beside each slot there may be the stop_scope of the strand that pushed what is in it. These are
/// made when the owner's strand is in a scope for the first time.
class circular_array {
 public:
  using slot = std::atomic<continuation*>;
  using scope_slot = std::atomic<stop_scope*>;

  explicit circular_array(std::int64_t capacity)
      : mask_(capacity - 1), slots_(new slot[static_cast<std::size_t>(capacity)]()) {
    NOPAL_ASSERT(capacity > 0 && (capacity & (capacity - 1)) == 0);  // operator[] masks
  }

  ~circular_array() {
    delete smaller_;
    delete[] scopes_.load(std::memory_order_relaxed);
    delete[] slots_;
  }
  circular_array(const circular_array&) = delete;
  circular_array& operator=(const circular_array&) = delete;

  [[nodiscard]] std::int64_t capacity() const noexcept { return mask_ + 1; }
  [[nodiscard]] slot& operator[](std::int64_t i) const noexcept {
    return slots_[static_cast<std::size_t>(i & mask_)];
  }
  [[nodiscard]] slot* slots() const noexcept { return slots_; }

  /// Makes room for the scopes of elements, each of which is in none so far. The owner calls this.
  /// Returns whether there is room.
  bool make_scopes() noexcept {
    if (scopes_.load(std::memory_order_relaxed) != nullptr) return true;
    auto* const made = new (std::nothrow) scope_slot[static_cast<std::size_t>(capacity())]();
    scopes_.store(made, std::memory_order_release);  // pairs with scope_of()
    return made != nullptr;
  }
  [[nodiscard]] bool has_scopes() const noexcept {
    return scopes_.load(std::memory_order_relaxed) != nullptr;
  }
  /// Notes the scope of what is in the slot `i` from here on. Precondition: has_scopes().
  void note_scope(std::int64_t i, stop_scope* s) noexcept {
    scopes_.load(std::memory_order_relaxed)[i & mask_].store(s, std::memory_order_relaxed);
  }
  /// Returns the scope that was noted for slot `i`.
  [[nodiscard]] stop_scope* scope_of(std::int64_t i) const noexcept {
    const scope_slot* all = scopes_.load(std::memory_order_acquire);  // pairs with make_scopes()
    return all != nullptr ? all[i & mask_].load(std::memory_order_relaxed) : nullptr;
  }

  /// Returns an array of twice the size with the elements of [top, bottom), which owns this one, or
  /// nullptr if memory ran out.
  [[nodiscard]] circular_array* grown(std::int64_t top, std::int64_t bottom) noexcept {
    NOPAL_ASSERT(top <= bottom && bottom - top <= capacity());  // each has a slot of its own
    circular_array* larger = nullptr;
    try {
      larger = new circular_array(2 * capacity());
    } catch (const std::bad_alloc&) {
      return nullptr;
    }
    if (has_scopes() && !larger->make_scopes()) {
      delete larger;
      return nullptr;
    }
    for (std::int64_t i = top; i < bottom; ++i) {
      (*larger)[i].store((*this)[i].load(std::memory_order_relaxed), std::memory_order_relaxed);
      if (has_scopes()) larger->note_scope(i, scope_of(i));
    }
    larger->smaller_ = this;
    return larger;
  }

 private:
  std::int64_t mask_;
  slot* slots_;
  std::atomic<scope_slot*> scopes_{nullptr};
  circular_array* smaller_ = nullptr;
};

}  // namespace nopal::detail
