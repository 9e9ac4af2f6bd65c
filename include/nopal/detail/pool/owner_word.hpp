// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace nopal::detail {

/// Who may take from a chunk: the number of a consumer and a tag. The tag grows by one with every change of owner, and goes
/// on growing when the chunk is used again, so that no word ever comes back: 2^48 changes take years.
using owner_word = std::uint64_t;

inline constexpr unsigned owner_bits = 16;
/// In place of a consumer: the chunk is empty and about to be used again.
inline constexpr unsigned nobody = (1U << owner_bits) - 1;

constexpr owner_word make_owner(unsigned consumer, std::uint64_t tag) noexcept { return tag << owner_bits | consumer; }
constexpr std::uint64_t tag_of(owner_word w) noexcept { return w >> owner_bits; }
/// The word of the next owner.
constexpr owner_word passed_to(unsigned consumer, owner_word w) noexcept { return make_owner(consumer, tag_of(w) + 1); }

}  // namespace nopal::detail
