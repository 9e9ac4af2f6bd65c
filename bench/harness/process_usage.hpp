// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>

namespace nopal_bench {

/// What this process has used of the machine so far.
struct process_usage {
  std::uint64_t minor_page_faults = 0;
  std::uint64_t major_page_faults = 0;
  std::uint64_t voluntary_context_switches = 0;
  std::uint64_t involuntary_context_switches = 0;
  double user_seconds = 0;
  double system_seconds = 0;

  [[nodiscard]] static process_usage now();
};

/// Usage between two moments.
process_usage operator-(const process_usage& end, const process_usage& begin);
nlohmann::json to_json(const process_usage& usage);

/// Largest resident set in bytes of this program image, from /proc/self/status; 0 if that is not
/// there. getrusage's is not used: exec keeps the peak of the program that called it, so a runner's
/// own size would be the least reported.
std::uint64_t peak_resident_bytes();

/// Resident set in bytes now.
std::uint64_t resident_bytes();

}  // namespace nopal_bench
