// SPDX-License-Identifier: Apache-2.0
#include "nopal/detail/platform/fence.hpp"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <thread>

#include "platform/message.hpp"

namespace nopal::detail {

constinit bool asymmetric_fences = false;

namespace {

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
  using namespace std::chrono_literals;
  // The kernel takes memory for a set of CPUs, and may have none at this moment. The caller cannot
  // go on without the fence.
  constexpr int most_attempts = 1000;
  for (int attempt = 1; membarrier(command_of_fence) != 0; ++attempt) {
    if (errno != ENOMEM)
      broken_invariant(
          "membarrier(2), which worked when the runtime started, fails now; a seccomp filter was "
          "added since?");
    if (attempt == most_attempts)
      broken_invariant("membarrier(2) has failed for a second: the kernel is out of memory");
    std::this_thread::sleep_for(1ms);
  }
}

}  // namespace nopal::detail
