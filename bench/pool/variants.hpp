// SPDX-License-Identifier: Apache-2.0
// The pools that are measured. Each has a file that enrolls it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/program.hpp"
#include "pool/load.hpp"

namespace nopal_bench {

struct pool_variant {
  std::string name;
  std::uint32_t chunk;  ///< Tasks in a chunk, unless the command line says another number; 0 where
                        ///< there are no chunks.
  description peer;
  std::string_view compiler;
  std::string_view flags;
  pool_repetition (*repeat_once)(const pool_load&);
};

/// All that are linked into this program.
std::vector<pool_variant>& pool_variants();

}  // namespace nopal_bench
