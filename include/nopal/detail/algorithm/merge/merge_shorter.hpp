// SPDX-License-Identifier: Apache-2.0
// One strand merges two parts of a range by way of memory for the shorter one.
#pragma once

#include <cstddef>
#include <iterator>
#include <memory>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/elements.hpp"
#include "nopal/detail/algorithm/merge/merge_run.hpp"
#include "nopal/detail/algorithm/merge/merge_split.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

/// Elements in memory that go back to the open places of a range, which lie before or behind it and
/// are as many. Wherever the merge ends, by an exception too, those that are left go there.
template <class T, class I, bool Backwards>
struct kept_aside {
  T *first, *last;
  I open;  ///< Where the open places begin, or if the merge goes backwards, where they end.

  kept_aside(T* memory, I from, I to) : first(memory), last(memory), open(Backwards ? to : from) {
    for (I i = from; i != to; ++i, ++last) std::construct_at(last, std::ranges::iter_move(i));
  }
  kept_aside(const kept_aside&) = delete;
  kept_aside& operator=(const kept_aside&) = delete;
  ~kept_aside() {
    while (first != last) put_own();
  }

  [[nodiscard]] T& next() const { return Backwards ? *(last - 1) : *first; }
  void put_own() {
    if constexpr (Backwards)
      moving_out_of_memory::put(--last, --open);
    else
      moving_out_of_memory::put(first++, open++);
  }
  void put_other(I from) {
    if constexpr (Backwards)
      *--open = std::ranges::iter_move(from);
    else
      *open++ = std::ranges::iter_move(from);
  }
};

/// Merges the parts before and behind `middle`, of which the first one goes to the memory.
template <class T, class I, class Less>
NOPAL_NOINLINE void merge_forwards(T* memory, I first, I middle, I last, const Less& less) {
  kept_aside<T, I, false> left(memory, first, middle);
  while (left.first != left.last && middle != last)
    if (less(*middle, left.next()))
      left.put_other(middle++);
    else
      left.put_own();
}

/// The same, when the second one goes to the memory.
template <class T, class I, class Less>
NOPAL_NOINLINE void merge_backwards(T* memory, I first, I middle, I last, const Less& less) {
  kept_aside<T, I, true> right(memory, middle, last);
  while (right.first != right.last && middle != first)
    if (less(right.next(), *(middle - 1)))
      right.put_other(--middle);
    else
      right.put_own();
}

/// Merges two parts of a range, one behind the other. If a comparison throws, all elements are in
/// the range, in some order.
template <class I, class Less>
void merge_shorter(std::iter_value_t<I>* memory, I begin, two_parts p, const Less& less) {
  const I first = advanced(begin, p.first.from), middle = advanced(begin, p.second.from),
          last = advanced(begin, p.second.to);
  if (p.first.size() <= p.second.size())
    merge_forwards(memory, first, middle, last, less);
  else
    merge_backwards(memory, first, middle, last, less);
}

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
