// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <type_traits>
#include <vector>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/checked_call.hpp"
#include "nopal/detail/algorithm/cut.hpp"
#include "nopal/detail/algorithm/elements.hpp"
#include "nopal/detail/algorithm/ordered/kept_elements.hpp"
#include "nopal/detail/algorithm/ordered/parts.hpp"
#include "nopal/detail/algorithm/ordered/values.hpp"
#include "nopal/detail/algorithm/ordered/vector.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

template <class T, class Elements, class Test>
void append_kept(const Elements& all, const Test& test, std::vector<T>& to) {
  using first = std::remove_cvref_t<decltype(all.first)>;
  const auto run = [&](const auto& work) {
    ordered_output(work, all.policy.elements, sizeof(T)).run(all.size);
  };
  if (all.size <= 0) return;
  if constexpr (splittable_by<first, first>) {
    if constexpr (plain_values<first>)
      return run(values<first, Test, appended<T>, nowhere>(all.first, test, {&to}, {}));
    else
      return run(appends<first, Test, T>(all.first, test, to));
  } else {
    return run(appends<first, Test, T>(all.first, test, to));
  }
}

struct filter_function {
  static constexpr auto kind = algorithm_kind::predicate;

  template <class I, multipass_by<I> S, class Pred, projects<I> Proj = std::identity>
    requires std::constructible_from<std::iter_value_t<I>, std::iter_reference_t<I>> &&
             std::movable<std::iter_value_t<I>> && selects<Pred, I, Proj>
  // This is not inlined, because of what it throws: see held_exception.hpp.
  NOPAL_NOINLINE std::vector<std::iter_value_t<I>> operator()(grain g, I first, S last, Pred pred,
                                                              Proj proj = {}) const {
    const auto& test = each_to_end<I, Proj>(pred);
    const auto& element = projection_to_end<I>(proj);
    using kept =
        kept_if<true, std::remove_cvref_t<decltype(test)>, std::remove_cvref_t<decltype(element)>>;
    std::vector<std::iter_value_t<I>> result;
    append_kept(cut(g, first, last), kept{test, element}, result);
    return result;
  }
};

}  // namespace algorithm_detail

/// Returns the elements of a range for which pred(proj(element)) holds, in their order:
/// filter(range, pred, proj = {}) or filter(first, last, pred, proj = {}).
/// \code
/// std::vector<int> v{3, 1, 4, 1, 5};
/// std::vector<int> large = nopal::filter(v, [](int x) { return x > 2; });
/// \endcode
///
/// \param range, pred, proj  as with copy_if.
/// \returns copies of the elements.
/// \throws whatever pred, proj or the copy throws; if several calls throw, the exception of the
/// first in order among those that ran. std::bad_alloc if there is no memory for the result. If the
/// range is walked, also what for_each says.
/// Thread-safety: call it anywhere; on a thread that is no worker it runs on the default runtime.
/// Complexity: as copy_if, but what thieves have found is appended to the result by one strand. If
/// it is known how many there are at most, copy_if to places that exist is faster.
/// Source: as copy_if.
NOPAL_HIDDEN inline constexpr algorithm_detail::checked_call<algorithm_detail::filter_function>
    filter{};

}  // namespace parallel
}  // namespace nopal
