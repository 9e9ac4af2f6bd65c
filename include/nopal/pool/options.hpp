// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace nopal {

/// Says where the threads that use a pool run, so that elements go to near consumers first. A place
/// is the number of a CPU among those that this process may use, counted from 0, with nearest
/// neighbours next to each other.
struct pool_places {
  /// hwloc's description of the machine, such as "numa:8 core:4 pu:1". If empty, it is this one.
  std::string machine = {};

  /// The place of each producer, and of each consumer. If a list is empty, its threads are spread
  /// over the machine, each producer near the consumer with the same share of numbers.
  std::vector<unsigned> producers = {};
  std::vector<unsigned> consumers = {};
};

/// How a pool is set up.
/// \code
/// nopal::pool<int> p({.producers = 2, .consumers = 4, .chunk = 64});
/// \endcode
struct pool_options {
  /// Number of handles for putting that may exist at the same time, 1 to 1024.
  unsigned producers = 1;

  /// Number of handles for getting that may exist at the same time, 1 to 1024. To find out that the
  /// pool is empty takes `consumers` looks at the `producers` + 1 lists of every consumer, so ask
  /// for no more than are needed. Each handle has a share of the pool, whether it exists or not;
  /// the others steal from the share of one that does not.
  unsigned consumers = 1;

  /// Number of elements that move from hand to hand together, 1 to 1048576. 512 pointers are 8 KiB,
  /// and several such chunks fit into a first-level cache. A pool has at most 2^24 chunks, so with
  /// very small ones put() may throw std::bad_alloc although there is memory.
  std::uint32_t chunk = 512;

  pool_places places = {};
};

}  // namespace nopal
