// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <iterator>
#include <optional>
#include <ranges>
#include <utility>

#include "nopal/detail/elements.hpp"
#include "nopal/detail/fold_lanes.hpp"
#include "nopal/detail/fold_leaf.hpp"
#include "nopal/detail/parts.hpp"
#include "nopal/grain.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

/// The fold of a part that is not empty.
template <class U, class I, class Op, class Proj>
U fold_part(I first, part p, std::ptrdiff_t grain, const Op& op, const Proj& proj) {
  if (p.size() <= grain) return fold_leaf<U>(advanced(first, p.from), p.size(), op, proj);
  const std::ptrdiff_t middle = p.middle(grain);
  std::optional<U> left, right;
  parallel_invoke([&] { left.emplace(fold_part<U>(first, part{p.from, middle}, grain, op, proj)); },
                  [&] { right.emplace(fold_part<U>(first, part{middle, p.to}, grain, op, proj)); });
  return combined<U>(op, *std::move(left), *std::move(right));
}

struct fold_function {
  template <algorithm_policy P, class I, splittable_by<I> S, class T, class Op, projects<I> Proj = std::identity>
    requires folds<Op, T, I, Proj>
  auto operator()(P policy, I first, S last, T init, Op op, Proj proj = {}) const {
    return onto<T>(policy, unwrapped(first), static_cast<std::ptrdiff_t>(last - first), std::move(init), op, proj);
  }
  template <class I, splittable_by<I> S, class T, class Op, projects<I> Proj = std::identity>
    requires folds<Op, T, I, Proj>
  auto operator()(I first, S last, T init, Op op, Proj proj = {}) const {
    return onto<T>(grain{}, unwrapped(first), static_cast<std::ptrdiff_t>(last - first), std::move(init), op, proj);
  }
  template <algorithm_policy P, splittable_range R, class T, class Op,
            projects<std::ranges::iterator_t<R>> Proj = std::identity>
    requires folds<Op, T, std::ranges::iterator_t<R>, Proj>
  auto operator()(P policy, R&& range, T init, Op op, Proj proj = {}) const {
    return onto<T>(policy, unwrapped(std::ranges::begin(range)), static_cast<std::ptrdiff_t>(std::ranges::distance(range)),
                   std::move(init), op, proj);
  }
  template <splittable_range R, class T, class Op, projects<std::ranges::iterator_t<R>> Proj = std::identity>
    requires folds<Op, T, std::ranges::iterator_t<R>, Proj>
  auto operator()(R&& range, T init, Op op, Proj proj = {}) const {
    return (*this)(grain{}, range, std::move(init), std::move(op), std::move(proj));
  }

  template <algorithm_policy P, class I, splittable_by<I> S, class Op, projects<I> Proj = std::identity>
    requires folds<Op, typename element_value<I, Proj>::type, I, Proj>
  auto operator()(P policy, I first, S last, Op op, Proj proj = {}) const {
    return alone<typename element_value<I, Proj>::type>(policy, unwrapped(first), static_cast<std::ptrdiff_t>(last - first),
                                                        op, proj);
  }
  template <class I, splittable_by<I> S, class Op, projects<I> Proj = std::identity>
    requires folds<Op, typename element_value<I, Proj>::type, I, Proj>
  auto operator()(I first, S last, Op op, Proj proj = {}) const {
    return (*this)(grain{}, first, last, std::move(op), std::move(proj));
  }
  template <algorithm_policy P, splittable_range R, class Op, projects<std::ranges::iterator_t<R>> Proj = std::identity>
    requires folds<Op, typename element_value<std::ranges::iterator_t<R>, Proj>::type, std::ranges::iterator_t<R>, Proj>
  auto operator()(P policy, R&& range, Op op, Proj proj = {}) const {
    return alone<typename element_value<std::ranges::iterator_t<R>, Proj>::type>(
        policy, unwrapped(std::ranges::begin(range)), static_cast<std::ptrdiff_t>(std::ranges::distance(range)), op, proj);
  }
  template <splittable_range R, class Op, projects<std::ranges::iterator_t<R>> Proj = std::identity>
    requires folds<Op, typename element_value<std::ranges::iterator_t<R>, Proj>::type, std::ranges::iterator_t<R>, Proj>
  auto operator()(R&& range, Op op, Proj proj = {}) const {
    return (*this)(grain{}, range, std::move(op), std::move(proj));
  }

 private:
  template <class U, class P, class I, class Op, class Proj>
  static U all(P policy, I first, std::ptrdiff_t n, const Op& op, const Proj& proj) {
    return fold_part<U>(first, {0, n}, chosen_grain(policy.elements, n, least_fold_grain<U, I, Proj>), op, proj);
  }
  template <class T, class P, class I, class Op, class Proj>
  static auto onto(P policy, I first, std::ptrdiff_t n, T&& init, const Op& op, const Proj& proj) {
    using result = folded_type<T, I, Op, Proj>;
    if (n <= 0) return static_cast<result>(std::move(init));
    result total = all<result>(policy, first, n, op, proj);
    return combined<result>(op, static_cast<result>(std::move(init)), std::move(total));
  }
  template <class T, class P, class I, class Op, class Proj>
  static auto alone(P policy, I first, std::ptrdiff_t n, const Op& op, const Proj& proj) {
    using result = folded_type<T, I, Op, Proj>;
    if (n <= 0) return std::optional<result>();
    return std::optional<result>(all<result>(policy, first, n, op, proj));
  }
};

}  // namespace algorithm_detail

/// fold(range, init, op, proj = {}), fold(first, last, init, op, proj = {}), each also with nopal::grain{n} or
/// nopal::deterministic before: init op x1 op x2 op … op xn, x being the projected elements, in this order and bracketed
/// anyhow. Without init: x1 op … op xn, in a std::optional that is empty where the range is. Numbers in a row in memory that
/// std::plus, std::multiplies, std::bit_and, std::bit_or or std::bit_xor combines are taken in another order too, so that
/// vector instructions do it; these commute, so what that changes is roundings. A lambda keeps the order.
///
/// The bracketing depends on n, on the types and on the grain, never on the number of workers or on who stole what: the
/// result is the same bit for bit each time, in floating point too. nopal::deterministic says that the program relies on
/// it.
///
/// \param range  random access, its size known in constant time; first and last likewise.
/// \param init  the left operand of all, used exactly once; it need not be an identity of op. Its type, or what op makes of
/// it and an element, is the type of all partial results.
/// \param op, proj  called by several workers at once, as const. op is associative; it need not be commutative. It combines
/// partial results with elements and with each other.
/// \returns the result; with n = 0 init, or without init nothing.
/// \throws what op or proj throws: of several that do, the first in order of those that ran.
/// Thread-safety: call it anywhere; from a thread that is no worker it runs on the default runtime.
/// Complexity: n operations; forks as for_each; no allocation.
/// Source: recursive halving; the results are those of std::ranges::fold_left and fold_left_first for an op that is truly
/// associative.
inline constexpr algorithm_detail::fold_function fold{};

}  // namespace
}  // namespace nopal
