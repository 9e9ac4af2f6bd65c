// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

namespace nopal_test {

/// Whether a thread of this process waits in the kernel. Whatever wakes it makes this false before
/// it goes on itself.
/// \param thread  its directory below /proc/self/task; one that is gone does not wait.
inline bool waits(const std::filesystem::path& thread) {
  std::ifstream file(thread / "stat");
  std::string line;
  std::getline(file, line);
  const auto name_ends = line.rfind(')');  // it may contain anything
  return name_ends != std::string::npos && line.compare(name_ends, 3, ") S") == 0;
}

}  // namespace nopal_test
