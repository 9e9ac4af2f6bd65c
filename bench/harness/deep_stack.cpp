// SPDX-License-Identifier: Apache-2.0
#include "deep_stack.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>
#include <system_error>

#include "program.hpp"

namespace nopal_bench {

void have_stack_of(std::size_t bytes, char** argv) {
  constexpr const char* openmp_stacks = "OMP_STACKSIZE";
  rlimit limit{};
  if (bytes == 0 || getrlimit(RLIMIT_STACK, &limit) != 0 ||
      (limit.rlim_cur >= bytes && std::getenv(openmp_stacks) != nullptr)) {
    return;
  }
  if (limit.rlim_cur < bytes) {
    limit.rlim_cur = bytes;
    if (limit.rlim_max < bytes || setrlimit(RLIMIT_STACK, &limit) != 0) {
      throw not_possible_here("this size needs a stack of " + std::to_string(bytes) +
                              " bytes, the hard limit (ulimit -Hs) is " +
                              std::to_string(limit.rlim_max));
    }
  }
  setenv(openmp_stacks, (std::to_string(bytes) + 'B').c_str(), 0);
  execv("/proc/self/exe", argv);
  throw std::system_error(errno, std::generic_category(), "execv");
}

}  // namespace nopal_bench
