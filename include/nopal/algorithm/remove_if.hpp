// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <ranges>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/checked_call.hpp"
#include "nopal/detail/algorithm/elements.hpp"
#include "nopal/detail/algorithm/ordered/kept_elements.hpp"
#include "nopal/detail/algorithm/ordered/write_kept.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

// This is not inlined, because of what it throws: see held_exception.hpp.
template <class I, class S, class Pred, class Proj>
NOPAL_NOINLINE std::ranges::subrange<I> remove_where(grain g, I first, S last, const Pred& pred,
                                                     const Proj& proj) {
  const auto& test = each_to_end<I, Proj>(pred);
  const auto& element = projection_to_end<I>(proj);
  using kept =
      kept_if<false, std::remove_cvref_t<decltype(test)>, std::remove_cvref_t<decltype(element)>>;
  const auto n = static_cast<std::ptrdiff_t>(last - first);
  return {advanced(first, move_kept(unwrapped(first), n, g.elements, kept{test, element})),
          advanced(first, n)};
}

struct remove_if_function {
  static constexpr auto kind = algorithm_kind::predicate;

  template <class I, permuted_by<I> S, class Pred, projects<I> Proj = std::identity>
    requires selects<Pred, I, Proj>
  std::ranges::subrange<I> operator()(grain g, I first, S last, Pred pred, Proj proj = {}) const {
    return remove_where(g, first, last, pred, proj);
  }
};

struct remove_function {
  static constexpr auto kind = algorithm_kind::other;

  template <class I, permuted_by<I> S, class T, projects<I> Proj = std::identity>
    requires compares_with<T, I, Proj>
  std::ranges::subrange<I> operator()(grain g, I first, S last, const T& value,
                                      Proj proj = {}) const {
    return remove_where(g, first, last, equal_to_value<T>{value}, proj);
  }
};

}  // namespace algorithm_detail

/// Moves the elements of a range for which pred(proj(element)) does not hold to the beginning of
/// the range, in their order: remove_if(range, pred, proj = {}) or remove_if(first, last, pred,
/// proj =
/// {}). Containers erase what is left.
/// \code
/// std::vector<int> v{3, 1, 4, 1, 5};
/// const auto gone = nopal::remove_if(v, [](int x) { return x < 3; });
/// v.erase(gone.begin(), gone.end());
/// \endcode
///
/// \param range  has random access, a known size, and elements that can be moved; the same goes for
/// first and last.
/// \param pred, proj  called by several workers at once, as const; pred exactly once for each
/// element. Tasks are as with for_each.
/// \returns what is left behind the elements that were moved, as std::ranges::remove_if does.
/// Elements there are valid and of no particular value.
/// \throws whatever pred, proj or a move throws; if several calls throw, the exception of the first
/// in order among those that ran. All elements of the range are then valid. Some may have been
/// moved from, and what they held may be gone. std::bad_alloc if there is no memory for what a
/// thief keeps.
/// Thread-safety: call it anywhere; on a thread that is no worker it runs on the default runtime.
/// Complexity: n calls and at most n moves, two for an element that a thief has found. Span and
/// stretches are as with copy_if. On one worker it takes no memory; on more, memory for the
/// elements that were stolen, at most for half a stretch and each thief.
/// Source: as copy_if; std::ranges::remove_if.
NOPAL_HIDDEN inline constexpr algorithm_detail::checked_call<algorithm_detail::remove_if_function>
    remove_if{};

/// Moves the elements of a range that are not equal to a value to its beginning: remove(range,
/// value, proj = {}) is remove_if for proj(element) == value.
/// \code
/// std::vector<int> v{3, 1, 4, 1, 5};
/// const auto gone = nopal::remove(v, 1);
/// v.erase(gone.begin(), gone.end());
/// \endcode
/// \param range, proj  as with remove_if.
/// \param value  compared with elements by several workers at once. It is no element of the range,
/// which may be moved before the last comparison.
/// \returns what is left behind the elements that were moved.
/// \throws what remove_if does, or whatever the comparison throws.
/// Thread-safety: as remove_if.
/// Complexity: as remove_if.
/// Source: std::ranges::remove.
NOPAL_HIDDEN inline constexpr algorithm_detail::checked_call<algorithm_detail::remove_function>
    remove{};

}  // namespace parallel
}  // namespace nopal
