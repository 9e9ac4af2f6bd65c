// SPDX-License-Identifier: Apache-2.0
// What the algorithms are given: elements of several types, distributed in several ways. The
// program in Rust (../peers/rust-algorithm) makes the same ones.
#pragma once

#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace nopal_bench {

/// 64 bytes, ordered by the first eight.
struct record {
  std::uint64_t key;
  std::uint64_t place;  ///< Where it was made, which tells whether a sort is stable.
  std::uint64_t more[6];

  friend std::strong_ordering operator<=>(const record& a, const record& b) {
    return a.key <=> b.key;
  }
  friend bool operator==(const record& a, const record& b) { return a.key == b.key; }
};

using key_value = std::pair<std::uint64_t, std::uint64_t>;

/// The name of a type of elements.
template <class T>
inline constexpr std::string_view type_name = "";
template <>
inline constexpr std::string_view type_name<std::uint32_t> = "u32";
template <>
inline constexpr std::string_view type_name<std::uint64_t> = "u64";
template <>
inline constexpr std::string_view type_name<double> = "double";
template <>
inline constexpr std::string_view type_name<key_value> = "pair";
template <>
inline constexpr std::string_view type_name<std::string> = "string";
template <>
inline constexpr std::string_view type_name<record> = "record";

/// How keys are distributed.
enum class distribution {
  random,
  sorted,
  reversed,
  few,          ///< A hundred different ones.
  exponential,  ///< As many between 2^i and 2^(i+1) for each i.
  almost,       ///< Sorted, except that one in a hundred is out of place.
  runs,         ///< Random ones, each twice in a row on average.
};

inline constexpr std::string_view distribution_names[] = {
    "random", "sorted", "reversed", "few", "exponential", "almost", "runs"};
inline constexpr std::string_view name_of(distribution d) {
  return distribution_names[static_cast<std::size_t>(d)];
}

/// Steele, Lea and Flood 2014: a number that looks random, another one for each x.
constexpr std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/// n elements of a type that has a name.
template <class T>
std::vector<T> make_data(distribution d, std::size_t n);

/// A number of an element, and of its order: equal for equal ones.
template <class T>
std::uint64_t hash_of(const T& x) {
  if constexpr (std::is_same_v<T, record>) {
    return mixed(x.key);
  } else if constexpr (std::is_same_v<T, key_value>) {
    return mixed(mixed(x.first) + x.second);
  } else if constexpr (std::is_same_v<T, double>) {
    return mixed(std::bit_cast<std::uint64_t>(x));
  } else if constexpr (std::is_same_v<T, std::string>) {
    std::uint64_t hash = x.size();
    for (const char c : x) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    return mixed(hash);
  } else {
    return mixed(x);
  }
}

}  // namespace nopal_bench
