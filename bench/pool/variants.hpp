// SPDX-License-Identifier: Apache-2.0
// The pools that are measured. Each has a file that enrolls it; the build says NOPAL_BENCH_FLAGS, what it is compiled with.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "harness/program.hpp"
#include "pool/load.hpp"
#include "pool/repetition.hpp"

namespace nopal_bench {

struct pool_variant {
  std::string name;
  std::uint32_t chunk;  ///< Tasks in a chunk, unless the command line says another number; 0 where there are no chunks.
  description peer;
  std::string_view compiler;
  std::string_view flags;
  pool_repetition (*repeat_once)(const pool_load&);
};

/// All that are linked into this program.
std::vector<pool_variant>& pool_variants();

/// \param Queue  as repeat_once() wants it.
template <class Queue>
bool enroll_pool(std::string name, std::uint32_t chunk, description peer) {
  pool_variants().push_back({.name = std::move(name),
                             .chunk = chunk,
                             .peer = std::move(peer),
                             .compiler = this_compiler,
                             .flags = NOPAL_BENCH_FLAGS,
                             .repeat_once = repeat_once<Queue>});
  return true;
}

}  // namespace nopal_bench
