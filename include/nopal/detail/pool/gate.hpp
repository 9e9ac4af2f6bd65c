// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <vector>

#include "nopal/detail/platform/assert.hpp"
#include "nopal/detail/platform/config.hpp"
#include "nopal/detail/platform/fence.hpp"

namespace nopal::detail {

/// Says whether puts are let in. A put is inside from enter() to leave(). Whoever closes the gate
/// does not wait for puts that are inside, but a consumer does before it believes that nothing will
/// come any more. A put pays two plain stores to a line of its own.
class pool_gate {
 public:
  /// The word that one producer writes.
  struct alignas(cache_line) door {
    std::atomic<bool> inside{false};
  };

  explicit pool_gate(unsigned producers) : doors_(producers) {}

  door& operator[](unsigned producer) noexcept { return doors_[producer]; }

  /// Returns false if the gate is closed. leave() is due in either case.
  NOPAL_ALWAYS_INLINE bool enter(door& mine) const noexcept {
    NOPAL_ASSERT(!mine.inside.load(std::memory_order_relaxed));  // a producer is one thread's
    mine.inside.store(true, relaxed_at_fence);
    light_fence();                           // pairs with heavy_fence() in is_over()
    return !closed_.load(relaxed_at_fence);  // pairs with close()
  }
  NOPAL_ALWAYS_INLINE void leave(door& mine) const noexcept {
    mine.inside.store(false, release_at_fence);  // pairs with is_over()
  }

  /// Lets no put in from here on. Pairs with enter() and is_over().
  void close() noexcept { closed_.store(true, std::memory_order_seq_cst); }
  [[nodiscard]] bool is_closed() const noexcept { return closed_.load(std::memory_order_seq_cst); }

  /// Returns whether the gate is closed and every put that was let in has come out. Whoever finds
  /// the pool empty after this leaves nothing behind.
  [[nodiscard]] bool is_over() const noexcept {
    if (!is_closed()) return false;
    heavy_fence();  // pairs with light_fence() in enter()
    for (const door& d : doors_)
      if (d.inside.load(acquire_at_fence)) return false;  // pairs with leave()
    return true;
  }

 private:
  std::vector<door> doors_;
  alignas(cache_line) std::atomic<bool> closed_{false};
};

}  // namespace nopal::detail
