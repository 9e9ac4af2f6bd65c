// SPDX-License-Identifier: Apache-2.0
// A worker waits here if it finds something to run and has no stack to run it on, as long as the
// system has no memory for one. docs/scheduler.md, "Without a stack", describes it.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <thread>

#include "platform/message.hpp"
#include "scheduler/scheduler.hpp"

namespace nopal::detail {

/// Whether `w`, which has looked around, lacks a stack for what is there, or for what others may be
/// about to fork.
bool scheduler::lacks_stack(const scheduler_worker& w) const noexcept {
  return w.refused && w.spare == nullptr && (something_queued(w) || idle_.active_workers() != 0);
}

/// Waits for a moment. Nobody tells a worker that another process has given memory back, so it
/// looks from time to time. It stays a searcher meanwhile, and takes no step of the protocol of
/// idle workers.
void scheduler::wait_for_stack(scheduler_worker& w) noexcept {
  using namespace std::chrono_literals;
  constexpr std::chrono::steady_clock::duration shortest = 250us, longest = 4ms, patience = 1s;
  const auto now = std::chrono::steady_clock::now();
  // While a strand runs, its stack may become free.
  if (w.nap == w.nap.zero() || idle_.active_workers() != 0)
    w.stuck_since = now;
  else if (now - w.stuck_since >= patience &&
           !said_stuck_.exchange(true, std::memory_order_relaxed))
    say_stuck();
  w.nap = std::clamp(2 * w.nap, shortest, longest);
  std::this_thread::sleep_for(w.nap);
}

/// Says that the strands which hold the stacks wait, perhaps for what no worker can begin.
void scheduler::say_stuck() noexcept {
  std::array<char, 640> text;
  std::snprintf(
      text.data(), text.size(),
      "no worker of a runtime can go on: what is to run next needs a stack, and there is no memory "
      "for one. Strands that wait hold %zu stacks of %zu bytes each. Workers look every few "
      "milliseconds whether there is memory, or one of these strands has ended. If these wait for "
      "what cannot begin, that is never. Lower nopal::options::stack_bytes or NOPAL_STACK_BYTES, "
      "let fewer strands wait at a time, or raise the limit (ulimit -v, vm.max_map_count, the "
      "memory of the control group)",
      supply_.in_use(), options_.stack_bytes);
  write_message(text.data());
}

}  // namespace nopal::detail
