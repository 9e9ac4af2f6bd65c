// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <iterator>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/blocks.hpp"
#include "nopal/detail/algorithm/checked_call.hpp"
#include "nopal/detail/algorithm/elements.hpp"
#include "nopal/detail/algorithm/merge/set_cut.hpp"
#include "nopal/detail/algorithm/merge/set_pieces.hpp"
#include "nopal/detail/algorithm/merge/set_run.hpp"
#include "nopal/detail/algorithm/ordering.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

/// An operation on two sorted ranges that writes a third one.
template <set_kept Kept>
struct set_function {
  static constexpr auto kind = algorithm_kind::two_comparison;
  static constexpr std::size_t ranges = 2;
  static constexpr std::size_t function_at = 1;
  using function = std::ranges::less;

  template <std::random_access_iterator I1, splittable_by<I1> S1, std::random_access_iterator I2,
            splittable_by<I2> S2, std::random_access_iterator O, class Comp = std::ranges::less,
            class Proj1 = std::identity, class Proj2 = std::identity>
    requires mergeable_by<I1, I2, O, Comp, Proj1, Proj2>
  O operator()(grain g, I1 first1, S1 last1, I2 first2, S2 last2, O out, Comp comp = {},
               Proj1 proj1 = {}, Proj2 proj2 = {}) const {
    const sorted_ranges all{unwrapped(first1),
                            static_cast<std::ptrdiff_t>(last1 - first1),
                            unwrapped(first2),
                            static_cast<std::ptrdiff_t>(last2 - first2),
                            comp,
                            proj1,
                            proj2};
    return advanced(out, write_set<Kept>(all, unwrapped(out), g.elements));
  }
};

using set_union_function = set_function<set_kept{.first = true, .second = true, .both = true}>;
using set_intersection_function =
    set_function<set_kept{.first = false, .second = false, .both = true}>;
using set_difference_function =
    set_function<set_kept{.first = true, .second = false, .both = false}>;
using set_symmetric_difference_function =
    set_function<set_kept{.first = true, .second = true, .both = false}>;

struct includes_function {
  static constexpr auto kind = algorithm_kind::two_comparison;
  static constexpr std::size_t ranges = 2;
  static constexpr std::size_t function_at = 0;
  using function = std::ranges::less;

  template <std::random_access_iterator I1, splittable_by<I1> S1, std::random_access_iterator I2,
            splittable_by<I2> S2, class Comp = std::ranges::less, class Proj1 = std::identity,
            class Proj2 = std::identity>
    requires ordered_by<I1, I2, Comp, Proj1, Proj2>
  bool operator()(grain g, I1 first1, S1 last1, I2 first2, S2 last2, Comp comp = {},
                  Proj1 proj1 = {}, Proj2 proj2 = {}) const {
    const sorted_ranges all{unwrapped(first1),
                            static_cast<std::ptrdiff_t>(last1 - first1),
                            unwrapped(first2),
                            static_cast<std::ptrdiff_t>(last2 - first2),
                            comp,
                            proj1,
                            proj2};
    if (all.n2 > all.n1) return false;
    const std::ptrdiff_t length = chosen_grain(g.elements, all.size(), limits_of_sets);
    if (all.size() <= length) return run_includes(all, {}, {all.n1, all.n2});
    // A worker that finds an element missing tells the others, who lose time only if they do not
    // see it.
    std::atomic<bool> missing{false};
    for_each_block({0, (all.size() - 1) / length + 1}, 1, [&](part p) {
      if (missing.load(std::memory_order_relaxed)) return;
      const set_cut to = cut_sets(all, std::min(all.size(), p.to * length));
      if (!run_includes(all, cut_sets(all, p.from * length), to))
        missing.store(true, std::memory_order_relaxed);
    });
    return !missing.load(std::memory_order_relaxed);
  }
};

}  // namespace algorithm_detail

