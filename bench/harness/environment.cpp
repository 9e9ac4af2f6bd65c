// SPDX-License-Identifier: Apache-2.0
#include "environment.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>

namespace nopal_bench {

void have_environment(const environment& values, char** argv) {
  bool differs = false;
  for (const auto& [name, value] : values) {
    const char* now = std::getenv(name.c_str());
    if (now == nullptr || now != value) {
      setenv(name.c_str(), value.c_str(), 1);
      differs = true;
    }
  }
  if (differs) {
    execv("/proc/self/exe", argv);
    throw std::system_error(errno, std::generic_category(), "execv");
  }
}

}  // namespace nopal_bench
