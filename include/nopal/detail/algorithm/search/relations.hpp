// SPDX-License-Identifier: Apache-2.0
// These test two elements that stand side by side in two ranges, or one behind the other in one.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstring>
#include <functional>
#include <iterator>
#include <type_traits>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/both.hpp"
#include "nopal/detail/algorithm/elements.hpp"
#include "nopal/detail/algorithm/fold_lanes.hpp"
#include "nopal/detail/algorithm/search/first_true.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

/// The comparisons of the standard library. On numbers they have no side effects.
template <class F>
inline constexpr bool compares_numbers =
    is_one_of<F, std::equal_to> || is_one_of<F, std::not_equal_to> || is_one_of<F, std::less> ||
    is_one_of<F, std::greater> || is_one_of<F, std::less_equal> ||
    is_one_of<F, std::greater_equal> || std::same_as<F, std::ranges::equal_to> ||
    std::same_as<F, std::ranges::not_equal_to> || std::same_as<F, std::ranges::less> ||
    std::same_as<F, std::ranges::greater> || std::same_as<F, std::ranges::less_equal> ||
    std::same_as<F, std::ranges::greater_equal>;

/// Whether a relation of projected elements is one of numbers of the same type that lie in rows.
template <class F, class I1, class Proj1, class I2, class Proj2>
inline constexpr bool relates_numbers = [] {
  if constexpr (numbers_in_a_row<I1> && numbers_in_a_row<I2>)
    return compares_numbers<F> && std::same_as<std::iter_value_t<I1>, std::iter_value_t<I2>> &&
           std::same_as<Proj1, std::identity> && std::same_as<Proj2, std::identity>;
  return false;
}();

/// A test of the elements that both{i1, i2} refers to by f(element1, element2); with Swapped by
/// f(element2, element1).
template <bool Wanted, bool Swapped, class F, class Proj1, class Proj2>
struct relation_test {
  const F& f;
  const Proj1& proj1;
  const Proj2& proj2;

  template <class I>
  bool operator()(const I& at) const {
    if constexpr (Swapped)
      return static_cast<bool>(std::invoke(f, std::invoke(proj2, *at.second),
                                           std::invoke(proj1, *at.first))) == Wanted;
    else
      return static_cast<bool>(std::invoke(f, std::invoke(proj1, *at.first),
                                           std::invoke(proj2, *at.second))) == Wanted;
  }
};

/// The same test of numbers, which need no projections.
template <bool Wanted, bool Swapped, class F, class T>
struct number_relation_test {
  using mask = mask_for<T>;

  template <class I>
  bool operator()(const I& at) const {
    const T a = *at.first, b = *at.second;
    return static_cast<bool>(Swapped ? F()(b, a) : F()(a, b)) == Wanted;
  }
  /// The C library compares integers for equality as quickly as anything can.
  template <class I>
  [[nodiscard]] bool false_for(const I& at, std::ptrdiff_t n) const
    requires(!Wanted && std::is_integral_v<T> &&
             (is_one_of<F, std::equal_to> || std::same_as<F, std::ranges::equal_to>))
  {
    return std::memcmp(at.first, at.second, static_cast<std::size_t>(n) * sizeof(T)) == 0;
  }
};

/// Returns such a test for elements of I1 and I2. What it refers to must outlive it.
template <bool Wanted, bool Swapped, class I1, class I2, class F, class Proj1, class Proj2>
constexpr auto relation_of(const F& f, const Proj1& proj1, const Proj2& proj2) {
  if constexpr (relates_numbers<F, I1, Proj1, I2, Proj2>)
    return number_relation_test<Wanted, Swapped, F, std::iter_value_t<I1>>{};
  else
    return relation_test<Wanted, Swapped, F, Proj1, Proj2>{f, proj1, proj2};
}

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
