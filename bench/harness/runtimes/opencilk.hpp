// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/sessions/opencilk.hpp"

#define BENCH_LEAF(T, f, params) inline T f params
#define BENCH_DECLARE(T, f, params) T f params
#define BENCH_DEFINE(T, f, params) T f params
#define BENCH_KERNEL(T, f, params) T f params
#define BENCH_RETURN return
#define BENCH_CALL(f, args) f args
#define BENCH_TURNS(step)
#define BENCH_CALL_NEXT(f, args) \
  f args;                        \
  return
#define BENCH_CALL_TO(to, f, args) (to) = f args
#define BENCH_SCOPE cilk_scope
#define BENCH_GROUP
#define BENCH_SPAWN(capture, f, args) cilk_spawn f args
#define BENCH_SPAWN_TO(capture, to, f, args) (to) = cilk_spawn f args
#define BENCH_LAST(f, args) f args
#define BENCH_LAST_TO(to, f, args) (to) = f args
#define BENCH_JOIN
#define BENCH_LOOP(first, last, grain, part, object) \
  cilk_blocks(first, last, grain, BENCH_PART(part, object))
#include "harness/runtimes/kernel.hpp"
#include "harness/runtimes/statements.hpp"

namespace nopal_bench {

// The caller goes on while a spawned call runs, and its temporaries may be gone.
template <class T>
using passed = T;

template <class Body>
void cilk_blocks(std::size_t first, std::size_t last, std::size_t grain, const Body& body) {
#pragma cilk grainsize 1
  cilk_for (std::size_t i = first; i < last; i += grain) {
    body(i, std::min(i + grain, last));
  }
}

template <class Problem, widest, class Kernel>
bool enroll_kernel(Kernel kernel) {
  return enroll<Problem, opencilk_session>("", kernel);
}

}  // namespace nopal_bench
