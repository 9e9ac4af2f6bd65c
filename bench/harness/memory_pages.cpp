// SPDX-License-Identifier: Apache-2.0
#include "memory_pages.hpp"

#include <unistd.h>

#include <fstream>
#include <sstream>
#include <string>

namespace nopal_bench {

std::size_t memory_pages(int process, std::string_view without) {
  std::ifstream mappings("/proc/" + std::to_string(process) + "/smaps");
  std::size_t kibibytes = 0;
  bool counts = false;
  for (std::string line; std::getline(mappings, line);) {
    std::istringstream words(line);
    std::string first;
    std::string second;
    words >> first >> second;
    if (!first.ends_with(':')) {  // begin-end permissions offset device inode name
      counts = second.find('w') != std::string::npos &&
               (without.empty() || line.find(without) == std::string::npos);
    } else if (counts && first == "Pss:") {
      kibibytes += std::stoul(second);
    }
  }
  return kibibytes * 1024 / static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

std::size_t memory_pages() { return memory_pages(getpid()); }

}  // namespace nopal_bench
