// SPDX-License-Identifier: Apache-2.0
// Short ranges are sorted by insertion.
#pragma once

#include <cstddef>
#include <iterator>
#include <utility>

#include "nopal/algorithm/grain.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

/// An element out of its range, and the place that it has left open. If a comparison throws, the
/// element goes back to that place, so that none is lost.
template <class I>
class lifted {
 public:
  explicit lifted(I at) : at_(at), value_(std::ranges::iter_move(at)) {}
  lifted(const lifted&) = delete;
  lifted& operator=(const lifted&) = delete;
  ~lifted() { *at_ = std::move(value_); }

  [[nodiscard]] I at() const { return at_; }
  [[nodiscard]] std::iter_value_t<I>& value() { return value_; }
  /// Moves the element before the open place into it.
  void step_back() {
    const I before = std::ranges::prev(at_);
    *at_ = std::ranges::iter_move(before);
    at_ = before;
  }

 private:
  I at_;
  std::iter_value_t<I> value_;
};

/// Moves the element at `at` to its place among those from `first` on, which are sorted.
/// \tparam Guarded  false if an element that lies before `first` is known not to come after any of
/// these, so that the search for the place ends there at the latest.
template <bool Guarded, class I, class Less>
void insert(I first, I at, const Less& less) {
  if (!less(*at, *(at - 1))) return;
  lifted<I> element(at);
  do {
    element.step_back();
  } while ((!Guarded || element.at() != first) && less(element.value(), *(element.at() - 1)));
}

/// Sorts by insertion. This is not inlined, because of what it throws: see held_exception.hpp.
template <bool Guarded, class I, class Less>
NOPAL_NOINLINE void insertion_sort(I first, std::ptrdiff_t n, const Less& less) {
  for (std::ptrdiff_t i = 1; i < n; ++i)
    insert<Guarded>(first, first + static_cast<std::iter_difference_t<I>>(i), less);
}

/// Sorts a range in which few elements are out of order. Gives up, and returns false, when it has
/// moved elements by more than a few places in all.
template <class I, class Less>
NOPAL_NOINLINE bool insertion_sorted(I first, std::ptrdiff_t n, const Less& less) {
  constexpr std::ptrdiff_t most_steps = 8;
  std::ptrdiff_t steps = 0;
  for (std::ptrdiff_t i = 1; i < n; ++i) {
    const I at = first + static_cast<std::iter_difference_t<I>>(i);
    if (!less(*at, *(at - 1))) continue;
    lifted<I> element(at);
    do {
      element.step_back();
      ++steps;
    } while (element.at() != first && less(element.value(), *(element.at() - 1)));
    if (steps > most_steps) return false;
  }
  return true;
}

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
