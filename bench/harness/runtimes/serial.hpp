// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "harness/sessions/serial.hpp"

#define BENCH_FUNCTION NOPAL_BENCH_CALLED
#define BENCH_LEAF(T, f, params) NOPAL_BENCH_CALLED T f params
#include "harness/runtimes/plain.hpp"

#define BENCH_SCOPE
#define BENCH_GROUP
#define BENCH_SPAWN(capture, f, args) f args
#define BENCH_SPAWN_TO(capture, to, f, args) (to) = f args
#define BENCH_LAST(f, args) f args
#define BENCH_LAST_TO(to, f, args) (to) = f args
#define BENCH_JOIN
#define BENCH_LOOP(first, last, grain, part, object) std::invoke(part, object, first, last)
#include "harness/runtimes/statements.hpp"

namespace nopal_bench {

template <class Problem, widest, class Kernel>
bool enroll_kernel(Kernel kernel) {
  return enroll<Problem, serial_session>("", kernel);
}

}  // namespace nopal_bench
