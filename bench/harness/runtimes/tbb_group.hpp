// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tbb/task_group.h>

#include "harness/runtimes/plain.hpp"
#include "harness/sessions/tbb.hpp"

#define BENCH_SCOPE
#define BENCH_GROUP tbb::task_group group;
#define BENCH_SPAWN(capture, f, args) group.run([BENCH_LIST capture] { f args; })
#define BENCH_SPAWN_TO(capture, to, f, args) group.run([BENCH_LIST capture] { (to) = f args; })
#define BENCH_LAST(f, args) group.run_and_wait([&] { f args; })
#define BENCH_LAST_TO(to, f, args) group.run_and_wait([&] { (to) = f args; })
#define BENCH_JOIN group.wait()
#include "harness/runtimes/statements.hpp"

namespace nopal_bench {

template <class Problem, widest, class Kernel>
bool enroll_kernel(Kernel kernel) {
  return enroll<Problem, tbb_session>("group", kernel);
}

}  // namespace nopal_bench
