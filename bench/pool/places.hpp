// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "pool/load.hpp"

namespace nopal_bench {

/// Where the threads run: a place for each, counted from 0 as nopal::pool_places counts them,
/// neighbours next to each other.
struct thread_places {
  std::vector<unsigned> producers;
  std::vector<unsigned> consumers;
};

/// Producers and consumers mixed in proportion, so that each is beside one of the other kind. A
/// place for each thread as long as there are enough, else the same number of threads on each.
thread_places mixed_places(unsigned producers, unsigned consumers, unsigned places);

/// Producers on the first places, consumers on the others: no place has both. Needs two places.
thread_places separate_places(unsigned producers, unsigned consumers, unsigned places);

/// As the load asks for.
thread_places places_for(const pool_load& how);

/// The CPUs that this process may use.
unsigned number_of_places();

/// The calling thread runs on this one alone from now on. \throws std::system_error
void pin_to(unsigned place);

}  // namespace nopal_bench
