// SPDX-License-Identifier: Apache-2.0
// This reduces one block of two ranges, without forks.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <ranges>
#include <type_traits>
#include <utility>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/both.hpp"
#include "nopal/detail/algorithm/elements.hpp"
#include "nopal/detail/algorithm/fold_lanes.hpp"
#include "nopal/detail/algorithm/fold_leaf.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

/// What an operation makes of a T and of what a transformation makes of two elements.
template <class T, class Reduce, class Transform, class I1, class I2>
using product_sum = std::decay_t<detail::result_to_end<
    const Reduce&, T,
    detail::result_to_end<const Transform&, std::iter_reference_t<I1>, std::iter_reference_t<I2>>>>;

/// Whether numbers that lie in rows are reduced by operations that a vector has, of which the one
/// that reduces them commutes.
template <class U, class I1, class I2, class Reduce, class Transform>
inline constexpr bool products_of_numbers =
    std::is_arithmetic_v<U> && numbers_in_a_row<I1> && numbers_in_a_row<I2> &&
    commutes_on_numbers<Reduce> &&
    (commutes_on_numbers<Transform> || is_one_of<Transform, std::minus>);

/// Deals the products out in turns, as fold_in_lanes() does.
template <class U, class I, class Sum, class Product>
U products_in_lanes(I at, std::ptrdiff_t n, const Sum& sum, const Product& product) {
  constexpr std::size_t lanes = 128 / sizeof(U);
  const auto* p = at.first;
  const auto* q = at.second;
  const auto size = static_cast<std::size_t>(n);
  std::array<U, lanes> partial{};
  std::size_t i = 0;
  if (size < 2 * lanes) {
    partial[0] = static_cast<U>(product(p[0], q[0]));
    i = 1;
  } else {
    for (std::size_t k = 0; k < lanes; ++k) partial[k] = static_cast<U>(product(p[k], q[k]));
    for (i = lanes; i + lanes <= size; i += lanes)
      for (std::size_t k = 0; k < lanes; ++k)
        partial[k] = static_cast<U>(sum(partial[k], product(p[i + k], q[i + k])));
    for (std::size_t half = lanes / 2; half > 0; half /= 2)
      for (std::size_t k = 0; k < half; ++k)
        partial[k] = static_cast<U>(sum(partial[k], partial[k + half]));
  }
  for (; i < size; ++i) partial[0] = static_cast<U>(sum(partial[0], product(p[i], q[i])));
  return partial[0];
}

/// Reduces a block that is not empty. Elements that are reached at random are folded as those of
/// one range are, by their numbers.
template <class U, bool Numbers, class I, class Sum, class Product>
U product_leaf(I at, std::ptrdiff_t n, const Sum& sum, const Product& product) {
  if constexpr (Numbers) {
    return products_in_lanes<U>(at, n, sum, product);
  } else if constexpr (moves_freely<I>) {
    return fold_block<U>(std::ranges::iota_view<std::ptrdiff_t, std::ptrdiff_t>(0, n).begin(), n,
                         sum, [&](std::ptrdiff_t i) -> decltype(auto) {
                           const I x = advanced(at, i);
                           return std::invoke(product, *x.first, *x.second);
                         });
  } else {
    U total(std::invoke(product, *at.first, *at.second));
    while (--n != 0) {
      ++at;
      total = static_cast<U>(
          std::invoke(sum, std::move(total), std::invoke(product, *at.first, *at.second)));
    }
    return total;
  }
}

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
