// SPDX-License-Identifier: Apache-2.0
#include "process_usage.hpp"

#include <sys/resource.h>

#include <fstream>
#include <limits>
#include <string>

namespace nopal_bench {

namespace {

double seconds(const timeval& t) {
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
}

std::uint64_t status_bytes(const std::string& key) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    if (word == key) {
      std::uint64_t kibibytes = 0;
      status >> kibibytes;
      return kibibytes * 1024;
    }
    status.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return 0;
}

}  // namespace

process_usage process_usage::now() {
  rusage r{};
  getrusage(RUSAGE_SELF, &r);
  return {.minor_page_faults = static_cast<std::uint64_t>(r.ru_minflt),
          .major_page_faults = static_cast<std::uint64_t>(r.ru_majflt),
          .voluntary_context_switches = static_cast<std::uint64_t>(r.ru_nvcsw),
          .involuntary_context_switches = static_cast<std::uint64_t>(r.ru_nivcsw),
          .user_seconds = seconds(r.ru_utime),
          .system_seconds = seconds(r.ru_stime)};
}

process_usage operator-(const process_usage& end, const process_usage& begin) {
  return {.minor_page_faults = end.minor_page_faults - begin.minor_page_faults,
          .major_page_faults = end.major_page_faults - begin.major_page_faults,
          .voluntary_context_switches =
              end.voluntary_context_switches - begin.voluntary_context_switches,
          .involuntary_context_switches =
              end.involuntary_context_switches - begin.involuntary_context_switches,
          .user_seconds = end.user_seconds - begin.user_seconds,
          .system_seconds = end.system_seconds - begin.system_seconds};
}

nlohmann::json to_json(const process_usage& usage) {
  return {{"minor_page_faults", usage.minor_page_faults},
          {"major_page_faults", usage.major_page_faults},
          {"voluntary_context_switches", usage.voluntary_context_switches},
          {"involuntary_context_switches", usage.involuntary_context_switches},
          {"user_seconds", usage.user_seconds},
          {"system_seconds", usage.system_seconds}};
}

std::uint64_t peak_resident_bytes() { return status_bytes("VmHWM:"); }
std::uint64_t resident_bytes() { return status_bytes("VmRSS:"); }

}  // namespace nopal_bench
