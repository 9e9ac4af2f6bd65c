// SPDX-License-Identifier: Apache-2.0
// The serial elision has the leftmost view alone.
#pragma once

#include <concepts>
#include <type_traits>
#include <utility>

#include "nopal/detail/reducer/checked_monoid.hpp"
#include "nopal/detail/reducer/updates.hpp"

namespace nopal {
inline namespace serial {

template <class M>
class reducer : public detail::reducer_updates<reducer<M>, M> {
  using monoid = detail::checked_monoid<M>;

 public:
  using value_type = typename monoid::value_type;

  reducer() : value_(identity()) {}
  template <class A, class... More>
    requires(!std::same_as<std::remove_cvref_t<A>, reducer>)
  explicit reducer(A&& a, More&&... more)
      : value_(detail::first_view<value_type>(std::forward<A>(a), std::forward<More>(more)...)) {}
  reducer(const reducer&) = delete;
  reducer& operator=(const reducer&) = delete;
  template <class X>
  reducer& operator=(X&&) = delete;  // a reducer r is set by *r = x

  value_type& view() noexcept { return value_; }

 private:
  static value_type identity() {
    const monoid m;
    return m.identity();
  }

  value_type value_;
};

}  // namespace serial
}  // namespace nopal
