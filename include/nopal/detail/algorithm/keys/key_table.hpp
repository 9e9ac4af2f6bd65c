// SPDX-License-Identifier: Apache-2.0
// One strand finds equal keys by this.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <utility>
#include <vector>

#include "nopal/algorithm/grain.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

/// What has been collected of all elements with one key.
template <class Value>
struct key_entry {
  std::size_t first;   ///< The number of the first of them.
  std::uint64_t hash;  ///< The hash of the key, spread over all bits.
  Value value;
};

/// Spreads a hash over all bits: those of integers are often the integers themselves.
constexpr std::uint64_t spread_hash(std::size_t hash) noexcept {
  std::uint64_t h = hash;
  h ^= h >> 32;
  h *= 0x9E3779B97F4A7C15U;  // 2^64 divided by the golden ratio (Knuth, volume 3, section 6.4)
  h ^= h >> 29;
  return h * 0xBF58476D1CE4E5B9U;
}

/// A hash table with linear probing. Its entries are in the order in which their keys came.
template <class Value>
class key_table {
 public:
  using entry = key_entry<Value>;

  /// Returns the entry of a key, or null. In that case the next call is add() with the same hash.
  template <class Same>
  entry* find(std::uint64_t hash, const Same& same) {
    if (room_ == 0) grow();
    for (free_ = hash & mask();; free_ = (free_ + 1) & mask()) {
      if (slots_[free_] == 0) return nullptr;
      entry& e = entries_[slots_[free_] - 1];
      if (e.hash == hash && same(e)) return &e;
    }
  }
  void add(entry&& e) {
    if (entries_.size() == std::numeric_limits<std::uint32_t>::max()) throw std::bad_alloc();
    entries_.push_back(std::move(e));
    slots_[free_] = static_cast<std::uint32_t>(entries_.size());
    --room_;
  }

  /// Makes room for so many entries in an empty table.
  void reserve(std::size_t entries) {
    entries_.reserve(entries);
    slots_.assign(std::bit_ceil(std::max<std::size_t>(2 * entries, 16)), 0);
    room_ = slots_.size() / 2;
  }
  /// Gives back what only find() and add() need. None of them is called afterwards.
  void close() noexcept { slots_ = {}; }

  [[nodiscard]] std::vector<entry>& entries() noexcept { return entries_; }

 private:
  [[nodiscard]] std::size_t mask() const noexcept { return slots_.size() - 1; }

  void grow() {
    std::vector<std::uint32_t> slots(slots_.empty() ? 16 : 2 * slots_.size());
    slots.swap(slots_);
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      std::size_t at = entries_[i].hash & mask();
      while (slots_[at] != 0) at = (at + 1) & mask();
      slots_[at] = static_cast<std::uint32_t>(i + 1);
    }
    room_ = slots_.size() / 2 - entries_.size();
  }

  std::vector<entry> entries_;
  std::vector<std::uint32_t>
      slots_;             ///< The number of an entry, counted from 1; 0 if there is none.
  std::size_t room_ = 0;  ///< How many entries may be added before the slots are too few.
  std::size_t free_ = 0;  ///< The slot where the last search ended.
};

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
