// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_invoke.h>

#include <functional>

#include "harness/sessions/tbb.hpp"

#define BENCH_INVOKE tbb::parallel_invoke
#include "harness/runtimes/closures.hpp"

#define BENCH_LOOP(first, last, grain, part, object)                     \
  tbb::parallel_for(tbb::blocked_range<std::size_t>(first, last, grain), \
                    [&](const auto& r) { std::invoke(part, object, r.begin(), r.end()); })

namespace nopal_bench {

template <class Problem, widest, class Kernel>
bool enroll_kernel(Kernel kernel) {
  return enroll<Problem, tbb_session>("invoke", kernel);
}

}  // namespace nopal_bench
