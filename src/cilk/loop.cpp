// SPDX-License-Identifier: Apache-2.0
#include "nopal/detail/cilk/loop.hpp"

#include <cxxabi.h>

#include <algorithm>

#include "nopal/parallel_invoke.hpp"
#include "nopal/runtime.hpp"
#include "scheduler/scheduler.hpp"

namespace nopal::detail {
namespace {

/// A cilk_for, whose turns are halved until a part has at most `grain` of them.
struct loop {
  cilk_loop_body* body;
  void* captured;
  std::uint64_t grain;

  void run(std::uint64_t first, std::uint64_t last) const {
    if (last - first <= grain) {
      body(captured, first, last);
      return;
    }
    const std::uint64_t middle = first + (last - first) / 2;
    parallel_invoke([this, first, middle] { run(first, middle); },
                    [this, middle, last] { run(middle, last); });
  }
};

}  // namespace
}  // namespace nopal::detail

void nopal_cilk_for(nopal::detail::cilk_loop_body* body, void* captured, std::uint64_t count,
                    std::uint64_t grain) {
  if (count == 0) return;
  nopal::run([=] {
    std::uint64_t turns = grain;
    if (turns == 0) {
      constexpr std::uint64_t most = 2048;
      const std::uint64_t workers = nopal::detail::this_scheduler_worker().belongs_to->workers();
      turns = std::clamp<std::uint64_t>(count / (8 * workers), 1, most);
    }
    nopal::detail::loop{body, captured, turns}.run(0, count);
  });
}

void nopal_cilk_rethrow(void* exception) {
  struct caught {
    explicit caught(void* e) noexcept { abi::__cxa_begin_catch(e); }
    ~caught() { abi::__cxa_end_catch(); }
  } const here(exception);
  abi::__cxa_rethrow();
}
