// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/runtimes/plain.hpp"
#include "harness/sessions/openmp.hpp"

#define BENCH_SCOPE
#define BENCH_GROUP
#define BENCH_SPAWN(capture, f, args) openmp_task<f> args
#define BENCH_SPAWN_TO(capture, to, f, args) openmp_task_to<f>(&(to), BENCH_LIST args)
#define BENCH_LAST(f, args) \
  f args;                   \
  BENCH_JOIN
#define BENCH_LAST_TO(to, f, args) \
  (to) = f args;                   \
  BENCH_JOIN
#define BENCH_JOIN _Pragma("omp taskwait")
#define BENCH_LOOP(first, last, grain, part, object) \
  openmp_blocks(first, last, grain, BENCH_PART(part, object))
#include "harness/runtimes/statements.hpp"

namespace nopal_bench {

// The parameters of these functions are local variables, so the task has copies of them.

template <auto F, class... A>
[[gnu::always_inline]] inline void openmp_task(A... args) {
#pragma omp task
  F(args...);
}

template <auto F, class T, class... A>
[[gnu::always_inline]] inline void openmp_task_to(T* to, A... args) {
#pragma omp task
  *to = F(args...);
}

template <class Body>
void openmp_blocks(std::size_t first, std::size_t last, std::size_t grain, const Body& body) {
#pragma omp taskloop default(none) shared(body) firstprivate(first, last, grain) \
    grainsize(1) if (last - first > grain)
  for (std::size_t i = first; i < last; i += grain) {
    body(i, std::min(i + grain, last));
  }
}

template <class Problem, widest, class Kernel>
bool enroll_kernel(Kernel kernel) {
  return enroll<Problem, openmp_session>("", kernel);
}

}  // namespace nopal_bench
