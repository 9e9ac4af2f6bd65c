// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <iterator>
#include <utility>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/blocks.hpp"
#include "nopal/detail/algorithm/checked_call.hpp"
#include "nopal/detail/algorithm/cut.hpp"
#include "nopal/detail/algorithm/elements.hpp"
#include "nopal/detail/algorithm/ordered/kept_elements.hpp"
#include "nopal/detail/algorithm/parts.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

/// Copies elements to their places.
template <class Elements, class O>
O copy_elements(const Elements& all, O out) {
  if (all.size <= 0) return out;
  for_each_block({0, all.size}, all.policy.elements,
                 [first = all.first, to = unwrapped(out)](part p) {
                   auto from = advanced(first, p.from);
                   auto at = advanced(to, p.from);
                   if constexpr (moves_freely<decltype(from)>)
                     std::copy_n(from, p.size(), at);
                   else
                     for (std::ptrdiff_t left = p.size(); left != 0; step_on(from, --left), ++at)
                       *at = *from;
                 });
  return advanced(out, all.size);
}

struct copy_function {
  static constexpr auto kind = algorithm_kind::other;

  template <class I, multipass_by<I> S, copies_of<I> O>
  O operator()(grain g, I first, S last, O out) const {
    return copy_elements(cut(g, std::move(first), last), out);
  }
};

struct copy_n_function {
  static constexpr auto kind = algorithm_kind::other;

  template <readable_more_than_once I, std::integral N, copies_of<I> O>
  O operator()(grain g, I first, N n, O out) const {
    if (std::cmp_less_equal(n, 0)) return out;
    return copy_function()(
        g, std::counted_iterator(std::move(first), static_cast<std::iter_difference_t<I>>(n)),
        std::default_sentinel, out);
  }
};

struct move_function {
  static constexpr auto kind = algorithm_kind::other;

  template <class I, splittable_by<I> S, std::random_access_iterator O>
    requires elements_apart<O> && std::indirectly_movable<I, O>
  O operator()(grain g, I first, S last, O out) const {
    const auto n = static_cast<std::ptrdiff_t>(last - first);
    if (n <= 0) return out;
    for_each_block({0, n}, g.elements, [from = unwrapped(first), to = unwrapped(out)](part p) {
      std::ranges::move(advanced(from, p.from), advanced(from, p.to), advanced(to, p.from));
    });
    return advanced(out, n);
  }
};

}  // namespace algorithm_detail

/// Copies the elements of a range to their places in the range that begins at out: copy(range, out)
/// or copy(first, last, out).
/// \code
/// std::vector<int> v(1000, 3), out(v.size());
/// nopal::copy(v, out.begin());
/// \endcode
/// \param range  as with for_each: one without random access or a known size is walked first; the
/// same goes for first and last.
/// \param out  a random-access iterator. It must not overlap the range.
/// \returns the end of what was written.
/// \throws whatever an assignment throws; if several throw, the exception of the first in order
/// among those that ran. Other elements may or may not have been assigned. If the range is walked,
/// also what for_each says.
/// Thread-safety: call it anywhere; on a thread that is no worker it runs on the default runtime.
/// Complexity: n assignments. Forks, and for a range that is walked steps and memory, are as with
/// for_each.
/// Source: as for_each.
NOPAL_HIDDEN inline constexpr algorithm_detail::checked_call<algorithm_detail::copy_function>
    copy{};

/// Copies n elements from first on: copy_n(first, n, out) is copy(first, first + n, out).
/// \code
/// std::vector<int> v(1000, 3), out(500);
/// nopal::copy_n(v.begin(), 500, out.begin());
/// \endcode
/// \param n  if it is not positive, nothing is copied.
/// \param first, out  as with copy.
/// \returns the end of what was written.
/// \throws what copy does.
/// Thread-safety: as copy.
/// Complexity: as copy.
/// Source: as for_each.
NOPAL_HIDDEN inline constexpr algorithm_detail::checked_call<algorithm_detail::copy_n_function>
    copy_n{};

/// Moves the elements of a range to their places in the range that begins at out: move(range, out)
/// or move(first, last, out).
/// \code
/// std::vector<std::unique_ptr<int>> v(1000), out(v.size());
/// nopal::move(v, out.begin());
/// \endcode
/// \param range  has random access and a known size; the same goes for first and last.
/// \param out  as with copy.
/// \returns the end of what was written.
/// \throws what copy does. An element is where it was, where it was to go, or partly at both, as
/// its assignment leaves it.
/// Thread-safety: as copy.
/// Complexity: n assignments. Forks are as with for_each.
/// Source: as for_each.
NOPAL_HIDDEN inline constexpr algorithm_detail::checked_call<algorithm_detail::move_function>
    move{};

}  // namespace parallel
}  // namespace nopal
