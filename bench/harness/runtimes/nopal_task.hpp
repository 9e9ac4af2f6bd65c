// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "harness/runtimes/kernel.hpp"
#include "harness/sessions/nopal.hpp"

#define BENCH_DECLARE(T, f, params) nopal::task<T> f params
#define BENCH_DEFINE(T, f, params) BENCH_DECLARE(T, f, params)
#define BENCH_KERNEL(T, f, params) BENCH_DECLARE(T, f, params)
#define BENCH_LEAF(T, f, params) BENCH_DECLARE(T, f, params)
#define BENCH_RETURN co_return
#define BENCH_CALL(f, args) co_await nopal::call(f, BENCH_LIST args)
#define BENCH_TURNS(step) for (;; step)
#define BENCH_CALL_NEXT(f, args) continue
#define BENCH_CALL_TO(to, f, args) co_await nopal::call(&(to), f, BENCH_LIST args)
#define BENCH_SCOPE
#define BENCH_GROUP
#define BENCH_SPAWN(capture, f, args) co_await nopal::fork(f, BENCH_LIST args)
#define BENCH_SPAWN_TO(capture, to, f, args) co_await nopal::fork(&(to), f, BENCH_LIST args)
#define BENCH_LAST(f, args) \
  BENCH_CALL(f, args);      \
  BENCH_JOIN
#define BENCH_LAST_TO(to, f, args) \
  BENCH_CALL_TO(to, f, args);      \
  BENCH_JOIN
#define BENCH_JOIN co_await nopal::join()
#define BENCH_LOOP(first, last, grain, part, object) \
  co_await nopal::call(task_halves<part, decltype(object)>, &object, first, last, grain)
#include "harness/runtimes/statements.hpp"

namespace nopal_bench {

template <class T>
using passed = T;

template <auto Part, class Object>
nopal::task<> task_halves(Object* object, std::size_t first, std::size_t last, std::size_t grain) {
  if (last - first <= grain) {
    std::invoke(Part, *object, first, last);
    co_return;
  }
  const std::size_t middle = first + (last - first) / 2;
  co_await nopal::fork(task_halves<Part, Object>, object, first, middle, grain);
  co_await nopal::call(task_halves<Part, Object>, object, middle, last, grain);
  co_await nopal::join();
}

template <class Problem, widest, class Kernel>
bool enroll_kernel(Kernel kernel) {
  return enroll<Problem, nopal_session>("task", kernel);
}

}  // namespace nopal_bench
