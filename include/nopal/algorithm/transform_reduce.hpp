// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <ranges>
#include <type_traits>
#include <utility>

#include "nopal/algorithm/fold.hpp"
#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/both.hpp"
#include "nopal/detail/algorithm/checked_call.hpp"
#include "nopal/detail/algorithm/cut.hpp"
#include "nopal/detail/algorithm/elements.hpp"
#include "nopal/detail/algorithm/fold_lanes.hpp"
#include "nopal/detail/algorithm/fold_leaf.hpp"
#include "nopal/detail/algorithm/reduce/folded_blocks.hpp"
#include "nopal/detail/algorithm/reduce/product_leaf.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

template <class Transform, class I1, class I2>
using product_of =
    detail::result_to_end<const Transform&, std::iter_reference_t<I1>, std::iter_reference_t<I2>>;

/// An operation that reduces what a transformation makes of the elements of two ranges to a T.
template <class Reduce, class T, class Transform, class I1, class I2>
concept reduces_products =
    shared_callable<Transform, std::iter_reference_t<I1>, std::iter_reference_t<I2>> &&
    shared_callable<Reduce, T, product_of<Transform, I1, I2>> &&
    requires { typename product_sum<T, Reduce, Transform, I1, I2>; } &&
    std::movable<product_sum<T, Reduce, Transform, I1, I2>> &&
    std::constructible_from<product_sum<T, Reduce, Transform, I1, I2>,
                            product_of<Transform, I1, I2>> &&
    std::convertible_to<T, product_sum<T, Reduce, Transform, I1, I2>> &&
    combines<Reduce, product_sum<T, Reduce, Transform, I1, I2>>;

struct transform_reduce_function {
  static constexpr auto kind = algorithm_kind::other;

  template <class P, class I, multipass_by<I> S, class T, class Reduce, projects<I> Transform>
    requires folds<Reduce, T, I, Transform>
  auto operator()(P policy, I first, S last, T init, Reduce reduce, Transform transform) const {
    return fold_function{}(policy, std::move(first), std::move(last), std::move(init),
                           std::move(reduce), std::move(transform));
  }
  template <class P, class I1, multipass_beside_by<I1> S1, class I2, multipass_beside_by<I2> S2,
            class T, class Reduce = std::plus<>, class Transform = std::multiplies<>>
    requires one_has_an_end<S1, S2> && reduces_products<Reduce, T, Transform, I1, I2>
  auto operator()(P policy, I1 first1, S1 last1, I2 first2, S2 last2, T init, Reduce reduce = {},
                  Transform transform = {}) const {
    using U = product_sum<T, Reduce, Transform, I1, I2>;
    const auto all = cut_both(policy, first1, last1, first2, last2);
    decltype(auto) product =
        to_end<std::iter_reference_t<I1>, std::iter_reference_t<I2>>(transform);
    decltype(auto) sum = to_end<T, product_of<Transform, I1, I2>>(reduce);
    if (all.size <= 0) return static_cast<U>(std::move(init));
    constexpr bool numbers = products_of_numbers<U, I1, I2, Reduce, Transform>;
    constexpr block_limits limits{.least = numbers ? 512 : 1, .most = numbers ? 16384 : 2048};
    U total = folded_blocks<U>(
        all.size, all.policy.elements, limits,
        [&](part p) {
          return product_leaf<U, numbers>(advanced(all.first, p.from), p.size(), sum, product);
        },
        [&](U a, U b) { return combined<U>(sum, std::move(a), std::move(b)); });
    return combined<U>(sum, static_cast<U>(std::move(init)), std::move(total));
  }
};

}  // namespace algorithm_detail

/// Reduces what a function makes of the elements: transform_reduce(range, init, reduce, transform)
/// or transform_reduce(first, last, init, reduce, transform) is fold(range, init, reduce,
/// transform), by the name and in the order of arguments of the standard.
///
/// transform_reduce(range1, range2, init, reduce = std::plus{}, transform = std::multiplies{}) or
/// transform_reduce(first1, last1, first2, last2, init, reduce, transform) takes two ranges. It
/// reduces transform(element1, element2) for each element of the shorter range and the element of
/// the other in the same place: without operations it is the inner product. One may have no end.
/// All forms take nopal::grain{n} or nopal::deterministic as the first argument.
///
/// The brackets are fixed as with fold, so the result is the same bit for bit each time. Unlike
/// with std::transform_reduce the order is kept, except for the sums of products of numbers that
/// lie in rows, which are added up by the vector.
/// \code
/// std::vector<double> a(1000, 0.5), b(1000, 2.0);
/// double product = nopal::transform_reduce(a, b, 0.0);
/// double squares = nopal::transform_reduce(a, 0.0, std::plus{}, [](double x) { return x * x; });
/// \endcode
///
/// \param range, range1, range2  as with map; the same goes for the iterators.
/// \param init  the left operand of everything, used exactly once, as with fold.
/// \param reduce  associative; it need not be commutative. It combines partial results with what
/// transform returns, and with each other.
/// \param transform  called once for each element, or each two. Both functions are called by
/// several workers at once, as const. Tasks are as with for_each.
/// \returns the result; if there is no element, init.
/// \throws as fold.
/// Thread-safety: call it anywhere; on a thread that is no worker it runs on the default runtime.
/// Complexity: as with fold.
/// Source: as fold.
NOPAL_HIDDEN inline constexpr algorithm_detail::checked_call<
    algorithm_detail::transform_reduce_function>
    transform_reduce{};

}  // namespace parallel
}  // namespace nopal
