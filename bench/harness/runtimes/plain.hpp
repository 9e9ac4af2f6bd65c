// SPDX-License-Identifier: Apache-2.0
// Kernels that are plain functions. If BENCH_FUNCTION is defined before, it stands before each.
#pragma once

#include "harness/runtimes/kernel.hpp"

#ifndef BENCH_FUNCTION
#define BENCH_FUNCTION
#endif
#ifndef BENCH_LEAF
#define BENCH_LEAF(T, f, params) inline T f params
#endif
#define BENCH_DECLARE(T, f, params) T f params
#define BENCH_DEFINE(T, f, params) BENCH_FUNCTION T f params
#define BENCH_KERNEL(T, f, params) BENCH_DEFINE(T, f, params)
#define BENCH_RETURN return
#define BENCH_CALL(f, args) f args
#define BENCH_TURNS(step)
#define BENCH_CALL_NEXT(f, args) \
  f args;                        \
  return
#define BENCH_CALL_TO(to, f, args) (to) = f args

namespace nopal_bench {

template <class T>
using passed = const T&;

}  // namespace nopal_bench
