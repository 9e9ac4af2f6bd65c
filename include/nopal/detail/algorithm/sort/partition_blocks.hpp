// SPDX-License-Identifier: Apache-2.0
// This partitions a range in place without branches that depend on elements.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <utility>

#include "nopal/algorithm/grain.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

/// The elements of a short stretch that are on the wrong side, by their distances from where the
/// stretch begins, or for the right side from where it ends. Whether an element is on the wrong
/// side decides whether the count grows, and so costs no branch.
template <class I>
class misplaced {
 public:
  static constexpr std::ptrdiff_t longest = 128;

  [[nodiscard]] std::ptrdiff_t count() const noexcept { return count_; }
  [[nodiscard]] bool empty() const noexcept { return count_ == 0; }

  /// Notes those of the n elements from `at` on for which `goes_left` does not hold.
  template <class Pred>
  void find_on_the_left(I at, std::ptrdiff_t n, const Pred& goes_left) {
    begin_ = at;
    find(n, [&](std::ptrdiff_t i) { return !goes_left(*advance(at, i)); });
  }
  /// Notes those of the n elements before `end` for which `goes_left` holds.
  template <class Pred>
  void find_on_the_right(I end, std::ptrdiff_t n, const Pred& goes_left) {
    begin_ = end;
    find(n, [&](std::ptrdiff_t i) { return goes_left(*advance(end, -1 - i)); });
  }

  [[nodiscard]] I left(std::ptrdiff_t i) const { return advance(begin_, offset(i)); }
  [[nodiscard]] I right(std::ptrdiff_t i) const { return advance(begin_, -1 - offset(i)); }

  void drop_first(std::ptrdiff_t n) noexcept {
    next_ += n;
    count_ -= n;
  }

 private:
  static I advance(I i, std::ptrdiff_t n) { return i + static_cast<std::iter_difference_t<I>>(n); }
  [[nodiscard]] std::ptrdiff_t offset(std::ptrdiff_t i) const {
    return offsets_[static_cast<std::size_t>(next_ + i)];
  }
  template <class Wrong>
  void find(std::ptrdiff_t n, const Wrong& wrong) {
    std::size_t count = 0;
#pragma GCC unroll 8
    for (std::ptrdiff_t i = 0; i < n; ++i) {
      offsets_[count] = static_cast<unsigned char>(i);
      count += static_cast<std::size_t>(wrong(i));
    }
    next_ = 0;
    count_ = static_cast<std::ptrdiff_t>(count);
  }

  I begin_{};
  std::ptrdiff_t next_ = 0;
  std::ptrdiff_t count_ = 0;
  std::array<unsigned char, static_cast<std::size_t>(longest)> offsets_;
};

/// Exchanges as many misplaced elements as both sides have. They go round in one cycle, which takes
/// fewer moves than swaps.
template <class I>
void exchange(misplaced<I>& left, misplaced<I>& right) {
  const std::ptrdiff_t n = std::min(left.count(), right.count());
  if (n == 0) return;
  I l = left.left(0), r = right.right(0);
  std::iter_value_t<I> first = std::ranges::iter_move(l);
  *l = std::ranges::iter_move(r);
  for (std::ptrdiff_t i = 1; i < n; ++i) {
    l = left.left(i);
    *r = std::ranges::iter_move(l);
    r = right.right(i);
    *l = std::ranges::iter_move(r);
  }
  *r = std::move(first);
  left.drop_first(n);
  right.drop_first(n);
}

/// Where a range has been divided, and whether it had been divided there before.
template <class I>
struct partition_result {
  I middle;
  bool was_partitioned;
};

/// Moves the elements for which `goes_left` holds before the others, and returns where those begin.
/// If `goes_left` throws, the elements are in some order.
template <class I, class Pred>
partition_result<I> partition_in_blocks(I first, I last, const Pred& goes_left) {
  while (first != last && goes_left(*first)) ++first;
  while (first != last && !goes_left(*(last - 1))) --last;
  if (first == last) return {first, true};
  misplaced<I> left, right;
  while (first != last) {
    const auto unknown = static_cast<std::ptrdiff_t>(last - first);
    std::ptrdiff_t on_left = 0;
    if (left.empty()) {
      on_left = std::min(right.empty() ? (unknown + 1) / 2 : unknown, misplaced<I>::longest);
      left.find_on_the_left(first, on_left, goes_left);
      first += static_cast<std::iter_difference_t<I>>(on_left);
    }
    if (right.empty()) {
      const std::ptrdiff_t on_right = std::min(unknown - on_left, misplaced<I>::longest);
      right.find_on_the_right(last, on_right, goes_left);
      last -= static_cast<std::iter_difference_t<I>>(on_right);
    }
    exchange(left, right);
  }
  // One side may have misplaced elements left, in its last stretch: they go to the end of that, the
  // outermost first, so that none of them is what another changes places with.
  for (std::ptrdiff_t i = left.count(); i-- > 0;) std::ranges::iter_swap(left.left(i), --last);
  for (std::ptrdiff_t i = right.count(); i-- > 0; ++last)
    std::ranges::iter_swap(right.right(i), last);
  return {last, false};
}

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
