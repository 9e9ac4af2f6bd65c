// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "nopal/pool/options.hpp"

namespace nopal::detail {

/// Returns the options. \throws std::invalid_argument naming what is out of range.
pool_options checked(pool_options o);

/// A list for each thread: the consumers in the order in which the thread turns to them, the
/// nearest first. A consumer is first in its own list. Each thread has another order among equally
/// near consumers, so that not all turn to the same.
struct access_lists {
  std::vector<std::vector<unsigned>> of_producer;
  std::vector<std::vector<unsigned>> of_consumer;
};

/// Returns the order in which each producer and each consumer goes over the consumers' shares:
/// those on near places of the machine first. managed_pool calls this when it is made.
/// \throws std::invalid_argument for a place that the machine does not have, or a machine that
/// hwloc does not understand.
access_lists make_access_lists(const pool_options& o);

}  // namespace nopal::detail
