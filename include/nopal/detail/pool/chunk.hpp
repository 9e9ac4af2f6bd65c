// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "nopal/detail/platform/assert.hpp"
#include "nopal/detail/platform/config.hpp"
#include "nopal/detail/platform/fence.hpp"
#include "nopal/detail/pool/events.hpp"

namespace nopal::detail {

/// Says which consumer may take from a chunk, by its number, whether it has begun to, and a tag.
/// The tag grows by one with every change of owner, and goes on growing when the chunk is used
/// again, so that no word ever comes back: 2^47 changes take years. Nodes have the word of an owner
/// that has not begun.
using owner_word = std::uint64_t;

inline constexpr unsigned owner_bits = 16;
/// Stands for the consumer of a chunk that is empty and about to be used again.
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
/// The word of the same owner, which takes from the chunk.
constexpr owner_word as_begun(owner_word w) noexcept { return w | begun_bit; }
constexpr bool is_begun(owner_word w) noexcept { return (w & begun_bit) != 0; }
constexpr bool same_owner(owner_word a, owner_word b) noexcept {
  return as_begun(a) == as_begun(b);
}

/// A chunk without its elements. No chunk is given back before the pool ends, so anybody may look
/// at its owner at any time. Whoever finds the word that it expects knows that the chunk has not
/// been used again.
struct alignas(cache_line) chunk_header {
  explicit chunk_header(std::uint32_t slots) noexcept : size(slots) {}

  std::atomic<owner_word> owner{make_owner(nobody, 0)};
  /// The newest tag whose node has an index of its own. A thief's node does not have one at once.
  /// Nobody looks for the index in nodes with a smaller tag any more. The value only grows.
  std::atomic<std::uint64_t> settled{0};
  const std::uint32_t size;  ///< Number of slots.
  std::uint32_t number = 0;  ///< The chunk's number in the chunk_table; 0 before it has one.
  std::atomic<std::uint32_t> next_spare{0};  ///< The next of the spare_chunks, by number.
  chunk_header* next_retired = nullptr;      ///< The next in retired_chunks.

  /// Notes that the node of this tag has its index. Pairs with node_list::is_done() and index_of().
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

/// Throws std::invalid_argument: this pointer stands for a mark.
[[noreturn]] void refuse_mark();

/// A slot for elements of any type: a mark, and the element beside it.
template <class T>
class marked_slot {
 public:
  /// The result of a look at a slot.
  using sight = std::uint32_t;
  static constexpr bool makes_way = false;  ///< A chunk that is used again is vacated as a whole.

  static bool is_vacant(sight s) noexcept { return s == vacant; }  ///< Nothing has been put yet.
  static bool is_full(sight s) noexcept { return s == full; }

  [[nodiscard]] sight look(std::memory_order order) const noexcept { return mark_.load(order); }

  /// Precondition: the caller is the producer, and no other thread uses the chunk.
  void vacate() noexcept { mark_.store(vacant, std::memory_order_relaxed); }

  /// The producer calls this before it fills the slot.
  void make_way() noexcept {}

  /// The producer constructs the element.
  template <class... A>
  NOPAL_ALWAYS_INLINE void put(A&&... args) {
    ::new (static_cast<void*>(storage_)) T(std::forward<A>(args)...);
    // Pairs with the acquire looks in take(), take_first(), has_element() and may_have_elements().
    mark_.store(full, release_at_fence);
  }

  /// Marks the slot. Precondition: the caller takes the element, and nobody else will.
  NOPAL_ALWAYS_INLINE void take_alone(std::memory_order order) noexcept {
    mark_.store(taken, order);
  }

  /// Returns whether the caller is the one that takes the element. Pairs with put(), and in
  /// concurrent_bag also with empty_indicator::set().
  bool take_by_cas(sight& seen) noexcept {
    seen = full;
    return mark_.compare_exchange_strong(seen, taken, std::memory_order_seq_cst,
                                         std::memory_order_relaxed);
  }

  /// Precondition: the caller has taken the element.
  T&& element(sight /*seen*/) noexcept { return std::move(value()); }
  void destroy_taken() noexcept { std::destroy_at(&value()); }

  /// Destroys an element that nobody has taken when the pool ends.
  void destroy_full() noexcept {
    if (mark_.load(std::memory_order_relaxed) == full) std::destroy_at(&value());
  }

 private:
  enum state : std::uint32_t { vacant, full, taken };

  T& value() noexcept { return *std::launder(reinterpret_cast<T*>(storage_)); }

