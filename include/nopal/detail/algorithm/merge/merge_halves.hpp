// SPDX-License-Identifier: Apache-2.0
// This merges the two sorted halves of a range.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/element_memory.hpp"
#include "nopal/detail/algorithm/elements.hpp"
#include "nopal/detail/algorithm/merge/first_failure.hpp"
#include "nopal/detail/algorithm/merge/merge_in_place.hpp"
#include "nopal/detail/algorithm/merge/merge_moved.hpp"
#include "nopal/detail/algorithm/merge/merge_shorter.hpp"
#include "nopal/detail/algorithm/workers_here.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

/// Moves a part of the memory back to the range.
template <class I>
void move_back(std::iter_value_t<I>* memory, I begin, part p, std::ptrdiff_t grain,
               first_failure& failure) noexcept {
  if (p.size() > grain) {
    const part a{p.from, p.middle(grain)}, b{a.to, p.to};
    return failure.invoke_both([&] { move_back(memory, begin, a, grain, failure); },
                               [&] { move_back(memory, begin, b, grain, failure); });
  }
  std::iter_value_t<I>* from = memory + p.from;
  I out = advanced(begin, p.from);
  put_all<moving_out_of_memory>(from, memory + p.to, out);
}

/// Merges two parts of a range, one behind the other, by way of memory for as many elements. If a
/// comparison throws, all elements are in the range, in some order.
template <class I, class Less>
void merge_by_way_of(std::iter_value_t<I>* memory, I first, two_parts p, std::ptrdiff_t grain,
                     const Less& less) {
  first_failure failure;
  const moved_merge<Less> how{less, grain, failure};
  // The memory begins with what is at p.first.from of the range.
  const I begin = advanced(first, p.first.from);
  const part a{0, p.first.size()}, b{a.to, a.to + p.second.size()};
  merge_moved<moving_into_memory>({a, b}, begin, memory, 0, how);
  // Nothing here throws, and a stop does not end it: it waits until all elements are back.
  move_back(memory, begin, {0, p.size()}, 4 * grain, failure);
  failure.rethrow_if_any();
}

/// Merges the parts 0..middle and middle..n of a range. What is at its place from the beginning is
/// not moved: what comes before all of the second part, and what comes after all of the first one.
template <class I, class Less>
void merge_halves(I first, std::ptrdiff_t middle, std::ptrdiff_t n, std::ptrdiff_t grain,
                  const Less& less) {
  if (middle == 0 || middle == n) return;
  if (!less(*advanced(first, middle), *advanced(first, middle - 1))) return;
  const std::ptrdiff_t from = first_without({0, middle}, [&](std::ptrdiff_t i) {
    return !less(*advanced(first, middle), *advanced(first, i));
  });
  const std::ptrdiff_t to = first_without({middle, n}, [&](std::ptrdiff_t i) {
    return less(*advanced(first, i), *advanced(first, middle - 1));
  });
  const two_parts p{{from, middle}, {middle, to}};
  const bool alone = p.size() <= 2 * grain || workers_here() == 1;
  const element_memory<std::iter_value_t<I>> memory(
      alone ? std::min(p.first.size(), p.second.size()) : p.size());
  if (memory && alone) return merge_shorter(memory.begin(), first, p, less);
  on_a_worker([&] {
    if (memory)
      merge_by_way_of(memory.begin(), first, p, grain, less);
    else
      merge_by_rotations(first, p.first, p.second, grain, less);
  });
}

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