/// Writes the union of two sorted ranges: set_union(range1, range2, out, comp = less, proj1 = {},
/// proj2 = {}) or set_union(first1, last1, first2, last2, out, comp = less, proj1 = {}, proj2 =
/// {}). Equal elements of the two ranges are paired, in order, and of each pair the one of the
/// first range is written. So of elements that the first range has m times and the second n times,
/// the larger number is written.
/// \code
/// std::vector<int> a{1, 2, 2, 3}, b{2, 3, 5}, out(7);
/// out.erase(nopal::set_union(a, b, out.begin()), out.end());  // 1 2 2 3 5
/// \endcode
///
/// \param range1, range2  random access, and a size known in constant time; sorted by comp.
/// \param out  where to write, apart from both ranges: room for what is written. It is a
/// random-access iterator.
/// \param comp, proj1, proj2  called by several workers at once, as const. None may be a coroutine.
/// \returns the end of what has been written.
/// \throws whatever comp, a projection or an assignment throws; std::bad_alloc. If several throw,
/// the exception of the first in order among those that ran. Some elements have been written then.
/// Thread-safety: call it anywhere; on a thread that is no worker it runs on the default runtime.
/// Complexity: O(n) comparisons; what is stolen is compared twice, once to count what it writes.
/// The span is O(log n) and a block for each of both passes. Extra memory: some numbers for each
/// block of 2048 to 16384 elements, or of as many as nopal::grain says.
/// Source: cuts by rank, moved among equal elements to where as many of both ranges come before the
/// cut; one pass where nobody steals, as in nopal's scan.
NOPAL_HIDDEN inline constexpr algorithm_detail::checked_call<algorithm_detail::set_union_function>
    set_union{};

/// Writes the elements of a sorted range that have an equal in another one:
/// set_intersection(range1, range2, out, comp = less, proj1 = {}, proj2 = {}) or with two iterators
/// for each range. Equal elements are paired as by nopal::set_union; of each pair the one of the
/// first range is written.
/// \code
/// std::vector<int> a{1, 2, 2, 3}, b{2, 3, 5}, out(3);
/// out.erase(nopal::set_intersection(a, b, out.begin()), out.end());  // 2 3
/// \endcode
///
/// Parameters, the result, exceptions and costs are those of nopal::set_union.
NOPAL_HIDDEN inline constexpr algorithm_detail::checked_call<
    algorithm_detail::set_intersection_function>
    set_intersection{};

/// Writes the elements of a sorted range that have no equal in another one: set_difference(range1,
/// range2, out, comp = less, proj1 = {}, proj2 = {}) or with two iterators for each range. Equal
/// elements are paired as by nopal::set_union; those of the first range that are left are written.
/// \code
/// std::vector<int> a{1, 2, 2, 3}, b{2, 3, 5}, out(4);
/// out.erase(nopal::set_difference(a, b, out.begin()), out.end());  // 1 2
/// \endcode
///
/// Parameters, the result, exceptions and costs are those of nopal::set_union.
NOPAL_HIDDEN inline constexpr algorithm_detail::checked_call<
    algorithm_detail::set_difference_function>
    set_difference{};

/// Writes the elements of two sorted ranges that have no equal in the other one:
/// set_symmetric_difference(range1, range2, out, comp = less, proj1 = {}, proj2 = {}) or with two
/// iterators for each range. Equal elements are paired as by nopal::set_union; those of both ranges
/// that are left are written.
/// \code
/// std::vector<int> a{1, 2, 2, 3}, b{2, 3, 5}, out(7);
/// out.erase(nopal::set_symmetric_difference(a, b, out.begin()), out.end());  // 1 2 5
/// \endcode
///
/// Parameters, the result, exceptions and costs are those of nopal::set_union.
NOPAL_HIDDEN inline constexpr algorithm_detail::checked_call<
    algorithm_detail::set_symmetric_difference_function>
    set_symmetric_difference{};

/// Whether each element of a second sorted range has an equal in the first, equal ones as often:
/// includes(range1, range2, comp = less, proj1 = {}, proj2 = {}) or with two iterators for each
/// range.
/// \code
/// std::vector<int> a{1, 2, 2, 3}, b{2, 2, 3};
/// bool all = nopal::includes(a, b);  // true
/// \endcode
///
/// \param range1, range2  random access, and a size known in constant time; sorted by comp.
/// \param comp, proj1, proj2  called by several workers at once, as const. None may be a coroutine.
/// \returns the answer. Once a worker has found an element without an equal, no more blocks begin.
/// \throws whatever comp or a projection throws.
/// Thread-safety: call it anywhere; on a thread that is no worker it runs on the default runtime.
/// Complexity: O(n) comparisons; span O(log n) and a block; no allocation.
/// Source: the cuts of nopal::set_union.
NOPAL_HIDDEN inline constexpr algorithm_detail::checked_call<algorithm_detail::includes_function>
    includes{};

}  // namespace parallel
}  // namespace nopal
