// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

namespace nopal_bench {

/// The CPU model, the number of CPUs open to this process, and the kernel.
nlohmann::json describe_machine();

}  // namespace nopal_bench
