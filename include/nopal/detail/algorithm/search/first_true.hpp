// SPDX-License-Identifier: Apache-2.0
// This searches one block, without forks.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <type_traits>
#include <utility>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/both.hpp"
#include "nopal/detail/algorithm/elements.hpp"
#include "nopal/detail/algorithm/fold_lanes.hpp"
#include "nopal/detail/algorithm/search/windows.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

/// A test of numbers has no side effects, so it may also be made of elements behind the one that is
/// looked for. Its `mask` is the type of number in which the answers are best collected.
template <class Test>
concept test_of_numbers = requires { typename Test::mask; };

template <class Test>
inline constexpr element_cost cost_of =
    test_of_numbers<Test> ? element_cost::least : element_cost::unknown;

/// An integer as wide as T: a comparison of a vector of T makes a vector of these.
template <class T>
using mask_for = std::conditional_t<
    sizeof(T) == 1, std::uint8_t,
    std::conditional_t<sizeof(T) == 2, std::uint16_t,
                       std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>>;

/// A test that says at once that it is false for many elements from an iterator on.
template <class Test, class I>
concept tests_many = requires(const Test& test, const I& at, std::ptrdiff_t n) {
  { test.false_for(at, n) } -> std::same_as<bool>;
};

/// Returns how many elements of a block come before the first for which test(iterator) is true, at
/// most n. Numbers are tested by some cache lines, with one branch for each: vector instructions do
/// that.
template <class I, class Test>
std::ptrdiff_t first_true(I at, std::ptrdiff_t n, const Test& test) {
  std::ptrdiff_t i = 0;
  if constexpr (tests_many<Test, I>) {
    constexpr std::ptrdiff_t many = 512;
    while (i + many <= n && test.false_for(advanced(at, i), many)) i += many;
  }
  if constexpr (test_of_numbers<Test> && moves_freely<I>) {
    constexpr auto step = static_cast<std::ptrdiff_t>(128 / sizeof(typename Test::mask));
    for (; i + step <= n; i += step) {
      typename Test::mask any = 0;
      for (std::ptrdiff_t j = 0; j < step; ++j)
        any = static_cast<typename Test::mask>(any | test(advanced(at, i + j)));
      if (any != 0) break;
    }
  }
  if constexpr (moves_freely<I>) {
    for (; i + 4 <= n; i += 4) {
      if (test(advanced(at, i))) return i;
      if (test(advanced(at, i + 1))) return i + 1;
      if (test(advanced(at, i + 2))) return i + 2;
      if (test(advanced(at, i + 3))) return i + 3;
    }
    for (; i < n; ++i)
      if (test(advanced(at, i))) return i;
  } else {
    for (; i < n; step_on(at, n - ++i))
      if (test(at)) return i;
  }
  return n;
}

/// A function whose answer can be used as a condition.
template <class F, class... X>
concept tells = shared_callable<F, X...> && requires {
  requires std::convertible_to<detail::result_to_end<const F&, X...>, bool>;
};

template <class F, class I, class Proj>
concept tells_of = projects<Proj, I> && tells<F, projected_reference<I, Proj>>;

/// A comparison of elements of two ranges, in both orders.
template <class F, class I1, class Proj1, class I2 = I1, class Proj2 = Proj1>
concept tells_of_both = projects<Proj1, I1> && projects<Proj2, I2> &&
                        tells<F, projected_reference<I1, Proj1>, projected_reference<I2, Proj2>>;

/// A test of an element by a predicate.
template <bool Wanted, class Pred, class Proj>
struct predicate_test {
  const Pred& pred;
  const Proj& proj;

  template <class I>
  bool operator()(const I& at) const {
    return static_cast<bool>(std::invoke(pred, std::invoke(proj, *at))) == Wanted;
  }
};

template <class T, class Proj>
struct value_test {
  const T& value;
  const Proj& proj;

  template <class I>
  bool operator()(const I& at) const {
    return std::invoke(proj, *at) == value;
  }
};

template <class T>
struct number_test {
  T value;
  using mask = mask_for<T>;

  template <class I>
  bool operator()(const I& at) const {
    return *at == value;
  }
};

/// Returns a test of whether a projected element of I equals a value. The value of a number is the
/// number as an element of I, if it can be one.
template <class I, class T, class Proj>
constexpr auto test_for_value(const T& value, const Proj& proj) {
  if constexpr (numbers_in_a_row<I> && std::same_as<Proj, std::identity> &&
                std::same_as<T, std::iter_value_t<I>>)
    return number_test<T>{value};
  else
    return value_test<T, Proj>{value, proj};
}

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
