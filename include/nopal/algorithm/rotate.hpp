// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <ranges>

#include "nopal/algorithm/copy.hpp"
#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/checked_call.hpp"
#include "nopal/detail/algorithm/elements.hpp"
#include "nopal/detail/algorithm/ordered/kept_elements.hpp"
#include "nopal/detail/algorithm/ordered/rotation.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

struct rotate_function {
  static constexpr auto kind = algorithm_kind::other;
  static constexpr bool has_middle = true;

  template <class I, permuted_by<I> S>
  std::ranges::subrange<I> operator()(grain g, I first, S last, I middle) const {
    const auto n = static_cast<std::ptrdiff_t>(last - first);
    const auto left = static_cast<std::ptrdiff_t>(middle - first);
    rotate_elements(unwrapped(first), left, n, g.elements);
    return {advanced(first, n - left), advanced(first, n)};
  }
};

struct rotate_copy_function {
  static constexpr auto kind = algorithm_kind::other;
  static constexpr bool has_middle = true;

  template <class I, splittable_by<I> S, copies_of<I> O>
  O operator()(grain g, I first, S last, I middle, O out) const {
    const copy_function copy;
    return copy(g, first, middle, copy(g, middle, last, out));
  }
};

}  // namespace algorithm_detail

/// Makes the element at `middle` the first of a range, and what was before it the end:
/// rotate(range, middle) or rotate(first, middle, last).
/// \code
/// std::vector<int> v{1, 2, 3, 4, 5};
/// nopal::rotate(v, v.begin() + 2);
/// \endcode
/// \param range  as with reverse.
/// \param middle  an iterator into the range, or its end.
/// \returns the elements that were before `middle`, as std::ranges::rotate does.
/// \throws whatever a swap throws; the range then has elements in another order, of which those
/// whose swap has thrown are as that leaves them.
/// Thread-safety: call it anywhere; on a thread that is no worker it runs on the default runtime.
/// Complexity: at most n swaps, no memory; loops as for_each's, at most some dozens one after the
/// other.
/// Source: Gries and Mills, Swapping Sections, 1981; for what is left, three reversals.
NOPAL_HIDDEN inline constexpr algorithm_detail::checked_call<algorithm_detail::rotate_function>
    rotate{};

/// Copies what rotate would leave: rotate_copy(range, middle, out) or rotate_copy(first, middle,
/// last, out).
/// \code
/// std::vector<int> v{1, 2, 3, 4, 5}, out(v.size());
/// nopal::rotate_copy(v, v.begin() + 2, out.begin());
/// \endcode
/// \param range  has random access and a known size; the same goes for first and last.
/// \param middle  an iterator into the range, or its end.
/// \param out  as with copy.
/// \returns the end of what was written.
/// \throws what copy does.
/// Thread-safety: as copy.
/// Complexity: n assignments, in two loops. Forks are as with for_each.
/// Source: as for_each.
NOPAL_HIDDEN inline constexpr algorithm_detail::checked_call<algorithm_detail::rotate_copy_function>
    rotate_copy{};

}  // namespace parallel
}  // namespace nopal
