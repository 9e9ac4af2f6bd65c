// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <utility>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/blocks.hpp"
#include "nopal/detail/algorithm/checked_call.hpp"
#include "nopal/detail/algorithm/elements.hpp"
#include "nopal/detail/algorithm/parts.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

template <class I, class T>
concept filled_with =
    std::random_access_iterator<I> && elements_apart<I> && std::indirectly_writable<I, const T&>;

template <class I, class T>
I fill_elements(grain g, I first, std::ptrdiff_t n, const T& value) {
  if (n <= 0) return first;
  for_each_block({0, n}, g.elements, [to = unwrapped(first), &value](part p) {
    std::fill(advanced(to, p.from), advanced(to, p.to), value);
  });
  return advanced(first, n);
}

struct fill_function {
  static constexpr auto kind = algorithm_kind::other;

  template <class I, splittable_by<I> S, class T>
    requires filled_with<I, T>
  I operator()(grain g, I first, S last, const T& value) const {
    return fill_elements(g, first, static_cast<std::ptrdiff_t>(last - first), value);
  }
};

struct fill_n_function {
  static constexpr auto kind = algorithm_kind::other;

  template <class I, std::integral N, class T>
    requires filled_with<I, T>
  I operator()(grain g, I first, N n, const T& value) const {
    return fill_elements(g, first, static_cast<std::ptrdiff_t>(n), value);
  }
};

struct generate_function {
  static constexpr auto kind = algorithm_kind::other;

  template <class I, splittable_by<I> S, class F>
    requires elements_apart<I> && shared_callable<F> &&
             std::indirectly_writable<I, detail::result_to_end<const F&>>
  I operator()(grain g, I first, S last, F f) const {
    const auto n = static_cast<std::ptrdiff_t>(last - first);
    if (n <= 0) return first;
    const auto& make = to_end<>(f);
    for_each_block({0, n}, g.elements, [to = unwrapped(first), &make](part p) {
      auto at = advanced(to, p.from);
      for (std::ptrdiff_t left = p.size(); left > 0; --left, ++at) *at = std::invoke(make);
    });
    return advanced(first, n);
  }
};

}  // namespace algorithm_detail

/// Assigns a value to all elements of a range: fill(range, value) or fill(first, last, value).
/// \code
/// std::vector<int> v(1000);
/// nopal::fill(v, 7);
/// \endcode
/// \param range  has random access and a known size; the same goes for first and last.
/// \param value  no element of the range.
/// \returns the end of the range.
/// \throws whatever an assignment throws; if several throw, the exception of the first in order
/// among those that ran. Other elements may or may not have been assigned.
/// Thread-safety: call it anywhere; on a thread that is no worker it runs on the default runtime.
/// Complexity: n assignments. Forks are as with for_each.
/// Source: as for_each.
NOPAL_HIDDEN inline constexpr algorithm_detail::checked_call<algorithm_detail::fill_function>
    fill{};

/// Assigns a value to n elements from first on: fill_n(first, n, value) is fill(first, first + n,
/// value).
/// \code
/// std::vector<int> v(1000);
/// nopal::fill_n(v.begin(), 500, 7);
/// \endcode
/// \param n  if it is not positive, nothing is assigned.
/// \param first, value  as with fill.
/// \returns first + n.
/// \throws what fill does.
/// Thread-safety: as fill.
/// Complexity: as fill.
/// Source: as for_each.
NOPAL_HIDDEN inline constexpr algorithm_detail::checked_call<algorithm_detail::fill_n_function>
    fill_n{};

/// Assigns f() to each element of a range: generate(range, f) or generate(first, last, f). Which
/// call is for which element is not said. If that matters, nopal::map from std::views::iota gives
/// the function an index.
/// \code
/// std::vector<int> v(1000);
/// std::atomic<int> next{0};
/// nopal::generate(v, [&] { return next++; });
/// \endcode
/// \param range  as with fill.
/// \param f  called by several workers at once, as const, n times. Tasks are as with for_each.
/// \returns the end of the range.
/// \throws whatever f or an assignment throws; otherwise as fill.
/// Thread-safety: as fill.
/// Complexity: n calls. Forks are as with for_each.
/// Source: as for_each.
NOPAL_HIDDEN inline constexpr algorithm_detail::checked_call<algorithm_detail::generate_function>
    generate{};

}  // namespace parallel
}  // namespace nopal
