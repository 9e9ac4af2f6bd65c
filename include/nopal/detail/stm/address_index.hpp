// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace nopal::detail {

/// Returns 64 well-mixed bits of an address (Knuth's multiplicative hashing).
inline std::uint64_t mixed_address(const void* a) noexcept {
  return reinterpret_cast<std::uintptr_t>(a) * 0x9e3779b97f4a7c15;
}

/// Returns 64 random bits for a number (the last steps of SplitMix64, Steele, Lea and Flood 2014).
inline std::uint64_t mixed_number(std::uint64_t x) noexcept {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

/// Returns one of 64 bits for an address.
inline std::uint64_t filter_bit(const void* a) noexcept {
  return std::uint64_t{1} << (mixed_address(a) >> 58);
}

/// Returns one of 64 bits for an address, the same for all addresses of a line of memory.
inline std::uint64_t line_bit(const void* a) noexcept {
  return std::uint64_t{1} << ((reinterpret_cast<std::uintptr_t>(a) >> 6) * 0x9e3779b97f4a7c15 >>
                              58);
}
/// Returns the bits of all lines of a block.
inline std::uint64_t line_bits(const void* block, std::size_t bytes) noexcept {
  constexpr std::size_t line = 64, most = 64 * line;
  if (bytes >= most) return ~std::uint64_t{0};
  const char* first = static_cast<const char*>(block);
  const char* last = first + bytes - 1;
  std::uint64_t bits = line_bit(last);
  for (const char* at = first; at < last; at += line) bits |= line_bit(at);
  return bits;
}

/// A hash table from addresses to positions. It is emptied in constant time: each entry is stamped
/// with the generation that has added it, and entries of other generations count as free.
class address_index {
 public:
  static constexpr std::uint32_t nowhere = ~std::uint32_t{0};

  /// Returns the position of the key, or `nowhere`.
  [[nodiscard]] std::uint32_t find(const void* key) const noexcept {
    if (entries_ == nullptr) return nowhere;
    for (std::size_t i = first(key);; i = (i + 1) & mask_) {
      const entry& e = entries_[i];
      if (e.generation != generation_) return nowhere;
      if (e.key == key) return e.position;
    }
  }

  /// Makes room for `more` keys.
  /// \throws std::bad_alloc; the index finds what it found then.
  void make_room(std::size_t more = 1) {
    while (size_ + more > most_) [[unlikely]]
      grow();
  }
  /// Adds a key that is not in the index yet.
  /// Precondition: make_room() was called.
  void add(const void* key, std::uint32_t position) noexcept {
    place(key, position);
    ++size_;
  }

  void clear() noexcept {
    size_ = 0;
    if (++generation_ == 0) {
      for (std::size_t i = 0; i < capacity(); ++i) entries_[i].generation = 0;
      generation_ = 1;
    }
  }

 private:
  struct entry {
    const void* key = nullptr;
    std::uint32_t generation = 0;
    std::uint32_t position = 0;
  };

  [[nodiscard]] std::size_t capacity() const noexcept { return entries_ ? mask_ + 1 : 0; }
  [[nodiscard]] std::size_t first(const void* key) const noexcept {
    return mixed_address(key) >> shift_;
  }
  /// Puts the key into the first free entry from the one on that belongs to it.
  void place(const void* key, std::uint32_t position) noexcept {
    std::size_t i = first(key);
    while (entries_[i].generation == generation_) i = (i + 1) & mask_;
    entries_[i] = {key, generation_, position};
  }
  void grow();

  std::unique_ptr<entry[]> entries_;
  std::size_t mask_ = 0;
  unsigned shift_ = 0;  ///< Leaves the highest bits of a mixed address, which are the first place.
  std::uint32_t generation_ = 1;
  std::size_t size_ = 0;
  std::size_t most_ = 0;  ///< The number of keys that fit before the table has to grow.
};

}  // namespace nopal::detail
