// SPDX-License-Identifier: Apache-2.0
// What tests sort and merge.
#pragma once

#include <array>
#include <compare>
#include <cstddef>

#include "support/build.hpp"
#include "support/ranges.hpp"

namespace nopal_test {

/// Lengths around what is sorted by insertion, by one strand, and by several at once. A sanitizer
/// makes long ranges slow.
inline constexpr std::array<std::size_t, 22> lengths_to_sort{0,
                                                             1,
                                                             2,
                                                             3,
                                                             8,
                                                             9,
                                                             15,
                                                             16,
                                                             17,
                                                             24,
                                                             25,
                                                             31,
                                                             128,
                                                             129,
                                                             1000,
                                                             1024,
                                                             1025,
                                                             2049,
                                                             4097,
                                                             4200,
                                                             with_sanitizer ? 5000 : 33000,
                                                             with_sanitizer ? 9000 : 100000};

/// The i-th of n keys.
using pattern = int (*)(std::size_t i, std::size_t n);

inline constexpr std::array<pattern, 10> patterns{
    [](std::size_t i, std::size_t) { return static_cast<int>(scrambled(i) >> 1); },
    [](std::size_t i, std::size_t) { return static_cast<int>(i); },
    [](std::size_t i, std::size_t n) { return static_cast<int>(n - i); },
    [](std::size_t i, std::size_t) { return static_cast<int>(scrambled(i) % 4); },
    [](std::size_t i, std::size_t n) { return static_cast<int>(i < n / 2 ? i : n - i); },
    [](std::size_t, std::size_t) { return 7; },
    [](std::size_t i, std::size_t) {
      return static_cast<int>(i % 37 == 0 ? scrambled(i) >> 1 : i);
    },
    [](std::size_t i, std::size_t n) { return static_cast<int>(i + 1 == n ? 0 : i / 2); },
    [](std::size_t i, std::size_t) { return static_cast<int>(i % 100); },
    [](std::size_t i, std::size_t n) { return static_cast<int>(i == 0 ? n : n - i / 2); }};

/// A key, and where it came from.
struct keyed {
  int key = 0;
  int place = 0;

  friend bool operator==(const keyed&, const keyed&) = default;
  static bool less(const keyed& a, const keyed& b) { return a.key < b.key; }
  /// The order that a stable sort brings elements into if they came in the order of their places.
  friend auto operator<=>(const keyed&, const keyed&) = default;
};

/// A large plain value, which shows if it has been torn.
struct record {
  unsigned key = 0;
  std::array<unsigned, 15> more{};

  record() = default;
  explicit record(unsigned k) : key(k) { more.fill(k); }
  [[nodiscard]] bool is_whole() const {
    for (const unsigned m : more)
      if (m != key) return false;
    return true;
  }
};

}  // namespace nopal_test
