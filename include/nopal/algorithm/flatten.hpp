// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <ranges>
#include <type_traits>
#include <vector>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/blocks.hpp"
#include "nopal/detail/algorithm/checked_call.hpp"
#include "nopal/detail/algorithm/elements.hpp"
#include "nopal/detail/algorithm/ordered/kept_elements.hpp"
#include "nopal/detail/algorithm/parts.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

template <class I>
using inner_iterator = std::ranges::iterator_t<std::iter_reference_t<I>>;

/// An iterator to ranges that can be cut.
template <class I>
concept iterates_over_ranges =
    std::random_access_iterator<I> && splittable_range<std::iter_reference_t<I>>;

/// The elements of ranges, by their numbers from the first element of the first range on.
template <class I>
class flat_elements {
 public:
  flat_elements(I first, std::ptrdiff_t n, std::size_t grain)
      : first_(first), begins_(static_cast<std::size_t>(n) + 1) {
    if (n <= 0) return;
    for_each_block({0, n}, grain, [this](part p) {
      for (std::ptrdiff_t i = p.from; i < p.to; ++i)
        begins_[static_cast<std::size_t>(i) + 1] =
            static_cast<std::ptrdiff_t>(std::ranges::size(*advanced(first_, i)));
    });
    for (std::size_t i = 1; i < begins_.size(); ++i) begins_[i] += begins_[i - 1];
  }

  [[nodiscard]] std::ptrdiff_t size() const { return begins_.back(); }

  template <class O>
  void copy_to(O out, std::size_t grain) const {
    if (size() > 0)
      for_each_block({0, size()}, grain, [this, to = unwrapped(out)](part p) { copy(p, to); });
  }

 private:
  template <class O>
  void copy(part p, O to) const {
    // The last range that begins at or before the first element, so that empty ones are left out.
    auto range = std::upper_bound(begins_.begin(), begins_.end(), p.from) - 1;
    for (std::ptrdiff_t at = p.from; at < p.to; ++range) {
      const std::ptrdiff_t end = std::min(p.to, range[1]);
      if (end == at) continue;
      auto&& elements = *advanced(first_, range - begins_.begin());
      std::copy_n(unwrapped(advanced(std::ranges::begin(elements), at - *range)), end - at,
                  advanced(to, at));
      at = end;
    }
  }

  I first_;
  std::vector<std::ptrdiff_t> begins_;
};

struct flatten_function {
  static constexpr auto kind = algorithm_kind::other;

  template <class I, splittable_by<I> S, class O>
    requires iterates_over_ranges<I> && copies_of<O, inner_iterator<I>>
  O operator()(grain g, I first, S last, O out) const {
    const flat_elements<I> all(first, static_cast<std::ptrdiff_t>(last - first), 0);
    all.copy_to(out, g.elements);
    return advanced(out, all.size());
  }
  template <class I, splittable_by<I> S>
    requires iterates_over_ranges<I> &&
             std::default_initializable<std::iter_value_t<inner_iterator<I>>> &&
             copies_of<std::iter_value_t<inner_iterator<I>>*, inner_iterator<I>>
  auto operator()(grain g, I first, S last) const {
    const flat_elements<I> all(first, static_cast<std::ptrdiff_t>(last - first), 0);
    std::vector<std::iter_value_t<inner_iterator<I>>> result(static_cast<std::size_t>(all.size()));
    all.copy_to(result.data(), g.elements);
    return result;
  }
};

}  // namespace algorithm_detail

/// Puts the elements of ranges behind each other: flatten(ranges) or flatten(first, last) returns
/// them in a std::vector, flatten(ranges, out) or flatten(first, last, out) copies them to the
/// range that begins at out.
/// \code
/// std::vector<std::vector<int>> v{{1, 2}, {}, {3}};
/// std::vector<int> all = nopal::flatten(v);
/// \endcode
/// \param ranges  a range of ranges. All have random access and a known size; the same goes for
/// first and last. Elements of a vector must have a default.
/// \param out  a random-access iterator. What is written must not overlap the ranges.
/// \returns the vector, or the end of what was written.
/// \throws whatever an assignment throws; if several throw, the exception of the first in order
/// among those that ran. Of the output other elements may or may not have been assigned.
/// std::bad_alloc if there is no memory.
/// Thread-safety: call it anywhere; on a thread that is no worker it runs on the default runtime.
/// Complexity: for m ranges and n elements, m steps in a row to add the sizes up, n assignments and
/// O(log m) for each block. The elements are cut, and not the ranges: one long range is shared out
/// as well as many short ones. Forks are as with for_each. Memory for m numbers.
/// Source: as for_each.
NOPAL_HIDDEN inline constexpr algorithm_detail::checked_call<algorithm_detail::flatten_function>
    flatten{};

}  // namespace parallel
}  // namespace nopal
