// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace nopal::detail {

/// 64 bits, well mixed, of an address (Knuth's multiplicative hashing).
inline std::uint64_t mixed_address(const void* a) noexcept {
  return reinterpret_cast<std::uintptr_t>(a) * 0x9e3779b97f4a7c15;
}

/// 64 random bits for a number (the last steps of SplitMix64, Steele, Lea and Flood 2014).
inline std::uint64_t mixed_number(std::uint64_t x) noexcept {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

/// One of 64 bits for an address.
inline std::uint64_t filter_bit(const void* a) noexcept {
  return std::uint64_t{1} << (mixed_address(a) >> 58);
}

/// A hash table from addresses to positions. It is emptied in constant time: each entry is stamped
/// with the generation that has added it, and entries of other generations count as free.
class address_index {
 public:
  static constexpr std::uint32_t nowhere = ~std::uint32_t{0};

  [[nodiscard]] std::uint32_t find(const void* key) const noexcept {
    if (entries_ == nullptr) return nowhere;
    for (std::size_t i = first(key);; i = (i + 1) & mask_) {
      const entry& e = entries_[i];
      if (e.generation != generation_) return nowhere;
      if (e.key == key) return e.position;
    }
  }

  /// For one more key.
  /// \throws std::bad_alloc; it is unchanged then.
  void make_room() {
    if (size_ == most_) [[unlikely]]
      grow();
  }
  /// A key that is not in it yet, after make_room().
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
  void place(const void* key, std::uint32_t position) noexcept {
    std::size_t i = first(key);
    while (entries_[i].generation == generation_) i = (i + 1) & mask_;
    entries_[i] = {key, generation_, position};
  }
  void grow();

  std::unique_ptr<entry[]> entries_;
  std::size_t mask_ = 0;
  unsigned shift_ = 0;  ///< So that the highest bits of a mixed address are the first place.
  std::uint32_t generation_ = 1;
  std::size_t size_ = 0;
  std::size_t most_ = 0;  ///< So many keys fit before it has to grow.
};

}  // namespace nopal::detail
