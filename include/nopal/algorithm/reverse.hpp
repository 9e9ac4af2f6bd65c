// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/blocks.hpp"
#include "nopal/detail/algorithm/checked_call.hpp"
#include "nopal/detail/algorithm/elements.hpp"
#include "nopal/detail/algorithm/ordered/kept_elements.hpp"
#include "nopal/detail/algorithm/ordered/rotation.hpp"
#include "nopal/detail/algorithm/parts.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

struct reverse_function {
  static constexpr auto kind = algorithm_kind::other;

  template <class I, permuted_by<I> S>
  I operator()(grain g, I first, S last) const {
    const auto n = static_cast<std::ptrdiff_t>(last - first);
    reverse_elements(unwrapped(first), n, g.elements);
    return advanced(first, n);
  }
};

struct reverse_copy_function {
  static constexpr auto kind = algorithm_kind::other;

  template <class I, splittable_by<I> S, copies_of<I> O>
  O operator()(grain g, I first, S last, O out) const {
    const auto n = static_cast<std::ptrdiff_t>(last - first);
    if (n <= 0) return out;
    for_each_block({0, n}, g.elements, [from = unwrapped(first), to = unwrapped(out), n](part p) {
      std::reverse_copy(advanced(from, n - p.to), advanced(from, n - p.from), advanced(to, p.from));
    });
    return advanced(out, n);
  }
};

}  // namespace algorithm_detail

/// Turns the order of a range round: reverse(range) or reverse(first, last).
/// \code
/// std::vector<int> v{1, 2, 3};
/// nopal::reverse(v);
/// \endcode
/// \param range  has random access, a known size, and elements that can be moved; the same goes for
/// first and last.
/// \returns the end of the range.
/// \throws whatever a swap throws; if several throw, the exception of the first in order among
/// those that ran. Other elements may or may not have been swapped.
/// Thread-safety: call it anywhere; on a thread that is no worker it runs on the default runtime.
/// Complexity: n / 2 swaps, no memory. Forks are as with for_each.
/// Source: as for_each.
NOPAL_HIDDEN inline constexpr algorithm_detail::checked_call<algorithm_detail::reverse_function>
    reverse{};

/// Copies a range from its end to its beginning: reverse_copy(range, out) or reverse_copy(first,
/// last, out).
/// \code
/// std::vector<int> v{1, 2, 3}, out(v.size());
/// nopal::reverse_copy(v, out.begin());
/// \endcode
/// \param range  has random access and a known size; the same goes for first and last.
/// \param out  as with copy.
/// \returns the end of what was written.
/// \throws what copy does.
/// Thread-safety: as copy.
/// Complexity: n assignments. Forks are as with for_each.
/// Source: as for_each.
NOPAL_HIDDEN inline constexpr algorithm_detail::checked_call<
    algorithm_detail::reverse_copy_function>
    reverse_copy{};

}  // namespace parallel
}  // namespace nopal
