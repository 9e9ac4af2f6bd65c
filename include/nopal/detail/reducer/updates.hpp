// SPDX-License-Identifier: Apache-2.0
// A reducer does this with its view, in parallel and in the serial elision.
#pragma once

#include <concepts>
#include <type_traits>
#include <utility>

#include "nopal/detail/reducer/checked_monoid.hpp"

namespace nopal::detail {

/// \tparam Reducer  derives from this and has `view()`.
template <class Reducer, class M>
class reducer_updates {
  using check = monoid_check<M>;
  static_assert(check::names,
                "nopal::reducer<M>: M is a monoid, which names the type of its values, as "
                "nopal::monoid::add<int> does; see nopal::reducer_monoid");
  static_assert(check::is_made,
                "nopal::reducer<M>: a monoid is made without arguments, and M cannot be");
  static_assert(check::begins,
                "nopal::reducer<M>: m.identity(), of a const M& m, must return a new "
                "M::value_type; those of nopal::monoid have one for integers, and min and max for "
                "types with std::numeric_limits");
  static_assert(check::combines,
                "nopal::reducer<M>: m.reduce(left, right), of a const M& m, must take two "
                "M::value_type&; those of nopal::monoid do if the values have their operator");
  static_assert(!check::returns,
                "nopal::reducer<M>: reduce(left, right) returns a value, which would be lost; it "
                "must change `left`, a M::value_type&");
  static_assert(!check::suspends,
                "nopal::reducer: reduce() of the monoid returns a task, which would never run");
  using monoid = checked_monoid<M>;

 public:
  using value_type = typename monoid::value_type;

  operator const value_type&() const = delete;  // a reducer r is read by r.get_value() or *r

  /// The view of the calling strand.
  value_type& operator*() { return view(); }
  value_type* operator->() { return &view(); }

  /// The value of the calling strand's view. It is the value of the whole program so far, if
  /// everything that was forked since the reducer was made has been joined.
  const value_type& get_value() { return view(); }

  /// Puts x behind the view: view · x.
  template <class X>
  void update(X&& x) {
    constexpr bool makes = std::constructible_from<value_type, X>;
    static_assert(makes,
                  "nopal::reducer: update(x) makes a value of the monoid from x, and cannot");
    if constexpr (makes) {
      value_type right(std::forward<X>(x));
      monoid().reduce(view(), right);
    }
  }

  /// The view's own operators, if it has them.
  template <class X>
  Reducer& operator+=(X&& x) {
    constexpr bool has = requires(value_type& v) { v += std::forward<X>(x); };
    check_operator<has, X>();
    if constexpr (has) view() += std::forward<X>(x);
    return self();
  }
  template <class X>
  Reducer& operator-=(X&& x) {
    constexpr bool has = requires(value_type& v) { v -= std::forward<X>(x); };
    check_operator<has, X>();
    if constexpr (has) view() -= std::forward<X>(x);
    return self();
  }
  template <class X>
  Reducer& operator*=(X&& x) {
    constexpr bool has = requires(value_type& v) { v *= std::forward<X>(x); };
    check_operator<has, X>();
    if constexpr (has) view() *= std::forward<X>(x);
    return self();
  }
  template <class X>
  Reducer& operator&=(X&& x) {
    constexpr bool has = requires(value_type& v) { v &= std::forward<X>(x); };
    check_operator<has, X>();
    if constexpr (has) view() &= std::forward<X>(x);
    return self();
  }
  template <class X>
  Reducer& operator|=(X&& x) {
    constexpr bool has = requires(value_type& v) { v |= std::forward<X>(x); };
    check_operator<has, X>();
    if constexpr (has) view() |= std::forward<X>(x);
    return self();
  }
  template <class X>
  Reducer& operator^=(X&& x) {
    constexpr bool has = requires(value_type& v) { v ^= std::forward<X>(x); };
    check_operator<has, X>();
    if constexpr (has) view() ^= std::forward<X>(x);
    return self();
  }
  template <class V = value_type>
  Reducer& operator++() {
    constexpr bool has = requires(V& v) { ++v; };
    check_operator<has, V>();
    if constexpr (has) ++view();
    return self();
  }

 private:
  Reducer& self() noexcept { return static_cast<Reducer&>(*this); }
  value_type& view() { return self().view(); }
};

}  // namespace nopal::detail
