// SPDX-License-Identifier: Apache-2.0
// These say which elements of a range are kept.
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <type_traits>
#include <utility>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/elements.hpp"
#include "nopal/detail/algorithm/ordered/parts.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

/// A predicate of the projected elements of I.
template <class Pred, class I, class Proj>
concept selects =
    projects<Proj, I> && shared_callable<Pred, projected_reference<I, Proj>> &&
    std::convertible_to<detail::result_to_end<const Pred&, projected_reference<I, Proj>>, bool>;

/// A predicate that says whether two projected elements of I are equal.
template <class Equal, class I, class Proj>
concept equates =
    projects<Proj, I> &&
    std::predicate<const Equal&, projected_reference<I, Proj>, projected_reference<I, Proj>>;

/// A value that is compared with projected elements of I.
template <class T, class I, class Proj>
concept compares_with =
    projects<Proj, I> && requires(const T& value, projected_reference<I, Proj> (*element)()) {
      { element() == value } -> std::convertible_to<bool>;
    };

/// A place for copies of elements of I.
template <class O, class I>
concept copies_of =
    std::random_access_iterator<O> && elements_apart<O> && std::indirectly_copyable<I, O>;

/// A range whose elements are moved to other places of it.
template <class S, class I>
concept permuted_by = splittable_by<S, I> && std::permutable<I> && elements_apart<I>;

/// Keeps the elements for which a predicate is `Wanted`.
template <bool Wanted, class Pred, class Proj>
struct kept_if {
  using head = no_head;
  static constexpr bool looks_back = false;
  const Pred& pred;
  const Proj& proj;

  template <class I>
  [[nodiscard]] head head_of(const I& /*first*/, std::ptrdiff_t /*i*/) const {
    return {};
  }
  static head first_head() noexcept { return {}; }
  template <class I>
  bool operator()(const I& at) const {
    return static_cast<bool>(std::invoke(pred, std::invoke(proj, *at))) == Wanted;
  }
};

/// Keeps the first of elements in a row that are equal. A head says whether the element is kept: if
/// elements are moved, the one before it may be gone when its turn comes.
template <class Equal, class Proj>
struct first_of_equals {
  using head = bool;
  static constexpr bool looks_back = true;
  const Equal& equal;
  const Proj& proj;

  template <class I>
  [[nodiscard]] head head_of(const I& first, std::ptrdiff_t i) const {
    return (*this)(advanced(first, i - 1), advanced(first, i));
  }
  static head first_head() noexcept { return true; }
  template <class Before, class I>
  bool operator()(const Before& before, const I& at) const {
    return !static_cast<bool>(
        std::invoke(equal, std::invoke(proj, *before), std::invoke(proj, *at)));
  }
};

/// The predicate of algorithms that are given a value.
template <class T>
struct equal_to_value {
  const T& value;

  template <class X>
  bool operator()(X&& x) const {
    return static_cast<bool>(std::forward<X>(x) == value);
  }
};

/// The place for elements that are not kept, if they are dropped.
struct nowhere {};

template <class O>
constexpr O advanced_unless_nowhere(O at, std::ptrdiff_t n) {
  if constexpr (std::is_same_v<O, nowhere>)
    return at;
  else
    return advanced(at, n);
}

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
