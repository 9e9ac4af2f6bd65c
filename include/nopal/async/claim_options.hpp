// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <climits>
#include <optional>
#include <vector>

namespace nopal {
#ifdef NOPAL_SERIAL
inline namespace serial {  // as in options.hpp
#endif

/// Says which workers a claim may have, by the CPU on which a worker begins. If several members are
/// set, a worker has to be in all of them. options::pin keeps workers on their CPUs; without it the
/// system may move them.
/// \code
/// const nopal::claim_place second_node{.numa_node = 1};
/// const nopal::claim_place four_cores{.cpus = {0, 1, 2, 3}};
/// \endcode
struct claim_place {
  /// If set: the package, as the operating system counts (physical_package_id in sysfs).
  std::optional<unsigned> package = {};
  /// If set: the NUMA node, as the operating system counts.
  std::optional<unsigned> numa_node = {};
  /// If not empty: the CPUs, as the operating system counts.
  std::vector<unsigned> cpus = {};

  /// Whether every worker may be in it.
  [[nodiscard]] bool is_anywhere() const noexcept {
    return !package.has_value() && !numa_node.has_value() && cpus.empty();
  }
};

/// How many workers a claim is to have, and which.
/// \code
/// nopal::runtime r({.workers = 4});
/// nopal::claim two_or_three = r.claim({.at_least = 2, .at_most = 8});
/// \endcode
struct claim_options {
  /// The claim is refused if fewer workers are free. At least 1.
  unsigned at_least = 1;

  /// The claim gets as many workers as are free, up to this number. Not below at_least.
  unsigned at_most = UINT_MAX;

  /// Where the workers of the claim are.
  claim_place place = {};
};

#ifdef NOPAL_SERIAL
}  // namespace serial
#endif
}  // namespace nopal
