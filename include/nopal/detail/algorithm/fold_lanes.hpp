// SPDX-License-Identifier: Apache-2.0
// This folds one block of numbers by an operation that commutes.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <type_traits>

#include "nopal/detail/algorithm/elements.hpp"
#include "nopal/detail/algorithm/fold_leaf.hpp"
#include "nopal/detail/algorithm/parts.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

template <class Op, template <class> class... Known>
inline constexpr bool is_one_of = false;

template <template <class> class Known, class T>
inline constexpr bool is_one_of<Known<T>, Known> = true;

template <class Op>
inline constexpr bool commutes_on_numbers =
    is_one_of<Op, std::plus> || is_one_of<Op, std::multiplies> || is_one_of<Op, std::bit_and> ||
    is_one_of<Op, std::bit_or> || is_one_of<Op, std::bit_xor>;

template <class I>
concept numbers_in_a_row =
    std::contiguous_iterator<I> && std::is_arithmetic_v<std::iter_value_t<I>>;

/// Whether numbers are folded that lie in memory as they are.
template <class U, class I, class Proj>
inline constexpr bool folds_numbers =
    std::is_arithmetic_v<U> && numbers_in_a_row<I> && std::same_as<Proj, std::identity>;

/// Whether neither the order nor the bracketing makes a difference except for rounding, and the
/// elements lie in a row for vector instructions. A lambda might do anything.
template <class U, class I, class Op, class Proj>
inline constexpr bool in_any_order = folds_numbers<U, I, Proj> && commutes_on_numbers<Op>;

/// How long the blocks of folds and scans may be. Fewer than 512 numbers are not worth a fork. If
/// numbers come as fast as memory gives them, each end of a block costs some 100 ns of the 700 that
/// 2048 doubles take. Nobody knows how long other operations take.
template <class U, class I, class Op, class Proj>
NOPAL_HIDDEN inline constexpr block_limits limits_of_fold{
    .least = folds_numbers<U, I, Proj> ? 512 : block_limits{}.least,
    .most = in_any_order<U, I, Op, Proj> ? 16384 : block_limits{}.most};

/// Deals the elements out in turns to as many partial results as fill two cache lines: compilers
/// make vectors of them, so many that none waits for the last operation on it.
template <class U, class I, class Op>
U fold_in_lanes(I first, std::size_t n, const Op& op) {
  constexpr std::size_t lanes = 128 / sizeof(U);
  const auto* p = std::to_address(first);
  std::array<U, lanes> partial{};
  std::size_t i = 0;
  if (n < 2 * lanes) {
    partial[0] = static_cast<U>(p[i++]);
  } else {
    for (std::size_t k = 0; k < lanes; ++k) partial[k] = static_cast<U>(p[k]);
    for (i = lanes; i + lanes <= n; i += lanes)
      for (std::size_t k = 0; k < lanes; ++k) partial[k] = static_cast<U>(op(partial[k], p[i + k]));
    for (std::size_t half = lanes / 2; half > 0; half /= 2)
      for (std::size_t k = 0; k < half; ++k)
        partial[k] = static_cast<U>(op(partial[k], partial[k + half]));
  }
  for (; i < n; ++i) partial[0] = static_cast<U>(op(partial[0], p[i]));
  return partial[0];
}

/// Folds a block that is not empty.
template <class U, class I, class Op, class Proj>
U fold_leaf(I first, std::ptrdiff_t n, const Op& op, const Proj& proj) {
  if constexpr (in_any_order<U, I, Op, Proj>)
    return fold_in_lanes<U>(first, static_cast<std::size_t>(n), op);
  else
    return fold_block<U>(first, n, op, proj);
}

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
