// SPDX-License-Identifier: Apache-2.0
// The serial elision has the leftmost view alone.
#pragma once

#include <concepts>
#include <utility>

#include "nopal/detail/reducer/updates.hpp"

namespace nopal {
inline namespace serial {

template <reducer_monoid M>
class reducer : public detail::reducer_updates<reducer<M>, M> {
 public:
  using value_type = typename M::value_type;

  reducer() : value_(identity()) {}
  template <class A, class... More>
    requires std::constructible_from<value_type, A, More...>
  explicit reducer(A&& a, More&&... more)
      : value_(std::forward<A>(a), std::forward<More>(more)...) {}
  reducer(const reducer&) = delete;
  reducer& operator=(const reducer&) = delete;

  value_type& view() noexcept { return value_; }

 private:
  static value_type identity() {
    const M m;
    return m.identity();
  }

  value_type value_;
};

}  // namespace serial
}  // namespace nopal
