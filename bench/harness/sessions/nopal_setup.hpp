// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <nopal/nopal.hpp>

#include "harness/program.hpp"

#ifndef NOPAL_BENCH_VERSION
#define NOPAL_BENCH_VERSION ""
#endif
#ifndef NOPAL_BENCH_DEQUE
#define NOPAL_BENCH_DEQUE "default"
#endif
#ifndef NOPAL_BENCH_JOIN
#define NOPAL_BENCH_JOIN "default"
#endif

namespace nopal_bench {

inline description nopal_peer() {
  return {{"name", "nopal"},
          {"version", NOPAL_BENCH_VERSION},
          {"deque", NOPAL_BENCH_DEQUE},
          {"join", NOPAL_BENCH_JOIN}};
}

/// Options from the environment (NOPAL_IDLE, NOPAL_RECLAIM, …), except for the workers and for
/// stacks that would be too small.
inline nopal::options nopal_options(unsigned workers, std::size_t stack_bytes = 0) {
#ifdef NOPAL_SERIAL
  nopal::options o;
#else
  auto o = nopal::options::from_environment();
#endif
  o.workers = workers;
  o.stack_bytes = std::max(o.stack_bytes, stack_bytes);
  return o;
}

}  // namespace nopal_bench
