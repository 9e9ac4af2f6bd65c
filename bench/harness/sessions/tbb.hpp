// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tbb/global_control.h>
#include <tbb/task_arena.h>
#include <tbb/version.h>

#include <functional>
#include <string>

#include "harness/program.hpp"

namespace nopal_bench {

/// oneTBB with a given number of threads, the calling one among them: an arena of that size, and a limit on the whole
/// library so that no further thread is started.
class tbb_session {
 public:
  static constexpr bool parallel = true;
  static description peer() { return {{"name", "oneTBB"}, {"version", TBB_runtime_version()}}; }

  explicit tbb_session(unsigned workers)
      : limit_(tbb::global_control::max_allowed_parallelism, workers), arena_(static_cast<int>(workers)) {}

  template <class F, class... A>
  auto run(F f, A... args) {
    return arena_.execute([&] { return std::invoke(f, args...); });
  }
  [[nodiscard]] static std::string figures() { return {}; }

 private:
  tbb::global_control limit_;
  tbb::task_arena arena_;
};

}  // namespace nopal_bench
