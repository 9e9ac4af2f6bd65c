// SPDX-License-Identifier: Apache-2.0
// A policy of stm/policies.hpp has a part in each object and in each field.
#pragma once

#include <type_traits>

#include "nopal/detail/stm/versioned_lock.hpp"

namespace nopal::detail {

struct no_lock {};
struct one_lock {
  mutable versioned_lock lock;
};

template <class Locks>
inline constexpr bool is_lock_policy = requires {
  typename Locks::in_object;
  typename Locks::in_field;
};

struct lock_parts {
  using in_object = no_lock;
  using in_field = one_lock;
};

/// The policy whose parts lie in shared values. What is no policy is refused by a message, and has
/// parts of its own here, so that the message is the only one.
template <class Locks>
using parts_of = std::conditional_t<is_lock_policy<Locks>, Locks, lock_parts>;

}  // namespace nopal::detail
