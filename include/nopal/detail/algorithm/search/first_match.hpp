// SPDX-License-Identifier: Apache-2.0
// This finds the first element of a range that ends a search, and does not search behind it.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <utility>
#include <vector>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/blocks.hpp"
#include "nopal/detail/algorithm/cut.hpp"
#include "nopal/detail/algorithm/elements.hpp"
#include "nopal/detail/algorithm/parts.hpp"
#include "nopal/detail/algorithm/search/first_true.hpp"
#include "nopal/detail/algorithm/search/search_end.hpp"
#include "nopal/detail/algorithm/search/windows.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

/// Searches the elements 0 … n - 1 and returns the number of the first that ends the search, or n.
/// leaf(block) searches a block and returns the first in it that does, or the block's end. If it
/// throws, the search ends in that block, unless it ends before.
// This function is not inlined, because of what it throws: see held_exception.hpp.
template <class Leaf>
NOPAL_NOINLINE std::ptrdiff_t first_match(std::ptrdiff_t n, std::size_t by_hand, element_cost cost,
                                          const Leaf& leaf) {
  if (n <= 0) return 0;
  search_end end(n);
  for_each_in_windows(n, by_hand, cost, [&](part block) { end.search(block, leaf); }, end.place());
  return end.result();
}

/// The walk of a range that cannot be cut in constant time. Such a range is walked no further than
/// the search goes, and a window: a window is walked by one strand, which notes where each block
/// begins, and then searched. Each is twice as long as the one before.
template <class I, class S>
class walked_windows {
 public:
  walked_windows(std::size_t by_hand, I first, const S& last)
      : grain_(chosen_grain(by_hand, 512)), at_(std::move(first)), last_(last) {}

  /// Returns the first element for which test(iterator) is true, or the end.
  template <class Test>
  NOPAL_NOINLINE I first(const Test& test) {
    while (walk()) {
      search_end end(size_);
      for_each_block({0, size_}, static_cast<std::size_t>(grain_), [&](part block) {
        end.search(block, [&](part p) { return p.from + first_true(start(p), p.size(), test); });
      });
      const std::ptrdiff_t found = end.result();
      if (found != size_) return nth(found);
      if (starts_.size() == blocks_) grow();
    }
    return at_;
  }

 private:
  /// Walks the next window. Returns whether there is one.
  bool walk() {
    starts_.clear();
    size_ = 0;
    for (std::ptrdiff_t left = 0; !(at_ == last_); ++at_, ++size_, --left) {
      if (left == 0) {
        if (starts_.size() == blocks_) break;
        starts_.push_back(at_);
        left = grain_;
      }
    }
    return size_ != 0;
  }
  /// Makes windows longer: by longer blocks, until they have 2048 elements, and by more of them.
  void grow() {
    if (grain_ < longest && blocks_ >= 512)
      grain_ *= 2;
    else
      blocks_ *= 2;
  }
  [[nodiscard]] I start(part p) const { return starts_[static_cast<std::size_t>(p.from / grain_)]; }
  [[nodiscard]] I nth(std::ptrdiff_t n) const {
    I at = start({n, n});
    for (n %= grain_; n != 0; --n) ++at;
    return at;
  }

  static constexpr std::ptrdiff_t longest = 2048;

  std::ptrdiff_t grain_;
  std::size_t blocks_ = 64;
  I at_;
  S last_;
  std::vector<I> starts_;
  std::ptrdiff_t size_ = 0;
};

/// Returns the first iterator in a range for which test(iterator) is true, or last. A test that
/// reads only elements before which others have been tested reads none behind the range.
template <class I, class S, class Test>
I first_where(std::size_t by_hand, I first, S last, const Test& test) {
  if constexpr (splittable_by<S, I>) {
    const auto at = unwrapped(first);
    const auto n = static_cast<std::ptrdiff_t>(last - first);
    const std::ptrdiff_t found = first_match(n, by_hand, cost_of<Test>, [&](part p) {
      return p.from + first_true(advanced(at, p.from), p.size(), test);
    });
    return advanced(std::move(first), found);
  } else {
    return walked_windows<I, S>(by_hand, std::move(first), last).first(test);
  }
}

/// Does the same for two ranges side by side, up to the end of the shorter one. It returns the
/// iterators to both elements.
template <class I1, class S1, class I2, class S2, class Test>
both<I1, I2> first_where_both(std::size_t by_hand, I1 first1, S1 last1, I2 first2, S2 last2,
                              const Test& test) {
  if constexpr (splittable_beside_by<S1, I1> && splittable_beside_by<S2, I2>) {
    const both at{unwrapped(first1), unwrapped(first2)};
    const std::ptrdiff_t n = std::min(length(first1, last1), length(first2, last2));
    const std::ptrdiff_t found = first_match(n, by_hand, cost_of<Test>, [&](part p) {
      return p.from + first_true(advanced(at, p.from), p.size(), test);
    });
    return advanced(both{std::move(first1), std::move(first2)}, found);
  } else {
    return walked_windows<both<I1, I2>, both<S1, S2>>(
               by_hand, both<I1, I2>{std::move(first1), std::move(first2)},
               both<S1, S2>{std::move(last1), std::move(last2)})
        .first(test);
  }
}

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
