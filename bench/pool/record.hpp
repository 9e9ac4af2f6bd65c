// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include "pool/load.hpp"
#include "pool/variants.hpp"

namespace nopal_bench {

/// What variants there are.
nlohmann::json list_pool_variants();

/// Measures a variant in this process, and returns the record.
/// \throws std::runtime_error if a result is wrong, or if memory cannot be where it should.
nlohmann::json measure_pool(const pool_variant& what, const pool_load& how, unsigned repetitions);

}  // namespace nopal_bench
