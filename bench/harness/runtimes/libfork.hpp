// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "harness/runtimes/kernel.hpp"
#include "harness/sessions/libfork.hpp"

#define BENCH_DECLARE(T, f, params)                        \
  struct f##_function {                                    \
    template <class Self>                                  \
    lf::task<T> operator()(Self, BENCH_LIST params) const; \
  };                                                       \
  constexpr f##_function f {}
#define BENCH_DEFINE(T, f, params) \
  template <class Self>            \
  lf::task<T> f##_function::operator()(Self, BENCH_LIST params) const
#define BENCH_KERNEL(T, f, params) \
  BENCH_DECLARE(T, f, params);     \
  BENCH_DEFINE(T, f, params)
#define BENCH_LEAF(T, f, params) BENCH_KERNEL(T, f, params)
#define BENCH_RETURN co_return
#define BENCH_CALL(f, args) co_await lf::call(f) args
#define BENCH_TURNS(step) for (;; step)
#define BENCH_CALL_NEXT(f, args) continue
#define BENCH_CALL_TO(to, f, args) co_await lf::call(&(to), f) args
#define BENCH_SCOPE
#define BENCH_GROUP
#define BENCH_SPAWN(capture, f, args) co_await lf::fork(f) args
#define BENCH_SPAWN_TO(capture, to, f, args) co_await lf::fork(&(to), f) args
#define BENCH_LAST(f, args) \
  BENCH_CALL(f, args);      \
  BENCH_JOIN
#define BENCH_LAST_TO(to, f, args) \
  BENCH_CALL_TO(to, f, args);      \
  BENCH_JOIN
#define BENCH_JOIN co_await lf::join
#define BENCH_LOOP(first, last, grain, part, object) \
  co_await lf::call(libfork_halves<part>)(&object, first, last, grain)
#include "harness/runtimes/statements.hpp"

namespace nopal_bench {

template <class T>
using passed = T;

template <auto Part>
constexpr auto libfork_halves = [](auto halves, auto* object, std::size_t first, std::size_t last,
                                   std::size_t grain) LF_STATIC_CALL -> lf::task<void> {
  if (last - first <= grain) {
    std::invoke(Part, *object, first, last);
    co_return;
  }
  const std::size_t middle = first + (last - first) / 2;
  co_await lf::fork(halves)(object, first, middle, grain);
  co_await lf::call(halves)(object, middle, last, grain);
  co_await lf::join;
};

template <class Problem, widest, class Kernel>
bool enroll_kernel(Kernel kernel) {
  return enroll<Problem, libfork_lazy>("lazy", kernel) &&
         enroll<Problem, libfork_busy>("busy", kernel);
}

}  // namespace nopal_bench
