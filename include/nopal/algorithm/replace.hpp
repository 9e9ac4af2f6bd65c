// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
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

template <class I, class Pred, class T, class Proj>
I replace_where(grain g, I first, std::ptrdiff_t n, const Pred& pred, const T& value,
                const Proj& proj) {
  if (n <= 0) return first;
  const auto& test = each_to_end<I, Proj>(pred);
  const auto& element = projection_to_end<I>(proj);
  for_each_block({0, n}, g.elements, [from = unwrapped(first), &test, &element, &value](part p) {
    auto at = advanced(from, p.from);
    for (std::ptrdiff_t left = p.size(); left > 0; --left, ++at)
      if (static_cast<bool>(std::invoke(test, std::invoke(element, *at)))) *at = value;
  });
  return advanced(first, n);
}

struct replace_if_function {
  static constexpr auto kind = algorithm_kind::other;

  template <class I, splittable_by<I> S, class Pred, class T, projects<I> Proj = std::identity>
    requires elements_apart<I> && std::indirectly_writable<I, const T&> && selects<Pred, I, Proj>
  I operator()(grain g, I first, S last, Pred pred, const T& value, Proj proj = {}) const {
    return replace_where(g, first, static_cast<std::ptrdiff_t>(last - first), pred, value, proj);
  }
};

struct replace_function {
  static constexpr auto kind = algorithm_kind::other;

  template <class I, splittable_by<I> S, class Old, class T, projects<I> Proj = std::identity>
    requires elements_apart<I> && std::indirectly_writable<I, const T&> &&
             compares_with<Old, I, Proj>
  I operator()(grain g, I first, S last, const Old& old, const T& value, Proj proj = {}) const {
    return replace_where(g, first, static_cast<std::ptrdiff_t>(last - first),
                         equal_to_value<Old>{old}, value, proj);
  }
};

struct replace_copy_if_function {
  static constexpr auto kind = algorithm_kind::other;
  static constexpr std::size_t function_at = 1;

  template <class I, multipass_by<I> S, copies_of<I> O, class Pred, class T,
            projects<I> Proj = std::identity>
    requires std::indirectly_writable<O, const T&> && selects<Pred, I, Proj>
  O operator()(grain g, I first, S last, O out, Pred pred, const T& value, Proj proj = {}) const {
    return run(cut(g, first, last), out, each_to_end<I, Proj>(pred), value,
               projection_to_end<I>(proj));
  }

 private:
  template <class Elements, class O, class Pred, class T, class Proj>
  static O run(const Elements& all, O out, const Pred& pred, const T& value, const Proj& proj) {
    if (all.size <= 0) return out;
    for_each_block({0, all.size}, all.policy.elements,
                   [first = all.first, to = unwrapped(out), &pred, &value, &proj](part p) {
                     auto from = advanced(first, p.from);
                     auto at = advanced(to, p.from);
                     for (std::ptrdiff_t left = p.size(); left != 0; step_on(from, --left), ++at) {
                       if (static_cast<bool>(std::invoke(pred, std::invoke(proj, *from))))
                         *at = value;
                       else
                         *at = *from;
                     }
                   });
    return advanced(out, all.size);
  }
};

}  // namespace algorithm_detail

/// Assigns a value to the elements of a range for which pred(proj(element)) holds:
/// replace_if(range, pred, value, proj = {}) or replace_if(first, last, pred, value, proj = {}).
/// \code
/// std::vector<int> v{3, -1, 4, -1, 5};
/// nopal::replace_if(v, [](int x) { return x < 0; }, 0);
/// \endcode
/// \param range  has random access and a known size; the same goes for first and last.
/// \param pred, proj  called by several workers at once, as const. Tasks are as with for_each.
/// \param value  no element of the range.
/// \returns the end of the range.
/// \throws whatever pred, proj or an assignment throws; if several throw, the exception of the
/// first in order among those that ran. Other elements may or may not have been replaced.
/// Thread-safety: call it anywhere; on a thread that is no worker it runs on the default runtime.
/// Complexity: n calls and at most n assignments. Forks are as with for_each.
/// Source: as for_each.
NOPAL_HIDDEN inline constexpr algorithm_detail::checked_call<algorithm_detail::replace_if_function>
    replace_if{};

/// Assigns a value to the elements of a range that are equal to another: replace(range, old, value,
/// proj = {}) is replace_if for proj(element) == old.
/// \code
/// std::vector<int> v{3, -1, 4, -1, 5};
/// nopal::replace(v, -1, 0);
/// \endcode
/// \param range, value, proj  as with replace_if.
/// \param old  compared with elements by several workers at once; no element of the range.
/// \returns the end of the range.
/// \throws what replace_if does, or whatever the comparison throws.
/// Thread-safety: as replace_if.
/// Complexity: as replace_if.
/// Source: as for_each.
NOPAL_HIDDEN inline constexpr algorithm_detail::checked_call<algorithm_detail::replace_function>
    replace{};

/// Copies the elements of a range, but a value for those for which pred(proj(element)) holds:
/// replace_copy_if(range, out, pred, value, proj = {}) or replace_copy_if(first, last, out, pred,
/// value, proj = {}).
/// \code
/// std::vector<int> v{3, -1, 4, -1, 5}, out(v.size());
/// nopal::replace_copy_if(v, out.begin(), [](int x) { return x < 0; }, 0);
/// \endcode
/// \param range, out  as with map; out may be the beginning of the range.
/// \param pred, value, proj  as with replace_if.
/// \returns the end of what was written.
/// \throws what replace_if does. If the range is walked, also what for_each says.
/// Thread-safety: as replace_if.
/// Complexity: n calls and n assignments. Forks, and for a range that is walked steps and memory,
/// are as with for_each.
/// Source: as for_each.
NOPAL_HIDDEN inline constexpr algorithm_detail::checked_call<
    algorithm_detail::replace_copy_if_function>
    replace_copy_if{};

}  // namespace parallel
}  // namespace nopal
