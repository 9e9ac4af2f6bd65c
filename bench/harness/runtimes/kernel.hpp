// SPDX-License-Identifier: Apache-2.0
// The small interface that a kernel (workloads/<name>/kernel.hpp) is written in, once for all
// libraries. These are macros because the forks of coroutines, of functions that are resumed in
// their middle and of compilers are statements of the kernel itself: no function can contain them
// in its place, and one that did would cost a call. A macro expands to what a program would have if
// it were written by hand.
//
//   BENCH_KERNEL(T, f, params)        the head of a function f that forks and returns T;
//                                     BENCH_DECLARE and BENCH_DEFINE if two call each other
//   BENCH_LEAF(T, f, params)          the head of a child that forks nothing
//   BENCH_RETURN                      return, or co_return
//   BENCH_CALL(f, args)               calls f; with _TO(to, f, args) assigns what it returns
//   BENCH_TURNS(step)                 before the block of a kernel that may end by calling itself:
//                                     in coroutines, which pay for a call, a loop that does `step`
//   BENCH_CALL_NEXT(f, args)          such a call; in coroutines the next turn of that loop
//   BENCH_FORK_TWO(f, x, g, y)        runs f and g, maybe at the same time, and joins them;
//                                     with _TO(a, f, x, b, g, y) assigns what they return
//   BENCH_FORK_ORDERED(f, x, g, y)    the same; one worker runs f before g in every library
//   BENCH_FORK_THREE, BENCH_FORK_FOUR(f, x, y, …)   f with each of these arguments
//   BENCH_FORK_ALL(count, i, f, args) f for all i below a constant
//   BENCH_FORK_N(count, i, f, args)   f for all i below a number, a fork for each
//   BENCH_LOOP(first, last, grain, part, object)   part, a function or a member of object, with
//                                     object, from and to: for parts of the range
//
// Parameters and arguments are in parentheses: BENCH_CALL(f, (x, y)). A parameter of type passed<T>
// is a reference if the caller outlives the call, and a copy otherwise.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string_view>
#include <utility>

#include "harness/enroll.hpp"

#define BENCH_LIST(...) __VA_ARGS__
#define BENCH_PART(part, object) \
  [&](std::size_t from, std::size_t to) { std::invoke(part, object, from, to); }

namespace nopal_bench {

/// The widest fork of a kernel. A library may name its variants after what it has for such forks.
enum class widest { two, few, all, n };

}  // namespace nopal_bench
