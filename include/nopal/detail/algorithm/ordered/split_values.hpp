// SPDX-License-Identifier: Apache-2.0
// This splits small plain values into those that are kept and the rest, without a branch on what a
// predicate says of one of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <type_traits>
#include <utility>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/elements.hpp"
#include "nopal/detail/algorithm/ordered/kept_elements.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

/// So many values in a row are tested at once, which compilers can do by vector instructions. If
/// all of them are kept, or none, as is usual where a processor could foresee a branch, they are
/// copied at once.
inline constexpr std::ptrdiff_t values_in_group = 32;

/// What a test says of a group.
struct group_flags {
  unsigned char kept[values_in_group];
  std::ptrdiff_t count = 0;

  /// \param test  is called with the number of each value in the group.
  template <class Test>
  NOPAL_ALWAYS_INLINE explicit group_flags(const Test& test) {
    for (std::ptrdiff_t i = 0; i < values_in_group; ++i) kept[i] = test(i) ? 1 : 0;
    unsigned sum = 0;
    for (const unsigned char k : kept) sum += k;
    count = static_cast<std::ptrdiff_t>(sum);
  }
  [[nodiscard]] bool all() const noexcept { return count == values_in_group; }
  [[nodiscard]] bool none() const noexcept { return count == 0; }
};

/// Copies a group. The places may overlap: all values are read first.
template <class T>
NOPAL_ALWAYS_INLINE void copy_group(const T* from, T* to) {
  alignas(T) std::byte bytes[values_in_group * sizeof(T)];
  T* values = reinterpret_cast<T*>(bytes);
  for (std::ptrdiff_t i = 0; i < values_in_group; ++i) values[i] = from[i];
  for (std::ptrdiff_t i = 0; i < values_in_group; ++i) to[i] = values[i];
}
template <class T>
void copy_group(const T* /*from*/, nowhere /*to*/) {}

template <class T>
T* behind(T* at, std::ptrdiff_t n) {
  return at + n;
}
inline nowhere behind(nowhere, std::ptrdiff_t) { return {}; }

/// Splits values one after the other. The places have room for all values. They may be where the
/// values are, but not behind one that has not been read.
template <class I, class Test, class Rest>
class splitter {
 public:
  using T = std::iter_value_t<I>;

  splitter(I at, const Test& test, T* kept, Rest rest)
      : at_(at), test_(test), kept_(kept), rest_(rest) {}

  /// Splits the first value, if it is known whether it is kept.
  void split_first(bool wanted, T& before) {
    before = *at_;
    write(before, wanted ? 1 : 0);
    ++at_;
  }

  /// Splits n values. Returns how many have been kept in all.
  /// \param before  the value before, for a test that looks back at it: what is in the range may
  /// have been overwritten.
  std::ptrdiff_t split(std::ptrdiff_t n, T* before) {
    splitter s = *this;  // a local variable, which no store of a value can change
    if constexpr (std::is_pointer_v<I>)
      for (; n >= values_in_group; n -= values_in_group) s.split_group(before);
    for (; n > 0; --n) s.split_one(before);
    return s.count_;
  }

 private:
  static constexpr bool keeps_rest = !std::is_same_v<Rest, nowhere>;

  /// \param wanted  1 or 0: how many places further the next value that is kept goes.
  NOPAL_ALWAYS_INLINE void write(const T& value, std::ptrdiff_t wanted) {
    kept_[count_] = value;
    if constexpr (keeps_rest) rest_[dropped_] = value;
    count_ += wanted;
    dropped_ += 1 - wanted;
  }

  NOPAL_ALWAYS_INLINE void split_one(T* before) {
    bool wanted;
    if constexpr (Test::looks_back)
      wanted = test_(std::as_const(before), at_);
    else
      wanted = test_(at_);
    const T value = *at_;
    write(value, wanted ? 1 : 0);
    if constexpr (Test::looks_back) *before = value;
    ++at_;
  }

  NOPAL_ALWAYS_INLINE void split_group(T* before) {
    const I at = at_;
    const group_flags flags([&](std::ptrdiff_t i) {
      if constexpr (Test::looks_back)
        return i == 0 ? test_(std::as_const(before), at) : test_(at + i - 1, at + i);
      else
        return test_(at + i);
    });
    if constexpr (Test::looks_back) *before = at[values_in_group - 1];
    if (flags.all()) {
      copy_group<T>(at, kept_ + count_);
      count_ += values_in_group;
    } else if (flags.none()) {
      copy_group<T>(at, behind(rest_, dropped_));
      dropped_ += values_in_group;
    } else {
      for (std::ptrdiff_t i = 0; i < values_in_group; ++i) write(T(at[i]), flags.kept[i]);
    }
    at_ = at + values_in_group;
  }

  I at_;
  const Test& test_;
  T* kept_;
  [[no_unique_address]] Rest rest_;
  std::ptrdiff_t count_ = 0;
  std::ptrdiff_t dropped_ = 0;
};

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
