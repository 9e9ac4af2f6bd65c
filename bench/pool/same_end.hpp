// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "pool/load.hpp"

namespace nopal_bench {

/// The handles of a queue that all threads use alike.
template <class Queue>
class same_end {
  struct end {
    Queue& queue;
    void put(pool_task x) { queue.put(x); }
    bool get(pool_task& to) { return queue.get(to); }
  };

 public:
  auto producer() { return end{static_cast<Queue&>(*this)}; }
  auto consumer() { return end{static_cast<Queue&>(*this)}; }
};

}  // namespace nopal_bench
