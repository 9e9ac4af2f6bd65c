// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cilk/cilk.h>

#ifdef NOPAL_CILK_PLUGIN  // the keywords are nopal's

#include "harness/sessions/nopal.hpp"

namespace nopal_bench {
using opencilk_session = nopal_session;
}

#else

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <utility>

#include "harness/program.hpp"

namespace nopal_bench {

/// OpenCilk, which has one runtime for a process. The calling thread is one of its workers.
/// OpenCilk reads the environment before main(), and can be told nothing later.
class opencilk_session {
 public:
  static constexpr bool parallel = true;
  static description peer() {
    return {{"name", "OpenCilk"}, {"version", std::string(this_compiler)}};
  }

  /// OpenCilk needs large stacks and deques if the recursion is deep. These are the largest that
  /// can be asked for; a stack never has more than 2000 pages.
  static environment environment_for(unsigned workers, std::size_t stack_bytes) {
    constexpr std::size_t most_stack_bytes = std::size_t{100} << 20;
    constexpr std::size_t most_deque_entries = 99999;
    environment e{{"CILK_NWORKERS", std::to_string(workers)}};
    if (stack_bytes != 0) {
      e.emplace_back("CILK_STACKSIZE", std::to_string(std::min(stack_bytes, most_stack_bytes)));
      e.emplace_back("CILK_DEQDEPTH", std::to_string(most_deque_entries));
    }
    return e;
  }

  opencilk_session(unsigned, std::size_t) {}

  template <class F, class... A>
  decltype(auto) run(F&& f, A&&... args) {
    return std::invoke(std::forward<F>(f), std::forward<A>(args)...);
  }
  [[nodiscard]] static std::string figures() { return {}; }
};

}  // namespace nopal_bench

#endif
