// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tbb/global_control.h>
#include <tbb/task_arena.h>
#include <tbb/version.h>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "harness/program.hpp"

namespace nopal_bench {

/// oneTBB with a given number of threads, the calling one among them: an arena of that size, and a
/// limit on the whole library so that no further thread is started. Its threads get the stack size
/// that is asked for; the calling one has it already.
class tbb_session {
 public:
  static constexpr bool parallel = true;
  static description peer() { return {{"name", "oneTBB"}, {"version", TBB_runtime_version()}}; }

  tbb_session(unsigned workers, std::size_t stack_bytes)
      : limit_(tbb::global_control::max_allowed_parallelism, workers),
        arena_(static_cast<int>(workers)) {
    if (stack_bytes != 0) {
      stacks_.emplace(tbb::global_control::thread_stack_size, stack_bytes);
    }
  }

  template <class F, class... A>
  auto run(F f, A... args) {
    return arena_.execute([&] { return std::invoke(f, args...); });
  }
  [[nodiscard]] static std::string figures() { return {}; }

 private:
  tbb::global_control limit_;
  std::optional<tbb::global_control> stacks_;
  tbb::task_arena arena_;
};

}  // namespace nopal_bench
