// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <iterator>
#include <utility>

#include "nopal/algorithm/grain.hpp"
#include "nopal/algorithm/map.hpp"
#include "nopal/detail/algorithm/checked_call.hpp"
#include "nopal/detail/algorithm/elements.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

struct adjacent_difference_function {
  static constexpr auto kind = algorithm_kind::other;
  static constexpr std::size_t function_at = 1;
  using function = std::minus<>;

  template <class I, multipass_by<I> S, class O, class Op = std::minus<>,
            projects<I> Proj = std::identity>
    requires maps<Op, O, projected_reference<I, Proj>, projected_reference<I, Proj>> &&
             std::indirectly_writable<O, projected_reference<I, Proj>>
  O operator()(grain g, I first, S last, O out, Op op = {}, Proj proj = {}) const {
    if (first == last) return out;
    *out = std::invoke(projection_to_end<I>(proj), *first);
    I second = std::ranges::next(first);
    return map_function{}(g, std::move(second), last, std::move(first), last, advanced(out, 1),
                          std::move(op), proj, proj);
  }
};

}  // namespace algorithm_detail

/// Assigns what lies between each element and the one before it: adjacent_difference(range, out, op
/// = std::minus{}, proj = {}) or adjacent_difference(first, last, out, op = std::minus{}, proj =
/// {}), each also with nopal::grain{n} as the first argument, assigns out[0] = x0 and out[i] =
/// op(xi, x(i-1)). The x are the projected elements.
/// \code
/// std::vector<int> v{1, 4, 9, 16}, steps(v.size());
/// nopal::adjacent_difference(v, steps.begin());                // 1, 3, 5, 7
/// \endcode
///
/// \param range  as with for_each; the same goes for first and last.
/// \param out  a random-access iterator, even if the range has none. The output must not overlap
/// the range, and must not be the range itself, whose elements are read twice.
/// \param op, proj  called by several workers at once, as const. Tasks are as with for_each.
/// \returns the end of what was written.
/// \throws as map. Elements of the output may or may not have been written then.
/// Thread-safety: call it anywhere; on a thread that is no worker it runs on the default runtime.
/// Complexity: n - 1 calls of op, and 2n of proj. Everything else is as with map.
/// Source: as for_each.
NOPAL_HIDDEN inline constexpr algorithm_detail::checked_call<
    algorithm_detail::adjacent_difference_function>
    adjacent_difference{};

}  // namespace parallel
}  // namespace nopal
