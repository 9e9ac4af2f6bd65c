// SPDX-License-Identifier: Apache-2.0
// A call stands in the very expression that forks it, so that with clang++ 20 and later the child's
// frame can be part of its parent's.
#pragma once

#include <tmc/fork_group.hpp>
#include <tmc/spawn.hpp>
#include <tmc/spawn_many.hpp>
#include <tmc/spawn_tuple.hpp>

#include "harness/runtimes/kernel.hpp"
#include "harness/sessions/toomanycooks.hpp"

#define BENCH_DECLARE(T, f, params) tmc::task<T> f params
#define BENCH_DEFINE(T, f, params) BENCH_DECLARE(T, f, params)
#define BENCH_KERNEL(T, f, params) BENCH_DECLARE(T, f, params)
#define BENCH_LEAF(T, f, params) BENCH_DECLARE(T, f, params)
#define BENCH_RETURN co_return
#define BENCH_CALL(f, args) co_await f args
#define BENCH_TURNS(step) for (;; step)
#define BENCH_CALL_NEXT(f, args) continue
#define BENCH_CALL_TO(to, f, args) (to) = co_await f args
#define BENCH_FORK_TWO(f, x, g, y)               \
  {                                              \
    auto forked = co_await tmc::fork_clang(f x); \
    co_await g y;                                \
    co_await std::move(forked);                  \
  }
#define BENCH_FORK_TWO_TO(a, f, x, b, g, y)      \
  {                                              \
    auto forked = co_await tmc::fork_clang(f x); \
    (b) = co_await g y;                          \
    (a) = co_await std::move(forked);            \
  }
// The call that is not forked runs at once, so the second is the one that is forked.
#define BENCH_FORK_ORDERED(f, x, g, y) BENCH_FORK_TWO(g, y, f, x)
#define BENCH_FORK_THREE(f, x, y, z) co_await tmc::spawn_tuple(f x, f y, f z)
#define BENCH_FORK_FOUR(f, w, x, y, z) co_await tmc::spawn_tuple(f w, f x, f y, f z)
#define BENCH_FORK_ALL(count, i, f, args) \
  co_await tmc::spawn_many<count>(        \
      tmc::iter_adapter(std::size_t{0}, [&](std::size_t i) { return f args; }))
#define BENCH_FORK_N(count, i, f, args)         \
  {                                             \
    auto group = tmc::fork_group();             \
    for (std::size_t i = 0; i < (count); ++i) { \
      group.fork(f args);                       \
    }                                           \
    co_await std::move(group);                  \
  }
#define BENCH_LOOP(first, last, grain, part, object) \
  co_await tmc_for_blocks(first, last, grain, BENCH_PART(part, object))

namespace nopal_bench {

template <class T>
using passed = T;

constexpr std::string_view tmc_suffix(widest fork) {
  switch (fork) {
    case widest::few:
      return "tuple";
    case widest::all:
      return "many";
    case widest::n:
      return "group";
    default:
      return "fork";
  }
}

template <class Problem, widest Fork, class Kernel>
bool enroll_kernel(Kernel kernel) {
  return enroll<Problem, tmc_session>(tmc_suffix(Fork), kernel);
}

}  // namespace nopal_bench