  std::atomic<std::uint32_t> mark_{vacant};
  alignas(T) std::byte storage_[sizeof(T)];
};

/// A slot for pointers, which is one word: two values that are not the address of anything stand
/// for the marks. So a chunk takes half the memory, and a look brings the element with it. A
/// consumer that takes an element without a compare-and-swap does not write to the slot: from then
/// on the index of the node says that the slot is empty.
template <class T>
class word_slot {
 public:
  using sight = std::uint64_t;
  static constexpr bool makes_way = true;  ///< Nobody looks at slots that are yet to be vacated.

  // The functions do what those of marked_slot do.

  static bool is_vacant(sight s) noexcept { return s == vacant; }
  static bool is_full(sight s) noexcept { return s != vacant && s != taken; }

  [[nodiscard]] sight look(std::memory_order order) const noexcept { return word_.load(order); }
  void vacate() noexcept { word_.store(vacant, std::memory_order_relaxed); }

  /// Vacates the next slot, which is looked at by whoever has seen this one filled, and by nobody
  /// else. So a chunk that is used again is written once and not twice. The processor is asked for
  /// the line two further on.
  NOPAL_ALWAYS_INLINE void make_way() noexcept {
    constexpr unsigned two_lines = 2 * 64 / sizeof(sight);
    this[1].vacate();
    __builtin_prefetch(this + 1 + two_lines, 1);
  }

  template <class... A>
  NOPAL_ALWAYS_INLINE void put(A&&... args) {
    const auto bits = std::bit_cast<std::uint64_t>(T(std::forward<A>(args)...));
    if ((bits | (vacant ^ taken)) == taken) [[unlikely]]  // it is vacant or taken
      refuse_mark();
    word_.store(bits, release_at_fence);  // as in marked_slot
  }
  NOPAL_ALWAYS_INLINE void take_alone(std::memory_order /*order*/) noexcept {}
  bool take_by_cas(sight& seen) noexcept {
    seen = word_.load(std::memory_order_acquire);  // pairs with put()
    return is_full(seen) &&
           word_.compare_exchange_strong(seen, taken, std::memory_order_seq_cst,
                                         std::memory_order_relaxed);  // as in marked_slot
  }
  T element(sight seen) noexcept { return std::bit_cast<T>(seen); }
  void destroy_taken() noexcept {}
  void destroy_full() noexcept {}

 private:
  // The two differ in one bit. Both are odd, and of the bits to which an address extends its sign
  // they have the highest alone. No object has such an address.
  static constexpr sight vacant = 0x8000'0000'0000'0001;
  static constexpr sight taken = 0x8000'0000'0000'0003;

  std::atomic<std::uint64_t> word_{vacant};
};

template <class T>
using slot_for = std::conditional_t<std::is_pointer_v<T> && sizeof(T) == sizeof(std::uint64_t),
                                    word_slot<T>, marked_slot<T>>;

/// The slots of a chunk lie behind it in memory. One more follows, which is always vacant, so
/// whoever has found an element in a slot may look at the next.
template <class T>
class chunk : public chunk_header {
 public:
  using slot = slot_for<T>;

  /// \throws std::bad_alloc
  static chunk* make(std::uint32_t slots) {
    void* memory = ::operator new(slots_at + (std::size_t{slots} + 1) * sizeof(slot), alignment);
    auto* c = ::new (memory) chunk(slots);
    for (std::uint32_t i = 0; i <= slots; ++i)
      ::new (static_cast<std::byte*>(memory) + slots_at + i * sizeof(slot)) slot;
    return c;
  }

  /// Destroys a chunk, with the elements that are in it.
  static void destroy(chunk* c) noexcept {
    for (std::uint32_t i = 0; i < c->size; ++i) (*c)[i].destroy_full();
    c->~chunk();
    ::operator delete(c, alignment);
  }

  /// Returns slot `i`, from 0 on.
  slot& operator[](std::uint32_t i) noexcept {
    NOPAL_ASSERT(i <= size);  // the one behind the last is always vacant
    return *std::launder(
        reinterpret_cast<slot*>(reinterpret_cast<std::byte*>(this) + slots_at + i * sizeof(slot)));
  }

  /// Precondition: the caller is the producer, which has the chunk to itself. Others may yet look
  /// at marks, with an owner word that is out of date.
  void make_vacant() noexcept {
    const std::uint32_t vacated = slot::makes_way ? 1 : size;
    for (std::uint32_t i = 0; i < vacated; ++i) (*this)[i].vacate();
  }

 private:
  explicit chunk(std::uint32_t slots) noexcept : chunk_header(slots) {}

  static constexpr std::align_val_t alignment{
      alignof(slot) > alignof(chunk_header) ? alignof(slot) : alignof(chunk_header)};
  static constexpr std::size_t slots_at =
      (sizeof(chunk_header) + alignof(slot) - 1) / alignof(slot) * alignof(slot);
};

}  // namespace nopal::detail
