// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tuple>

#include "harness/sessions/nopal.hpp"

#define BENCH_INVOKE nopal::parallel_invoke
// The closures return their results and capture by value, for the same reason as in
// BENCH_FORK_ORDERED.
#define BENCH_FORK_TWO_TO(a, f, x, b, g, y) \
  std::tie(a, b) = BENCH_INVOKE([=] { return f x; }, [=] { return g y; })
#include "harness/runtimes/closures.hpp"

// Closures fork in pairs, so a loop becomes a tree over its range.
#define BENCH_LOOP(first, last, grain, part, object) \
  invoke_halves(first, last, grain, BENCH_PART(part, object))

namespace nopal_bench {

template <class Body>
void invoke_halves(std::size_t first, std::size_t last, std::size_t grain, const Body& body) {
  if (last - first <= grain) {
    body(first, last);
    return;
  }
  const std::size_t middle = first + (last - first) / 2;
  nopal::parallel_invoke([=, &body] { invoke_halves(first, middle, grain, body); },
                         [=, &body] { invoke_halves(middle, last, grain, body); });
}

template <class Problem, widest, class Kernel>
bool enroll_kernel(Kernel kernel) {
  return enroll<Problem, nopal_session>("invoke", kernel);
}

}  // namespace nopal_bench
