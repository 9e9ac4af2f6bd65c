// SPDX-License-Identifier: Apache-2.0
#include "machine.hpp"

#include <sched.h>
#include <sys/utsname.h>

#include <fstream>
#include <string>

namespace nopal_bench {

namespace {

std::string cpu_model() {
  std::ifstream cpuinfo("/proc/cpuinfo");
  for (std::string line; std::getline(cpuinfo, line);) {
    // x86-64 has a "model name"; aarch64 has only numbers, of which the part says the most.
    if (line.starts_with("model name") || line.starts_with("CPU part")) {
      const auto colon = line.find(": ");
      return colon == std::string::npos ? line : line.substr(colon + 2);
    }
  }
  return "unknown";
}

int cpus_open() {
  cpu_set_t set;
  CPU_ZERO(&set);
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
}

}  // namespace

nlohmann::json describe_machine() {
  utsname u{};
  uname(&u);
  return {{"cpu", cpu_model()},
          {"cpus", cpus_open()},
          {"kernel", std::string(u.sysname) + ' ' + static_cast<const char*>(u.release)},
          {"architecture", static_cast<const char*>(u.machine)}};
}

}  // namespace nopal_bench
