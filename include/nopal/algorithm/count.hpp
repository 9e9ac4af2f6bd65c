// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <iterator>
#include <type_traits>

#include "nopal/algorithm/find.hpp"
#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/checked_call.hpp"
#include "nopal/detail/algorithm/cut.hpp"
#include "nopal/detail/algorithm/elements.hpp"
#include "nopal/detail/algorithm/parts.hpp"
#include "nopal/detail/algorithm/search/first_true.hpp"
#include "nopal/detail/algorithm/search/windows.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

/// Returns for how many elements of a block test(iterator) is true. Numbers are counted in lanes as
/// wide as they are, a few thousand at a time, or as many as fit a byte.
template <class I, class Test>
std::ptrdiff_t number_of_true(I at, std::ptrdiff_t n, const Test& test) {
  std::ptrdiff_t total = 0;
  std::ptrdiff_t i = 0;
  if constexpr (test_of_numbers<Test> && moves_freely<I>) {
    using lane = typename Test::mask;
    constexpr std::ptrdiff_t at_once = sizeof(lane) == 1 ? 128 : 4096;
    while (i < n) {
      const std::ptrdiff_t to = std::min(n, i + at_once);
      lane some = 0;
      for (; i < to; ++i) some = static_cast<lane>(some + lane{test(advanced(at, i))});
      total += static_cast<std::ptrdiff_t>(some);
    }
  } else if constexpr (moves_freely<I>) {
    for (; i < n; ++i) total += std::ptrdiff_t{test(advanced(at, i))};
  } else {
    for (; i < n; step_on(at, n - ++i)) total += std::ptrdiff_t{test(at)};
  }
  return total;
}

/// Returns for how many elements test(iterator) is true. The sum of integers is the same in any
/// order, so the blocks add to it as they end.
template <class Elements, class Test>
std::ptrdiff_t number_where(const Elements& all, const Test& test) {
  if (all.size <= 0) return 0;
  // Relaxed: the join of the blocks orders what they add before what is read.
  std::atomic<std::ptrdiff_t> total{0};
  for_each_in_windows(all.size, all.policy.elements, cost_of<Test>, [&](part p) {
    total.fetch_add(number_of_true(advanced(all.first, p.from), p.size(), test),
                    std::memory_order_relaxed);
  });
  return total.load(std::memory_order_relaxed);
}

struct count_function {
  static constexpr auto kind = algorithm_kind::other;
  static constexpr std::size_t function_at = 2;  // {} is a projection

  template <class I, multipass_by<I> S, class T, projects<I> Proj = std::identity>
    requires equals_element<T, I, Proj>
  std::iter_difference_t<I> operator()(grain g, I first, S last, const T& value,
                                       Proj proj = {}) const {
    decltype(auto) projection = projection_to_end<I>(proj);
    return static_cast<std::iter_difference_t<I>>(
        number_where(cut(g, first, last), test_for_value<I>(value, projection)));
  }
};

struct count_if_function {
  static constexpr auto kind = algorithm_kind::predicate;

  template <class I, multipass_by<I> S, class Pred, projects<I> Proj = std::identity>
    requires tells_of<Pred, I, Proj>
  std::iter_difference_t<I> operator()(grain g, I first, S last, Pred pred, Proj proj = {}) const {
    decltype(auto) to_its_end = each_to_end<I, Proj>(pred);
    decltype(auto) projection = projection_to_end<I>(proj);
    using test = predicate_test<true, std::remove_cvref_t<decltype(to_its_end)>,
                                std::remove_cvref_t<decltype(projection)>>;
    return static_cast<std::iter_difference_t<I>>(
        number_where(cut(g, first, last), test{to_its_end, projection}));
  }
};

}  // namespace algorithm_detail

/// Returns for how many elements pred(proj(element)) is true: count_if(range, pred, proj = {}) or
/// count_if(first, last, pred, proj = {}), each also with nopal::grain{n} as the first argument,
/// and with two integers.
/// \code
/// std::vector<int> v(1000, 2);
/// auto odd = nopal::count_if(v, [](int x) { return x % 2 != 0; });
/// auto twos = nopal::count(v, 2);
/// auto squares = nopal::count_if(0, 1000, [](int i) { return i % 7 == 0; });
/// \endcode
///
/// \param range  as with for_each; the same goes for first and last.
/// \param pred, proj  called by several workers at once, as const, once for each element. Tasks are
/// as with for_each.
/// \throws as for_each.
/// Thread-safety: call it anywhere; on a thread that is no worker it runs on the default runtime,
/// unless it compares a few thousand numbers.
/// Complexity: n calls. Forks, and for a range that is walked steps and memory, are as with
/// for_each. Numbers that are compared with a number by count() are compared by the vector.
/// Source: as for_each.
NOPAL_HIDDEN inline constexpr algorithm_detail::checked_call<algorithm_detail::count_if_function>
    count_if{};

/// count(range, value, proj = {}) returns for how many elements proj(element) == value. Everything
/// else is as with count_if.
NOPAL_HIDDEN inline constexpr algorithm_detail::checked_call<algorithm_detail::count_function>
    count{};

}  // namespace parallel
}  // namespace nopal
