// SPDX-License-Identifier: Apache-2.0
// The chunks of a pool: all of them by number, and the spare ones of a consumer.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "nopal/detail/platform/assert.hpp"
#include "nopal/detail/platform/config.hpp"
#include "nopal/detail/pool/chunk.hpp"
#include "nopal/detail/pool/events.hpp"

namespace nopal::detail {

/// All chunks of a pool by number, from 1. spare_chunks uses the number, since it fits into a word
/// with a count. Segment k has room for 2^k.
class chunk_table {
 public:
  static constexpr unsigned number_bits = 24;

  chunk_table() = default;
  ~chunk_table();
  chunk_table(const chunk_table&) = delete;
  chunk_table& operator=(const chunk_table&) = delete;

  /// Gives the chunk its number. Lock-free except for the allocation. \throws std::bad_alloc, also
  /// at 2^24 chunks.
  void add(chunk_header* c);

  /// Returns a chunk. Precondition: its number has been handed on to the caller.
  [[nodiscard]] chunk_header* operator[](std::uint32_t number) const noexcept {
    return entry_of(number)->load(std::memory_order_acquire);  // pairs with add()
  }

  /// Calls `f` with every chunk. Precondition: the pool ends.
  template <class F>
  void for_each(F&& f) noexcept {
    const std::uint32_t end = next_.load(std::memory_order_relaxed);
    for (std::uint32_t n = 1; n < end; ++n)
      if (segments_[segment_of(n)].load(std::memory_order_relaxed) != nullptr)
        if (chunk_header* c = entry_of(n)->load(std::memory_order_relaxed)) f(c);
  }

 private:
  using entry = std::atomic<chunk_header*>;

  static unsigned segment_of(std::uint32_t number) noexcept {
    return 31U - static_cast<unsigned>(__builtin_clz(number));
  }

  entry* entry_of(std::uint32_t number) const noexcept {
    NOPAL_ASSERT(number != 0 && number < next_.load(std::memory_order_relaxed));
    const unsigned k = segment_of(number);
    // Pairs with segment().
    return segments_[k].load(std::memory_order_acquire) + (number - (1U << k));
  }
  /// Returns segment k, which it makes if nobody has made it yet.
  entry* segment(unsigned k);

  std::atomic<std::uint32_t> next_{1};
  std::array<std::atomic<entry*>, number_bits> segments_{};
};

/// The spare chunks of one consumer, which puts there what it has emptied. Producers take them. If
/// there are none, the consumer has more to do than it gets done, and a producer goes to another:
/// this is how producers balance the load.
///
/// This is Treiber's stack, since what was used last is still warm. The top is a number with a
/// count of changes. A producer may sleep between its read of the top's successor and its
/// compare-and-swap. The count shows it then that the chunk was away meanwhile, unless there were
/// 2^40 changes. Lock-free.
class spare_chunks {
 public:
  explicit spare_chunks(const chunk_table& all) noexcept : all_(all) {}

  /// Adds a chunk that is empty, and that nobody uses. Any consumer may call this.
  void put(chunk_header* c) noexcept {
    NOPAL_ASSERT(c->number != 0 && consumer_of(c->owner.load(std::memory_order_relaxed)) == nobody);
    std::uint64_t top = top_.load(std::memory_order_relaxed);
    do {
      c->next_spare.store(number_in(top), std::memory_order_relaxed);
      emit<pool_events::swapping>();
    } while (!top_.compare_exchange_weak(top, changed(top, c->number),
                                         std::memory_order_release,  // pairs with take()
                                         std::memory_order_relaxed));
  }

  /// Takes a chunk, for a producer to fill. Returns nullptr if there is none.
  chunk_header* take() noexcept {
    std::uint64_t top = top_.load(std::memory_order_acquire);  // pairs with put()
    for (;;) {
      if (number_in(top) == 0) return nullptr;
      chunk_header* c = all_[number_in(top)];
      const std::uint32_t next = c->next_spare.load(std::memory_order_relaxed);
      emit<pool_events::swapping>();
      if (top_.compare_exchange_weak(top, changed(top, next),
                                     std::memory_order_acq_rel,  // pairs with itself and put()
                                     std::memory_order_acquire))
        return c;
    }
  }

 private:
  static constexpr std::uint64_t number_mask = (std::uint64_t{1} << chunk_table::number_bits) - 1;
  static std::uint32_t number_in(std::uint64_t top) noexcept {
    return static_cast<std::uint32_t>(top & number_mask);
  }
  static std::uint64_t changed(std::uint64_t top, std::uint32_t number) noexcept {
    return ((top & ~number_mask) + number_mask + 1) | number;
  }

  const chunk_table& all_;
  alignas(cache_line) std::atomic<std::uint64_t> top_{0};
};

}  // namespace nopal::detail
