// SPDX-License-Identifier: Apache-2.0
// These are the data of a pool, and what its template arguments must be.
#pragma once

#include <type_traits>

#include "nopal/detail/platform/fence.hpp"
#include "nopal/detail/pool/gate.hpp"
#include "nopal/detail/pool/handles.hpp"
#include "nopal/detail/pool/managed_pool.hpp"
#include "nopal/detail/pool/salsa.hpp"
#include "nopal/detail/pool/sc_pool.hpp"
#include "nopal/detail/pool/sleepers.hpp"
#include "nopal/pool/options.hpp"

namespace nopal::detail {

template <class T>
inline constexpr bool is_element =
    std::is_object_v<T> && std::is_move_constructible_v<T> && !std::is_const_v<T>;

template <class T, class Mechanism>
inline constexpr bool is_mechanism_for = false;
template <class T, sc_pool Mechanism>
inline constexpr bool is_mechanism_for<T, Mechanism> =
    std::is_same_v<typename Mechanism::value_type, T>;

/// Says whether `Mechanism` is one for T. If T is no element, the pool refuses T alone.
template <class T, class Mechanism>
struct checked_mechanism {
  using type = salsa<int>;  // stands in the place of one that is not used
  static constexpr bool fits = true;
};
template <class T, class Mechanism>
  requires is_element<T>
struct checked_mechanism<T, Mechanism> {
  static constexpr bool fits = is_mechanism_for<T, Mechanism>;
  using type = std::conditional_t<fits, Mechanism, salsa<int>>;
};

/// The data that the handles of a pool share.
template <sc_pool Mechanism>
struct pool_body {
  explicit pool_body(const pool_options& o)
      : elements((choose_fences(true), o)),
        gate(o.producers),
        sleepers(o.consumers),
        producers("producers", o.producers),
        consumers("consumers", o.consumers) {}

  managed_pool<Mechanism> elements;
  pool_gate gate;
  pool_sleepers sleepers;
  pool_handles producers;
  pool_handles consumers;
};

}  // namespace nopal::detail
