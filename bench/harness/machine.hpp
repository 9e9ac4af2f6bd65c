// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

namespace nopal_bench {

/// CPU model, number of CPUs open to this process, kernel.
nlohmann::json describe_machine();

}  // namespace nopal_bench
