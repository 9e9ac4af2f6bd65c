// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <utility>

// The baseline of record has real calls: a compiler that inlines a small recursive function into
// itself removes most of the calls that a fork is compared with. The same source is built both
// ways, and both are reported.
#ifdef NOPAL_BENCH_REAL_CALLS
#define NOPAL_BENCH_CALLED [[gnu::noinline]]
#else
#define NOPAL_BENCH_CALLED
#endif

#include "harness/program.hpp"

namespace nopal_bench {

/// A session without a scheduler. A deep recursion needs the stack of the main thread, which main()
/// sees to.
class serial_session {
 public:
  static constexpr bool parallel = false;
  static description peer() { return {{"name", "none"}, {"version", ""}}; }

  serial_session(unsigned, std::size_t) {}

  template <class F, class... A>
  decltype(auto) run(F&& f, A&&... args) {
    return std::invoke(std::forward<F>(f), std::forward<A>(args)...);
  }
  [[nodiscard]] static std::string figures() { return {}; }
};

}  // namespace nopal_bench
