// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace nopal {

/// Where the threads of a pool run, so that tasks go to near consumers first. Places are the CPUs
/// that this process may use, counted from 0, nearest neighbours next to each other.
struct pool_places {
  /// hwloc's description of the machine, such as "numa:8 core:4 pu:1". Empty: this one.
  std::string machine = {};

  /// By producer, by consumer. Empty: spread over the machine, each producer near the consumer with
  /// the same share of numbers.
  std::vector<unsigned> producers = {};
  std::vector<unsigned> consumers = {};
};

/// How a pool is set up.
struct pool_options {
  /// Number of handles for putting that may exist at a time, 1 to 1024.
  unsigned producers = 1;

  /// Number of handles for getting that may exist at a time, 1 to 1024. Whether the pool is empty
  /// takes a look at producers + 1 lists of each, as many times as there are of them: so no more
  /// than are needed. Each has a share of the pool, whether somebody holds it or not: from one that
  /// nobody holds the others steal.
  unsigned consumers = 1;

  /// Number of tasks that move from hand to hand together, 1 to 1048576; 512 pointers are 8 KiB, of
  /// which several fit a first-level cache. A pool has at most 2^24 chunks: with very small ones
  /// put() may say std::bad_alloc though there is memory.
  std::uint32_t chunk = 512;

  pool_places places = {};
};

}  // namespace nopal
