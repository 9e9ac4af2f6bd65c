// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/runtimes/plain.hpp"
#include "harness/sessions/taskflow.hpp"

#define BENCH_SCOPE
#define BENCH_GROUP tf::TaskGroup group = taskflow_group();
#define BENCH_SPAWN(capture, f, args) group.silent_async([BENCH_LIST capture] { f args; })
#define BENCH_SPAWN_TO(capture, to, f, args) \
  group.silent_async([BENCH_LIST capture] { (to) = f args; })
#define BENCH_LAST(f, args) \
  f args;                   \
  group.corun()
#define BENCH_LAST_TO(to, f, args) \
  (to) = f args;                   \
  group.corun()
#define BENCH_JOIN group.corun()
// The second call becomes a task, because a task that is not stolen runs after what follows it.
#define BENCH_FORK_ORDERED(f, x, g, y) BENCH_FORK_TWO(g, y, f, x)
#define BENCH_LOOP(first, last, grain, part, object) \
  taskflow_for(first, last, grain, BENCH_PART(part, object))
#include "harness/runtimes/statements.hpp"

namespace nopal_bench {

template <class Problem, widest, class Kernel>
bool enroll_kernel(Kernel kernel) {
  return enroll<Problem, taskflow_session>("group", kernel);
}

}  // namespace nopal_bench
