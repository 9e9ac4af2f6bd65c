// SPDX-License-Identifier: Apache-2.0
// What a reducer does with its view, in parallel and in the serial elision.
#pragma once

#include <concepts>
#include <type_traits>
#include <utility>

#include "nopal/detail/runtime/completion.hpp"
#include "nopal/reducer/monoid.hpp"

namespace nopal::detail {

/// \tparam Reducer  derives from this and has `view()`.
template <class Reducer, class M>
class reducer_updates {
 public:
  using value_type = typename M::value_type;
  static constexpr bool reduces_by_a_task = has_completion<decltype(std::declval<const M&>().reduce(
      std::declval<value_type&>(), std::declval<value_type&>()))>;
  static_assert(!reduces_by_a_task,
                "nopal::reducer: reduce() of the monoid returns a task, which would never run");

  /// The view of the calling strand.
  value_type& operator*() { return view(); }
  value_type* operator->() { return &view(); }

  /// The value of the calling strand's view: that of the whole program so far, if everything that
  /// was forked since the reducer was made has been joined.
  const value_type& get_value() { return view(); }

  /// Puts x behind the view: view · x.
  template <class X>
    requires std::constructible_from<value_type, X>
  void update(X&& x) {
    value_type right(std::forward<X>(x));
    M().reduce(view(), right);
  }

  /// The view's own operators, where it has them.
  template <class X>
    requires requires(value_type& v, X&& x) { v += std::forward<X>(x); }
  Reducer& operator+=(X&& x) {
    view() += std::forward<X>(x);
    return self();
  }
  template <class X>
    requires requires(value_type& v, X&& x) { v -= std::forward<X>(x); }
  Reducer& operator-=(X&& x) {
    view() -= std::forward<X>(x);
    return self();
  }
  template <class X>
    requires requires(value_type& v, X&& x) { v *= std::forward<X>(x); }
  Reducer& operator*=(X&& x) {
    view() *= std::forward<X>(x);
    return self();
  }
  template <class X>
    requires requires(value_type& v, X&& x) { v &= std::forward<X>(x); }
  Reducer& operator&=(X&& x) {
    view() &= std::forward<X>(x);
    return self();
  }
  template <class X>
    requires requires(value_type& v, X&& x) { v |= std::forward<X>(x); }
  Reducer& operator|=(X&& x) {
    view() |= std::forward<X>(x);
    return self();
  }
  template <class X>
    requires requires(value_type& v, X&& x) { v ^= std::forward<X>(x); }
  Reducer& operator^=(X&& x) {
    view() ^= std::forward<X>(x);
    return self();
  }
  Reducer& operator++()
    requires requires(value_type& v) { ++v; }
  {
    ++view();
    return self();
  }

 private:
  Reducer& self() noexcept { return static_cast<Reducer&>(*this); }
  value_type& view() { return self().view(); }
};

}  // namespace nopal::detail
