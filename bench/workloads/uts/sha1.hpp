// SPDX-License-Identifier: Apache-2.0
// SHA-1 of messages that fit one block, which is all that a node of the unbalanced tree search
// needs (FIPS 180-4).
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace nopal_bench {

using sha1_words = std::array<std::uint32_t, 5>;
using sha1_block = std::array<std::uint32_t, 16>;

/// The digest of a message of one block, its padding included; all words are big-endian, as the
/// standard has them. It is not inlined, so that every variant has the same code, however its
/// caller is compiled. The loops are unrolled because the words and their places turn with each
/// round; nothing is left of that if each round is written out.
[[gnu::noinline]] inline sha1_words sha1_of_block(const sha1_block& block) {
  constexpr sha1_words start{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
  auto [a, b, c, d, e] = start;
  sha1_block w = block;

  const auto word = [&](std::size_t t) {
    if (t >= w.size()) {
      w[t % 16] = std::rotl(w[(t - 3) % 16] ^ w[(t - 8) % 16] ^ w[(t - 14) % 16] ^ w[t % 16], 1);
    }
    return w[t % 16];
  };
  const auto round = [&](std::uint32_t mixed, std::uint32_t word_of_round) {
    const std::uint32_t next = std::rotl(a, 5) + mixed + e + word_of_round;
    e = d;
    d = c;
    c = std::rotl(b, 30);
    b = a;
    a = next;
  };
#pragma GCC unroll 20
  for (std::size_t t = 0; t < 20; ++t) {
    round(((b & c) | (~b & d)) + 0x5a827999, word(t));
  }
#pragma GCC unroll 20
  for (std::size_t t = 20; t < 40; ++t) {
    round((b ^ c ^ d) + 0x6ed9eba1, word(t));
  }
#pragma GCC unroll 20
  for (std::size_t t = 40; t < 60; ++t) {
    round(((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc, word(t));
  }
#pragma GCC unroll 20
  for (std::size_t t = 60; t < 80; ++t) {
    round((b ^ c ^ d) + 0xca62c1d6, word(t));
  }
  return {start[0] + a, start[1] + b, start[2] + c, start[3] + d, start[4] + e};
}

}  // namespace nopal_bench
