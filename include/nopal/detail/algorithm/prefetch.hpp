// SPDX-License-Identifier: Apache-2.0
// These loops over a block fetch what the next blocks need.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>

#include "nopal/detail/algorithm/elements.hpp"

/// The attribute of a closure that is one step of a loop, and of the loop: what the closure refers
/// to must stay in registers.
#define NOPAL_INLINE_STEP __attribute__((always_inline))

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

/// The hardware prefetches within a page of 4 KiB and starts anew in the next. A scan that fetches
/// this far ahead by itself took a quarter less time on an array in memory, and no more on one in
/// the cache.
inline constexpr std::ptrdiff_t page_ahead = 4096;

/// Whether elements are fetched ahead: small ones are, if a pointer leads to them.
template <class I>
inline constexpr bool fetched_ahead =
    std::is_pointer_v<I> && small_value<std::remove_cvref_t<std::iter_reference_t<I>>>;

/// How many elements of I lie in a cache line.
template <class I>
constexpr std::ptrdiff_t elements_in_line() {
  if constexpr (fetched_ahead<I>)
    return 64 /
           static_cast<std::ptrdiff_t>(std::max<std::size_t>(1, sizeof(std::iter_reference_t<I>)));
  else
    return 1;
}

/// Fetches what lies so many bytes behind `at`. There may be no element any more, but a prefetch
/// cannot fault. This is inlined, since g++ would otherwise take it for a function without effect
/// and leave it out.
template <bool ForWriting, class I>
NOPAL_INLINE_STEP inline void fetch_ahead(I at, std::ptrdiff_t bytes) {
  if constexpr (fetched_ahead<I>) {
    const auto there = reinterpret_cast<std::uintptr_t>(at) + static_cast<std::uintptr_t>(bytes);
    __builtin_prefetch(reinterpret_cast<const void*>(there), ForWriting ? 1 : 0);
  }
}

/// Calls step(0), step(1), … step(n - 1). Before each cache line of them it calls fetch with the
/// first number of the line.
template <std::ptrdiff_t Line, class Fetch, class Step>
NOPAL_INLINE_STEP inline void in_lines(std::ptrdiff_t n, const Fetch& fetch, const Step& step) {
  std::ptrdiff_t i = 0;
  for (; i + Line <= n; i += Line) {
    fetch(i);
    for (std::ptrdiff_t j = i; j < i + Line; ++j) step(j);
  }
  for (; i < n; ++i) step(i);
}

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
