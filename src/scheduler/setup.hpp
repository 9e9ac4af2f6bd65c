// SPDX-License-Identifier: Apache-2.0
// What a scheduler decides before its first worker runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "nopal/options.hpp"
#include "platform/topology.hpp"

namespace nopal::detail {

/// The options, stack_bytes rounded up to pages. \throws std::invalid_argument naming what is out
/// of range.
options checked(options o);

std::uint64_t random_seed();

/// For each worker the index of its place: next to each other from the CPU that the caller runs on,
/// so that several small runtimes do not all sit on the first CPU; round and round where there are
/// more workers than CPUs.
std::vector<std::size_t> places_for_workers(const topology& t, unsigned workers);

}  // namespace nopal::detail
