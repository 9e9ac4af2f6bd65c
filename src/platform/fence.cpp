// SPDX-License-Identifier: Apache-2.0
#include "nopal/detail/platform/fence.hpp"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>

#include "platform/futex.hpp"
#include "platform/message.hpp"

namespace nopal::detail {

constinit bool asymmetric_fences = false;

namespace {

using clock = std::chrono::steady_clock;

std::atomic<clock::duration> fence_takes{std::chrono::microseconds(1)};

constinit int command_of_fence = MEMBARRIER_CMD_PRIVATE_EXPEDITED;

long membarrier(int command) noexcept { return syscall(SYS_membarrier, command, 0, 0); }

}  // namespace

bool register_process_wide_fence(bool allowed) noexcept {
  if (!allowed) return false;
  const long commands = membarrier(MEMBARRIER_CMD_QUERY);
  return commands >= 0 && (commands & MEMBARRIER_CMD_PRIVATE_EXPEDITED) != 0 &&
         membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) == 0;
}

void choose_fences(bool allowed) noexcept {
  static const bool chosen = (asymmetric_fences = register_process_wide_fence(allowed));
  static_cast<void>(chosen);
}

bool share_process_wide_fence() noexcept {
  const long commands = membarrier(MEMBARRIER_CMD_QUERY);
  if (commands < 0 || (commands & MEMBARRIER_CMD_GLOBAL_EXPEDITED) == 0 ||
      membarrier(MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED) != 0)
    return false;
  command_of_fence = MEMBARRIER_CMD_GLOBAL_EXPEDITED;
  return true;
}

void process_wide_fence() noexcept {
  if (membarrier(command_of_fence) != 0)
    broken_invariant(
        "membarrier(2), which worked when the runtime started, fails now; a seccomp filter was "
        "added since?");
}

void timed_thief_fence() noexcept {
  const clock::time_point start = clock::now();
  thief_fence();
  constexpr clock::duration most = std::chrono::microseconds(20);
  fence_takes.store(std::min(clock::now() - start, most), std::memory_order_relaxed);
}

clock::duration last_fence_took() noexcept { return fence_takes.load(std::memory_order_relaxed); }

}  // namespace nopal::detail
