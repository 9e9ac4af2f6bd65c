// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <iterator>
#include <ranges>
#include <utility>

#include "nopal/detail/elements.hpp"
#include "nopal/detail/parts.hpp"
#include "nopal/grain.hpp"

namespace nopal {
NOPAL_ALGORITHMS {

/// A function that maps elements of I to what can be assigned through O.
template <class F, class I, class O, class Proj>
concept maps = shared_callable<F, algorithm_detail::projected_reference<I, Proj>> && std::random_access_iterator<O> &&
               elements_apart<O> &&
               std::indirectly_writable<O, std::invoke_result_t<const F&, algorithm_detail::projected_reference<I, Proj>>>;

namespace algorithm_detail {

struct map_function {
  template <algorithm_policy P, class I, splittable_by<I> S, class O, class F, projects<I> Proj = std::identity>
    requires maps<F, I, O, Proj>
  O operator()(P policy, I first, S last, O out, F f, Proj proj = {}) const {
    return run(policy, first, static_cast<std::ptrdiff_t>(last - first), out, f, proj);
  }
  template <class I, splittable_by<I> S, class O, class F, projects<I> Proj = std::identity>
    requires maps<F, I, O, Proj>
  O operator()(I first, S last, O out, F f, Proj proj = {}) const {
    return run(grain{}, first, static_cast<std::ptrdiff_t>(last - first), out, f, proj);
  }
  template <algorithm_policy P, splittable_range R, class O, class F,
            projects<std::ranges::iterator_t<R>> Proj = std::identity>
    requires maps<F, std::ranges::iterator_t<R>, O, Proj>
  O operator()(P policy, R&& range, O out, F f, Proj proj = {}) const {
    return run(policy, std::ranges::begin(range), static_cast<std::ptrdiff_t>(std::ranges::distance(range)), out, f, proj);
  }
  template <splittable_range R, class O, class F, projects<std::ranges::iterator_t<R>> Proj = std::identity>
    requires maps<F, std::ranges::iterator_t<R>, O, Proj>
  O operator()(R&& range, O out, F f, Proj proj = {}) const {
    return (*this)(grain{}, range, out, std::move(f), std::move(proj));
  }

 private:
  template <class P, class I, class O, class F, class Proj>
  static O run(P policy, I first, std::ptrdiff_t n, O out, const F& f, const Proj& proj) {
    if (n <= 0) return out;
    const auto leaf = [from = unwrapped(first), to = unwrapped(out), &f, &proj](part p) {
      auto in = advanced(from, p.from);
      auto at = advanced(to, p.from);
      for (std::ptrdiff_t left = p.size(); left != 0; --left, ++in, ++at) *at = std::invoke(f, std::invoke(proj, *in));
    };
    for_each_block({0, n}, chosen_grain(policy.elements, n), leaf);
    return advanced(out, n);
  }
};

}  // namespace algorithm_detail

/// map(range, out, f, proj = {}), map(first, last, out, f, proj = {}), each also with nopal::grain{n} before: assigns
/// f(proj(element)) for each element to its place in the range that begins at out.
///
/// \param range  random access, its size known in constant time; first and last likewise.
/// \param out  a random-access iterator; it may be that of the range itself, but must not overlap it otherwise.
/// \param f, proj  called by several workers at once, as const.
/// \returns the end of what was written.
/// \throws what f, proj or the assignment throws: of several that do, the first in order of those that ran.
/// Thread-safety: call it anywhere; from a thread that is no worker it runs on the default runtime.
/// Complexity: n calls; forks as for_each; no allocation.
/// Source: as for_each.
inline constexpr algorithm_detail::map_function map{};

}  // namespace
}  // namespace nopal
