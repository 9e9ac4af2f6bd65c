// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace nopal::detail {

/// The free stacks of all workers in one bitmap, as OctoPOS kept them before each worker had free
/// stacks of its own (Schmaus 2015, section 3.4.2 and table 3.1).
///
/// Lock-free. get() takes time linear in the number of stacks.
class stack_bitmap {
 public:
  static constexpr std::size_t none = ~std::size_t{0};

  /// \param stacks  how many there may be, numbered from 0; none of them is free.
  explicit stack_bitmap(std::size_t stacks) : words_((stacks + bits - 1) / bits) {}

  /// Frees stack number `s`.
  void put(std::size_t s) noexcept {
    words_[s / bits].fetch_or(bit(s), std::memory_order_release);  // pairs with get()
  }

  /// Takes a stack that was free. Returns its number, or `none`.
  std::size_t get() noexcept {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      std::uint64_t free = words_[i].load(std::memory_order_relaxed);
      while (free != 0) {
        const std::size_t s = i * bits + static_cast<std::size_t>(std::countr_zero(free));
        // The acquire pairs with the release in put(): what was done to the stack.
        if (words_[i].compare_exchange_weak(free, free & ~bit(s), std::memory_order_acquire,
                                            std::memory_order_relaxed))
          return s;
      }
    }
    return none;
  }

 private:
  static constexpr std::size_t bits = 64;
  static std::uint64_t bit(std::size_t s) noexcept { return std::uint64_t{1} << s % bits; }

  std::vector<std::atomic<std::uint64_t>> words_;
};

}  // namespace nopal::detail
