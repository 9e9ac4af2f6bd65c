// SPDX-License-Identifier: Apache-2.0
#include "nopal/detail/platform/fence.hpp"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

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
  if (membarrier(command_of_fence) != 0)
    broken_invariant(
        "membarrier(2), which worked when the runtime started, fails now; a seccomp filter was "
        "added since?");
}

}  // namespace nopal::detail
