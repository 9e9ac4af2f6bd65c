// SPDX-License-Identifier: Apache-2.0
// A compiler says by these what is wrong with something that is no monoid.
// \see checked_function.hpp
#pragma once

#include <concepts>
#include <type_traits>
#include <utility>

#include "nopal/detail/runtime/completion.hpp"
#include "nopal/reducer/monoid.hpp"

namespace nopal::detail {

/// Stands in the place of a monoid that was refused, so that compilers say no more.
struct refused_monoid {
  struct value_type {
    value_type() noexcept = default;
    template <class... A>
    explicit value_type(A&&...) noexcept {}
  };
  static value_type identity() noexcept { return {}; }
  static void reduce(value_type&, value_type&) noexcept {}
};

template <class M>
concept names_values = requires { typename M::value_type; };
template <class M>
concept has_identity = requires(const M& m) {
  { m.identity() } -> std::same_as<typename M::value_type>;
};
template <class M>
concept reduces = requires(const M& m, typename M::value_type& v) { m.reduce(v, v); };

template <class M>
inline constexpr bool reduce_returns_value = false;
template <reduces M>
inline constexpr bool reduce_returns_value<M> =
    std::same_as<typename M::value_type, decltype(std::declval<const M&>().reduce(
                                             std::declval<typename M::value_type&>(),
                                             std::declval<typename M::value_type&>()))>;
template <class M>
inline constexpr bool reduces_by_a_task = false;
template <reduces M>
inline constexpr bool reduces_by_a_task<M> =
    has_completion<decltype(std::declval<const M&>().reduce(
        std::declval<typename M::value_type&>(), std::declval<typename M::value_type&>()))>;

/// Says what is right about M. If M has several faults, this shows the first.
template <class M>
struct monoid_check {
  static constexpr bool names = names_values<M>;
  static constexpr bool is_made = !names || std::default_initializable<M>;
  static constexpr bool begins = !names || !is_made || has_identity<M>;
  static constexpr bool combines = !names || !is_made || !begins || reduces<M>;
  static constexpr bool returns = reduce_returns_value<M>;
  static constexpr bool suspends = reduces_by_a_task<M>;
  static constexpr bool all = names && is_made && begins && combines && !returns && !suspends;
};

/// M, if a reducer can use it, else refused_monoid.
template <class M>
using checked_monoid = std::conditional_t<monoid_check<M>::all, M, refused_monoid>;

/// Says that a view has no such operator.
template <bool Has, class... A>
constexpr void check_operator() noexcept {
  static_assert(Has,
                "nopal::reducer: its values have no such operator for this operand; *r is the "
                "value of the calling strand, and r.update(x) reduces x into it");
}

/// Stands in the place of a T that cannot be made. It is not defined.
template <class T>
T refused_view() noexcept;

/// Makes a T from the arguments.
template <class T, class... A>
T first_view(A&&... args) {
  constexpr bool makes = std::constructible_from<T, A...>;
  static_assert(makes,
                "nopal::reducer: no value of the monoid can be constructed from these arguments");
  if constexpr (makes)
    return T(std::forward<A>(args)...);
  else
    return refused_view<T>();
}

}  // namespace nopal::detail
