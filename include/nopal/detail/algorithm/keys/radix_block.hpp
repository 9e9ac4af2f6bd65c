// SPDX-License-Identifier: Apache-2.0
// This sorts by digits what one strand sorts alone, in the cache.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "nopal/algorithm/grain.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

/// How many elements are sorted by insertion.
inline constexpr std::ptrdiff_t most_inserted = 24;

/// Sorts n elements by insertion into `to`, which may be `from`.
template <class T, class Key>
void insertion_sort(T* from, T* to, std::ptrdiff_t n, const Key& key) {
  for (std::ptrdiff_t i = 0; i < n; ++i) {
    T x = std::move(from[i]);
    const auto k = key(x);
    std::ptrdiff_t hole = i;
    for (; hole > 0 && k < key(to[hole - 1]); --hole) to[hole] = std::move(to[hole - 1]);
    to[hole] = std::move(x);
  }
}

/// Merges two neighbours that are sorted, from..middle and middle..end, into `to`. Which element is
/// next cannot be predicted, so it is found without a jump.
template <class T, class Key>
void merge_neighbours(T* from, T* middle, T* end, T* to, const Key& key) {
  T* left = from;
  T* right = middle;
  while (left != middle && right != end) {
    const bool is_right = key(*right) < key(*left);
    *to++ = std::move(*(is_right ? right : left));
    right += is_right ? 1 : 0;
    left += is_right ? 0 : 1;
  }
  std::move(right, end, std::move(left, middle, to));
}

/// Sorts n elements by merging, as sort_digits() does by digits.
template <class T, class Key>
void merge_by_key(T* from, T* to, std::ptrdiff_t n, bool goes, const Key& key) {
  if (n <= most_inserted) return insertion_sort(from, goes ? to : from, n, key);
  const std::ptrdiff_t half = n / 2;
  merge_by_key(from, to, half, !goes, key);
  merge_by_key(from + half, to + half, n - half, !goes, key);
  if (goes)
    merge_neighbours(from, from + half, from + n, to, key);
  else
    merge_neighbours(to, to + half, to + n, from, key);
}

/// The most bits of a digit. More counts than these would take longer to clear and to add up than
/// another pass over the elements of a bucket, and more places to write to than the first-level
/// cache has lines.
inline constexpr int most_bits_in_digit = 9;

/// The most bits of a digit that is the last one for most elements.
inline constexpr int most_bits_in_highest_digit = 11;

/// The counts of a digit, and then the places where its elements go.
template <int Bits>
using digit_counts = std::array<std::uint32_t, std::size_t{1} << Bits>;

/// Moves n elements to where one digit says, and keeps the order of those that have the same.
/// \param next  becomes, for each digit, the place behind the last element that has it.
template <class T, class Key>
void sort_digit(T* from, T* to, std::ptrdiff_t n, Key key, int shift, int bits,
                std::uint32_t* next) {
  const std::size_t values = std::size_t{1} << bits;
  const auto digit = [=](T& x) { return static_cast<std::size_t>(key(x) >> shift) & (values - 1); };
  std::fill_n(next, values, 0U);
  for (std::ptrdiff_t i = 0; i < n; ++i) ++next[digit(from[i])];
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < values; ++i) sum += std::exchange(next[i], sum);
  for (std::ptrdiff_t i = 0; i < n; ++i) to[next[digit(from[i])]++] = std::move(from[i]);
}

template <class T, class Key, class U>
void sort_digits(T* from, T* to, std::ptrdiff_t n, bool goes, const Key& key, U differing);

/// Does what sort_digits() does, by the highest digit first: if the keys are long, that tells most
/// of them apart.
template <class T, class Key, class U>
void sort_by_highest_digit(T* from, T* to, std::ptrdiff_t n, bool goes, const Key& key,
                           U differing) {
  const int width = static_cast<int>(std::bit_width(differing));
  const int fit = static_cast<int>(std::bit_width(static_cast<std::size_t>(n))) - 3;
  const int bits = std::clamp(fit, 1, most_bits_in_highest_digit);
  const int shift = width - bits;
  digit_counts<most_bits_in_highest_digit> ends;
  sort_digit(from, to, n, key, shift, bits, ends.data());
  const U rest = differing & static_cast<U>((U{1} << shift) - 1);
  std::uint32_t begin = 0;
  for (std::size_t i = 0; i < std::size_t{1} << bits; ++i) {
    const std::uint32_t end = ends[i];
    if (end - begin > 1 && rest != 0)
      sort_digits(to + begin, from + begin, std::ptrdiff_t{end} - begin, !goes, key, rest);
    else if (end != begin && !goes)
      std::move(to + begin, to + end, from + begin);
    begin = end;
  }
}

/// Sorts n elements by the digits of their keys, from the lowest digit to the highest unless there
/// are many. They lie in `from`.
/// \param to  room for as many elements.
/// \param goes  whether they are to come out in `to`, or else in `from`.
/// \param differing  the bits in which the keys may differ; not 0.
/// Precondition: key throws nothing for these elements.
template <class T, class Key, class U>
void sort_digits(T* from, T* to, std::ptrdiff_t n, bool goes, const Key& key, U differing) {
  // Clearing and adding up the counts of a digit takes as long as merging so many elements.
  constexpr std::ptrdiff_t merged_for_digit = 20;
  const int span = static_cast<int>(std::bit_width(differing)) - std::countr_zero(differing);
  const int digits = (span - 1) / most_bits_in_digit + 1;
  if (n <= most_inserted || n <= merged_for_digit * digits)
    return merge_by_key(from, to, n, goes, key);
  if (digits > 4) return sort_by_highest_digit(from, to, n, goes, key, differing);
  const int bits = (span - 1) / digits + 1;
  digit_counts<most_bits_in_digit> counts;
  T* in = from;
  T* out = to;
  while (differing != 0) {
    const int shift = std::countr_zero(differing);
    sort_digit(in, out, n, key, shift, bits, counts.data());
    differing &= static_cast<U>(~(((U{1} << bits) - 1) << shift));
    std::swap(in, out);
  }
  if ((in == to) != goes) std::move(in, in + n, out);
}

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
