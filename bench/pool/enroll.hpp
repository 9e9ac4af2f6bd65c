// SPDX-License-Identifier: Apache-2.0
// What the file of a variant includes; the build says NOPAL_BENCH_FLAGS, what it is compiled with.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "harness/program.hpp"
#include "pool/repetition.hpp"
#include "pool/variants.hpp"

namespace nopal_bench {

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
