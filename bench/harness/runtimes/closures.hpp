// SPDX-License-Identifier: Apache-2.0
// The forks of libraries that take several closures: BENCH_INVOKE is what takes them.
#pragma once

#include "harness/runtimes/plain.hpp"

#define BENCH_FORK_TWO(f, x, g, y) BENCH_INVOKE([&] { f x; }, [&] { g y; })
#ifndef BENCH_FORK_TWO_TO
#define BENCH_FORK_TWO_TO(a, f, x, b, g, y) BENCH_INVOKE([&] { (a) = f x; }, [&] { (b) = g y; })
#endif
// The closures capture by value: what a closure refers to has to lie in memory, and a search has
// little else to do.
#define BENCH_FORK_ORDERED(f, x, g, y) BENCH_INVOKE([=] { f x; }, [=] { g y; })
#define BENCH_FORK_THREE(f, x, y, z) BENCH_INVOKE([&] { f x; }, [&] { f y; }, [&] { f z; })
#define BENCH_FORK_FOUR(f, w, x, y, z) \
  BENCH_INVOKE([&] { f w; }, [&] { f x; }, [&] { f y; }, [&] { f z; })
#define BENCH_FORK_ALL(count, i, f, args) invoke_all<count>([&](std::size_t i) { f args; })

namespace nopal_bench {

template <std::size_t Count, class Child>
void invoke_all(const Child& child) {
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    BENCH_INVOKE([&] { child(I); }...);
  }(std::make_index_sequence<Count>{});
}

}  // namespace nopal_bench
