// SPDX-License-Identifier: Apache-2.0
// A range that is in order already, or in the reverse order, is not sorted but only looked at.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <iterator>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/blocks.hpp"
#include "nopal/detail/algorithm/elements.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

/// Returns the end of the elements from `at` on, each of which is so with the one before it.
template <class I, class Pred>
std::ptrdiff_t run_end(I first, std::ptrdiff_t at, std::ptrdiff_t n, const Pred& goes_on) {
  while (at < n && goes_on(*advanced(first, at - 1), *advanced(first, at))) ++at;
  return at;
}

/// Whether each element, of which there are two at least, is so with the one before it. A range
/// that is not has an end of its run soon, mostly; only behind a long run do workers look on.
template <class I, class Pred>
bool runs_through(I first, std::ptrdiff_t n, const Pred& goes_on) {
  constexpr std::ptrdiff_t alone = 4096;
  const std::ptrdiff_t looked_at = std::min(alone, n);
  if (run_end(first, 1, looked_at, goes_on) < looked_at) return false;
  if (looked_at == n) return true;
  // Whoever finds the end of the run tells the others, who lose time only if they do not see it.
  std::atomic<bool> ended{false};
  for_each_block({looked_at, n}, 0, [&](part p) {
    if (!ended.load(std::memory_order_relaxed) && run_end(first, p.from, p.to, goes_on) < p.to)
      ended.store(true, std::memory_order_relaxed);
  });
  return !ended.load(std::memory_order_relaxed);
}

template <class I>
void reverse_all(I first, std::ptrdiff_t n) {
  for_each_block({0, n / 2}, 0, [first, n](part p) {
    for (std::ptrdiff_t i = p.from; i < p.to; ++i)
      std::ranges::iter_swap(advanced(first, i), advanced(first, n - 1 - i));
  });
}

/// Whether the range is in order. If each element comes before the one in front of it, it is
/// reversed, and then is in order; no two of them are equal.
template <class I, class Less>
bool is_one_run(I first, std::ptrdiff_t n, const Less& less) {
  if (n < 2) return true;
  if (!less(*advanced(first, 1), *first))
    return runs_through(first, n, [&](auto&& x, auto&& y) { return !less(y, x); });
  if (!runs_through(first, n, [&](auto&& x, auto&& y) { return less(y, x); })) return false;
  if (n > 3)
    reverse_all(first, n);
  else
    std::ranges::iter_swap(first, advanced(first, n - 1));
  return true;
}

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
