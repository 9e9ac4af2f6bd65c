// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lace.h>

#include <cstddef>
#include <string>
#include <utility>

#include "harness/program.hpp"

namespace nopal_bench {

/// Lace's workers, of which a process has one set. The calling thread is none of them, and waits in
/// RUN().
class lace_session {
 public:
  static constexpr bool parallel = true;
  static description peer() {
    return {{"name", "Lace"}, {"version", std::string(NOPAL_BENCH_LACE_VERSION)}};
  }

  lace_session(unsigned workers, std::size_t stack_bytes) {
    lace_set_stacksize(stack_bytes);
    lace_start(workers, 0);  // 0: deques as long as Lace recommends
  }
  ~lace_session() { lace_stop(); }
  lace_session(const lace_session&) = delete;
  lace_session& operator=(const lace_session&) = delete;

  /// `f` is a function that calls RUN(), which is a macro.
  template <class F, class... A>
  decltype(auto) run(F f, A&&... args) {
    return f(std::forward<A>(args)...);
  }
  [[nodiscard]] static std::string figures() { return {}; }
};

}  // namespace nopal_bench
