// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <iterator>
#include <optional>
#include <utility>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/checked_call.hpp"
#include "nopal/detail/algorithm/cut.hpp"
#include "nopal/detail/algorithm/elements.hpp"
#include "nopal/detail/algorithm/fold_lanes.hpp"
#include "nopal/detail/algorithm/fold_leaf.hpp"
#include "nopal/detail/algorithm/parts.hpp"
#include "nopal/detail/algorithm/reduce/folded_blocks.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

struct fold_function {
  static constexpr auto kind = algorithm_kind::fold;

  template <class P, class I, multipass_by<I> S, class T, class Op,
            projects<I> Proj = std::identity>
    requires folds<Op, T, I, Proj>
  auto operator()(P policy, I first, S last, T init, Op op, Proj proj = {}) const {
    return onto<folded_type<T, I, Op, Proj>>(cut(policy, first, last), std::move(init),
                                             operation_to_end<T, I, Proj>(op),
                                             projection_to_end<I>(proj));
  }
  template <class P, class I, multipass_by<I> S, class Op, projects<I> Proj = std::identity>
    requires folds<Op, typename element_value<I, Proj>::type, I, Proj>
  auto operator()(P policy, I first, S last, Op op, Proj proj = {}) const {
    using T = typename element_value<I, Proj>::type;
    return alone<folded_type<T, I, Op, Proj>>(
        cut(policy, first, last), operation_to_end<T, I, Proj>(op), projection_to_end<I>(proj));
  }
  template <class P, whole_range R, class T, class Op, class F>
    requires(whole_loops<R>::template takes<F>)
  T operator()(P policy, const R& range, T init, Op op, F f) const {
    return whole_loops<R>::fold(grain{policy.elements}, range, std::move(init), op, f);
  }

 private:
  template <class U, class Elements, class Op, class Proj>
  static U all(const Elements& e, const Op& op, const Proj& proj) {
    constexpr block_limits limits = limits_of_fold<U, decltype(e.first), Op, Proj>;
    return folded_blocks<U>(
        e.size, e.policy.elements, limits,
        [&](part p) { return fold_leaf<U>(advanced(e.first, p.from), p.size(), op, proj); },
        [&](U a, U b) { return combined<U>(op, std::move(a), std::move(b)); });
  }
  template <class U, class Elements, class T, class Op, class Proj>
  static U onto(const Elements& e, T&& init, const Op& op, const Proj& proj) {
    if (e.size <= 0) return static_cast<U>(std::move(init));
    U total = all<U>(e, op, proj);
    return combined<U>(op, static_cast<U>(std::move(init)), std::move(total));
  }
  template <class U, class Elements, class Op, class Proj>
  static std::optional<U> alone(const Elements& e, const Op& op, const Proj& proj) {
    if (e.size <= 0) return {};
    return all<U>(e, op, proj);
  }
};

}  // namespace algorithm_detail

/// Combines all elements of a range: fold(range, init, op, proj = {}) or fold(first, last, init,
/// op, proj = {}), each also with nopal::grain{n} or nopal::deterministic as the first argument or
/// nopal::loop_options as the last, is init op x1 op x2 op … op xn. The x are the projected
/// elements, in this order, with brackets anywhere. Without init it is x1 op … op xn, in a
/// std::optional that is empty if the range is.
///
/// Numbers that lie in a row in memory and are combined by std::plus, std::multiplies,
/// std::bit_and, std::bit_or or std::bit_xor are taken in another order too, so that vector
/// instructions can do it. These operations commute, so this changes nothing but roundings. A
/// lambda keeps the order.
///
/// The brackets depend on n, on the types of the range and of op, and on the grain. They never
/// depend on the number of workers or on what was stolen: the result is the same bit for bit each
/// time, in floating point too. nopal::deterministic says that the program relies on that.
/// \code
/// std::vector<double> v(1000, 0.5);
/// double sum = nopal::fold(v, 0.0, std::plus{});
/// std::optional<double> largest =
///     nopal::fold(v, [](double a, double b) { return a < b ? b : a; });
/// double squares = nopal::fold(v, 0.0, std::plus{}, [](double x) { return x * x; });
/// \endcode
///
/// \param range  as with for_each: one without random access or a known size is walked first; the
/// same goes for first and last.
/// \param init  the left operand of everything, used exactly once; it need not be an identity of
/// op. Its type, or what op makes of it and an element, is the type of all partial results.
/// \param op, proj  called by several workers at once, as const. op is associative; it need not be
/// commutative. It combines partial results with elements and with each other.
/// Tasks are as with for_each.
/// \returns the result; if n is 0, init, or without init nothing.
/// \throws whatever op or proj throws; if several calls throw, the exception of the first in order
/// among those that ran. If the range is walked, also what for_each says.
/// Thread-safety: call it anywhere; on a thread that is no worker it runs on the default runtime.
/// Complexity: n operations. Forks, and for a range that is walked steps and memory, are as with
/// for_each, except that numbers in a row cut no block shorter than 512, and with one of the
/// operations named above blocks of up to 16384.
/// Source: recursive halving; the results are those of std::ranges::fold_left and fold_left_first
/// for an op that is truly associative.
NOPAL_HIDDEN inline constexpr algorithm_detail::checked_call<algorithm_detail::fold_function>
    fold{};

}  // namespace parallel
}  // namespace nopal
