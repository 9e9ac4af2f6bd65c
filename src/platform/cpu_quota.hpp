// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

namespace nopal::detail {

/// The files in which the kernel describes control groups. Tests inject other trees.
struct cgroup_paths {
  std::string membership = "/proc/self/cgroup";
  std::string mounts = "/proc/self/mountinfo";
};

/// Returns how many CPUs' worth of time the control groups of this process allow it, as a fraction:
/// the smallest quota over period of its group and all groups above (cpu.max in cgroup v2,
/// cpu.cfs_quota_us in v1). Returns nothing if there is no limit.
std::optional<double> cpu_quota(const cgroup_paths& paths = {});

}  // namespace nopal::detail
