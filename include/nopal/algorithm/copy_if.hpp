// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/checked_call.hpp"
#include "nopal/detail/algorithm/cut.hpp"
#include "nopal/detail/algorithm/elements.hpp"
#include "nopal/detail/algorithm/ordered/kept_elements.hpp"
#include "nopal/detail/algorithm/ordered/write_kept.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

/// Copies the elements for which `pred` is `Wanted`.
// This is not inlined, because of what it throws: see held_exception.hpp.
template <bool Wanted, class I, class S, class O, class Pred, class Proj>
NOPAL_NOINLINE O copy_where(grain g, I first, S last, O out, const Pred& pred, const Proj& proj) {
  const auto& test = each_to_end<I, Proj>(pred);
  const auto& element = projection_to_end<I>(proj);
  using kept =
      kept_if<Wanted, std::remove_cvref_t<decltype(test)>, std::remove_cvref_t<decltype(element)>>;
  return advanced(
      out, copy_kept<I>(cut(g, first, last), kept{test, element}, unwrapped(out), nowhere{}));
}

struct copy_if_function {
  static constexpr auto kind = algorithm_kind::out_predicate;

  template <class I, multipass_by<I> S, class O, class Pred, projects<I> Proj = std::identity>
    requires copies_of<O, I> && selects<Pred, I, Proj>
  O operator()(grain g, I first, S last, O out, Pred pred, Proj proj = {}) const {
    return copy_where<true>(g, first, last, out, pred, proj);
  }
};

struct remove_copy_if_function {
  static constexpr auto kind = algorithm_kind::out_predicate;

  template <class I, multipass_by<I> S, class O, class Pred, projects<I> Proj = std::identity>
    requires copies_of<O, I> && selects<Pred, I, Proj>
  O operator()(grain g, I first, S last, O out, Pred pred, Proj proj = {}) const {
    return copy_where<false>(g, first, last, out, pred, proj);
  }
};

struct remove_copy_function {
  static constexpr auto kind = algorithm_kind::other;

  template <class I, multipass_by<I> S, class O, class T, projects<I> Proj = std::identity>
    requires copies_of<O, I> && compares_with<T, I, Proj>
  O operator()(grain g, I first, S last, O out, const T& value, Proj proj = {}) const {
    return copy_where<false>(g, first, last, out, equal_to_value<T>{value}, proj);
  }
};

}  // namespace algorithm_detail

/// Copies the elements of a range for which pred(proj(element)) holds, in their order:
/// copy_if(range, out, pred, proj = {}) or copy_if(first, last, out, pred, proj = {}).
/// \code
/// std::vector<int> v{3, 1, 4, 1, 5}, out(v.size());
/// out.erase(nopal::copy_if(v, out.begin(), [](int x) { return x > 2; }), out.end());
/// \endcode
///
/// \param range  as with for_each: one without random access or a known size is walked first; the
/// same goes for first and last.
/// \param out  a random-access iterator to places enough for what is copied; nothing is written
/// behind that. It must not overlap the range.
/// \param pred, proj  called by several workers at once, as const; pred exactly once for each
/// element. Tasks are as with for_each.
/// \returns the end of what was written.
/// \throws whatever pred, proj or the assignment throws; if several calls throw, the exception of
/// the first in order among those that ran. Of the output some elements may then have been
/// assigned. std::bad_alloc if there is no memory for what a thief has found. If the range is
/// walked, also what for_each says.
/// Thread-safety: call it anywhere; on a thread that is no worker it runs on the default runtime.
/// Complexity: n calls and, of what is copied, an assignment each; a span of O(log n) forks and of
/// O(log n) blocks for each stretch, which is a million elements or 8 MiB. Small plain elements are
/// written without a branch on what pred says. Memory only for what was stolen, at most for half a
/// stretch and each thief: a bit for each element, or the values if they are small.
/// Source: a scan in one pass as in docs/algorithm.md; std::ranges::copy_if.
NOPAL_HIDDEN inline constexpr algorithm_detail::checked_call<algorithm_detail::copy_if_function>
    copy_if{};

/// Copies the elements of a range for which pred(proj(element)) does not hold:
/// remove_copy_if(range, out, pred, proj = {}) is copy_if with the opposite predicate.
/// \code
/// std::vector<int> v{3, 1, 4, 1, 5}, out(v.size());
/// out.erase(nopal::remove_copy_if(v, out.begin(), [](int x) { return x > 2; }), out.end());
/// \endcode
/// \param range, out, pred, proj  as with copy_if.
/// \returns the end of what was written.
/// \throws what copy_if does.
/// Thread-safety: as copy_if.
/// Complexity: as copy_if.
/// Source: std::ranges::remove_copy_if.
NOPAL_HIDDEN inline constexpr algorithm_detail::checked_call<
    algorithm_detail::remove_copy_if_function>
    remove_copy_if{};

/// Copies the elements of a range that are not equal to a value: remove_copy(range, out, value,
/// proj = {}) is remove_copy_if for proj(element) == value.
/// \code
/// std::vector<int> v{3, 1, 4, 1, 5}, out(v.size());
/// out.erase(nopal::remove_copy(v, out.begin(), 1), out.end());
/// \endcode
/// \param range, out, proj  as with copy_if.
/// \param value  compared with elements by several workers at once.
/// \returns the end of what was written.
/// \throws what copy_if does, or whatever the comparison throws.
/// Thread-safety: as copy_if.
/// Complexity: as copy_if.
/// Source: std::ranges::remove_copy.
NOPAL_HIDDEN inline constexpr algorithm_detail::checked_call<algorithm_detail::remove_copy_function>
    remove_copy{};

}  // namespace parallel
}  // namespace nopal
