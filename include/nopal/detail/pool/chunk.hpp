// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

#include "nopal/detail/platform/assert.hpp"
#include "nopal/detail/platform/config.hpp"
#include "nopal/detail/pool/events.hpp"

namespace nopal::detail {

/// Who may take from a chunk: the number of a consumer, whether it has begun to, and a tag. The tag
/// grows by one with every change of owner, and goes on growing when the chunk is used again, so
/// that no word ever comes back: 2^47 changes take years. Nodes have the word of an owner that has
/// not begun.
using owner_word = std::uint64_t;

inline constexpr unsigned owner_bits = 16;
/// In place of a consumer: the chunk is empty and about to be used again.
inline constexpr unsigned nobody = (1U << owner_bits) - 1;
inline constexpr owner_word begun_bit = owner_word{1} << owner_bits;

constexpr owner_word make_owner(unsigned consumer, std::uint64_t tag) noexcept {
  NOPAL_ASSERT(consumer <= nobody && tag >> (64 - owner_bits - 1) == 0);
  return tag << (owner_bits + 1) | consumer;
}
constexpr std::uint64_t tag_of(owner_word w) noexcept { return w >> (owner_bits + 1); }
constexpr unsigned consumer_of(owner_word w) noexcept { return w & nobody; }
/// The word of the next owner.
constexpr owner_word passed_to(unsigned consumer, owner_word w) noexcept {
  return make_owner(consumer, tag_of(w) + 1);
}
/// The same owner, who takes from the chunk.
constexpr owner_word as_begun(owner_word w) noexcept { return w | begun_bit; }
constexpr bool is_begun(owner_word w) noexcept { return (w & begun_bit) != 0; }
constexpr bool same_owner(owner_word a, owner_word b) noexcept {
  return as_begun(a) == as_begun(b);
}

/// What a chunk is but for its elements. A chunk is never given back before the pool ends, so that
/// anybody may look at its owner at any time; who finds the word that it expects knows that the
/// chunk has not been used again.
struct alignas(cache_line) chunk_header {
  explicit chunk_header(std::uint32_t slots) noexcept : size(slots) {}

  std::atomic<owner_word> owner{make_owner(nobody, 0)};
  /// The newest tag whose node has an index of its own, which it has not at once after a steal.
  /// Nobody looks for the index in nodes with a smaller tag any more. Only grows.
  std::atomic<std::uint64_t> settled{0};
  const std::uint32_t size;                  ///< Number of slots.
  std::uint32_t number = 0;                  ///< In the chunk_table, where it is not 0.
  std::atomic<std::uint32_t> next_spare{0};  ///< For spare_chunks.
  chunk_header* next_retired = nullptr;      ///< For the consumer that has retired it.

  /// The node of this tag has its index. Pairs with node_list::is_done() and index_of().
  void settle(std::uint64_t tag) noexcept {
    std::uint64_t known = settled.load(std::memory_order_relaxed);
    while (known < tag) {
      emit<pool_events::swapping>();
      if (settled.compare_exchange_weak(known, tag, std::memory_order_acq_rel,
                                        std::memory_order_relaxed))
        return;
    }
  }
};

/// Its slots stand behind it in memory, and one more, which is always vacant: so who has found a
/// element in one may look at the next.
template <class T>
class chunk : public chunk_header {
 public:
  enum state : std::uint32_t {
    vacant,  ///< Nothing has been put yet.
    full,
    taken,  ///< Who wrote this has the element, and moves it out.
  };

  struct slot {
    std::atomic<std::uint32_t> mark{vacant};
    alignas(T) std::byte storage[sizeof(T)];

    T& value() noexcept { return *std::launder(reinterpret_cast<T*>(storage)); }
  };

  /// \throws std::bad_alloc
  static chunk* make(std::uint32_t slots) {
    void* memory = ::operator new(slots_at + (std::size_t{slots} + 1) * sizeof(slot), alignment);
    auto* c = ::new (memory) chunk(slots);
    for (std::uint32_t i = 0; i <= slots; ++i)
      ::new (static_cast<std::byte*>(memory) + slots_at + i * sizeof(slot)) slot;
    return c;
  }

  /// With the elements that are in it.
  static void destroy(chunk* c) noexcept {
    for (std::uint32_t i = 0; i < c->size; ++i)
      if ((*c)[i].mark.load(std::memory_order_relaxed) == full) std::destroy_at(&(*c)[i].value());
    c->~chunk();
    ::operator delete(c, alignment);
  }

  slot& operator[](std::uint32_t i) noexcept {
    NOPAL_ASSERT(i <= size);  // one more than it has, which is always vacant
    return *std::launder(
        reinterpret_cast<slot*>(reinterpret_cast<std::byte*>(this) + slots_at + i * sizeof(slot)));
  }

  /// Producer, who has the chunk to itself. Others may yet look at marks, with an owner word in
  /// hand that is no longer true.
  void make_vacant() noexcept {
    for (std::uint32_t i = 0; i < size; ++i)
      (*this)[i].mark.store(vacant, std::memory_order_relaxed);
  }

 private:
  explicit chunk(std::uint32_t slots) noexcept : chunk_header(slots) {}

  static constexpr std::align_val_t alignment{
      alignof(slot) > alignof(chunk_header) ? alignof(slot) : alignof(chunk_header)};
  static constexpr std::size_t slots_at =
      (sizeof(chunk_header) + alignof(slot) - 1) / alignof(slot) * alignof(slot);
};

}  // namespace nopal::detail
