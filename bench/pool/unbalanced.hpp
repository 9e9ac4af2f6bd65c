// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nopal/detail/platform/config.hpp>
#include <utility>

namespace nopal_bench {

/// A mechanism of nopal's pool without balancing by the producers: there is always room, so a
/// producer never turns to another consumer than its first. What the others need they must steal,
/// and memory that they have done with does not come back to it.
template <class Mechanism>
class unbalanced : public Mechanism {
 public:
  using Mechanism::Mechanism;

  template <class... A>
  NOPAL_ALWAYS_INLINE bool put_if_room(typename Mechanism::producer_end& in, A&&... args) {
    this->put(in, std::forward<A>(args)...);
    return true;
  }
};

}  // namespace nopal_bench
