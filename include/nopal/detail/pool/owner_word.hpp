// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

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
  return tag << (owner_bits + 1) | consumer;
}
constexpr std::uint64_t tag_of(owner_word w) noexcept { return w >> (owner_bits + 1); }
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

}  // namespace nopal::detail
