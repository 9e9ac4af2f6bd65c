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
namespace algorithm_detail {

struct for_each_function {
  template <algorithm_policy P, class I, splittable_by<I> S, class F, projects<I> Proj = std::identity>
    requires elements_apart<I> && shared_callable<F, projected_reference<I, Proj>>
  void operator()(P policy, I first, S last, F f, Proj proj = {}) const {
    run(policy, unwrapped(first), static_cast<std::ptrdiff_t>(last - first), f, proj);
  }
  template <class I, splittable_by<I> S, class F, projects<I> Proj = std::identity>
    requires elements_apart<I> && shared_callable<F, projected_reference<I, Proj>>
  void operator()(I first, S last, F f, Proj proj = {}) const {
    run(grain{}, unwrapped(first), static_cast<std::ptrdiff_t>(last - first), f, proj);
  }
  template <algorithm_policy P, splittable_range R, class F, projects<std::ranges::iterator_t<R>> Proj = std::identity>
    requires elements_apart<std::ranges::iterator_t<R>> &&
             shared_callable<F, projected_reference<std::ranges::iterator_t<R>, Proj>>
  void operator()(P policy, R&& range, F f, Proj proj = {}) const {
    run(policy, unwrapped(std::ranges::begin(range)), static_cast<std::ptrdiff_t>(std::ranges::distance(range)), f, proj);
  }
  template <splittable_range R, class F, projects<std::ranges::iterator_t<R>> Proj = std::identity>
    requires elements_apart<std::ranges::iterator_t<R>> &&
             shared_callable<F, projected_reference<std::ranges::iterator_t<R>, Proj>>
  void operator()(R&& range, F f, Proj proj = {}) const {
    (*this)(grain{}, range, std::move(f), std::move(proj));
  }

 private:
  template <class P, class I, class F, class Proj>
  static void run(P policy, I first, std::ptrdiff_t n, const F& f, const Proj& proj) {
    if (n <= 0) return;
    for_each_block({0, n}, chosen_grain(policy.elements, n), [first, &f, &proj](part p) {
      I at = advanced(first, p.from);
      for (std::ptrdiff_t left = p.size(); left != 0; --left, ++at) std::invoke(f, std::invoke(proj, *at));
    });
  }
};

}  // namespace algorithm_detail

/// for_each(range, f, proj = {}), for_each(first, last, f, proj = {}), each also with nopal::grain{n} before: calls
/// f(proj(element)) for all elements, maybe at the same time. On one worker they come in order.
///
/// \param range  random access, its size known in constant time; first and last likewise.
/// \param f, proj  called by several workers at once, as const; what f returns is dropped.
/// \throws what f or proj throws: of several that do, the first in order of those that ran. Elements after it may or may
/// not have been visited.
/// Thread-safety: call it anywhere; from a thread that is no worker it runs on the default runtime.
/// Complexity: n calls; at most 256 forks, or one for 2048 elements, or one for each grain; no allocation.
/// Source: recursive halving, as parallel loops on fork-join have been since Cilk.
inline constexpr algorithm_detail::for_each_function for_each{};

}  // namespace
}  // namespace nopal
