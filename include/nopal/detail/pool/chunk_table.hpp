// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "nopal/detail/platform/assert.hpp"
#include "nopal/detail/pool/chunk.hpp"

namespace nopal::detail {

/// All chunks of a pool by number, from 1; for those that know a chunk by a number that fits into a
/// word with a count. Segment k has room for 2^k.
class chunk_table {
 public:
  static constexpr unsigned number_bits = 24;

  chunk_table() = default;
  ~chunk_table();
  chunk_table(const chunk_table&) = delete;
  chunk_table& operator=(const chunk_table&) = delete;

  /// Gives the chunk its number. Lock-free but for the allocation. \throws std::bad_alloc, also at
  /// 2^24 chunks.
  void add(chunk_header* c);

  /// The chunk with a number that has been handed on to the caller.
  [[nodiscard]] chunk_header* operator[](std::uint32_t number) const noexcept {
    return place(number)->load(std::memory_order_acquire);  // pairs with add()
  }

  /// Hands over every chunk; for the end of the pool.
  template <class F>
  void for_each(F&& f) noexcept {
    const std::uint32_t end = next_.load(std::memory_order_relaxed);
    for (std::uint32_t n = 1; n < end; ++n)
      if (segments_[segment_of(n)].load(std::memory_order_relaxed) != nullptr)
        if (chunk_header* c = place(n)->load(std::memory_order_relaxed)) f(c);
  }

 private:
  using entry = std::atomic<chunk_header*>;

  static unsigned segment_of(std::uint32_t number) noexcept {
    return 31U - static_cast<unsigned>(__builtin_clz(number));
  }

  entry* place(std::uint32_t number) const noexcept {
    NOPAL_ASSERT(number != 0 && number < next_.load(std::memory_order_relaxed));
    const unsigned k = segment_of(number);
    return segments_[k].load(std::memory_order_acquire) +
           (number - (1U << k));  // pairs with segment()
  }
  entry* segment(unsigned k);

  std::atomic<std::uint32_t> next_{1};
  std::array<std::atomic<entry*>, number_bits> segments_{};
};

}  // namespace nopal::detail
