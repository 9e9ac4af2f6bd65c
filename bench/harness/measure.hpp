// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "harness/program.hpp"

namespace nopal_bench {

/// A result that is not the workload's.
struct wrong_result : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// How often to run.
struct schedule {
  unsigned repetitions = 1;
  bool warm_up = true;
  /// A warm-up of more seconds than this counts as the first repetition. At that length what it
  /// warms up is noise, and a second one would double the time of a whole table.
  double keep_warm_up_above = 5;
};

nlohmann::json to_json(const description& d);

/// Runs a variant in this process and returns its record, one JSON object.
/// \throws wrong_result if a result is wrong, also that of the warm-up.
nlohmann::json measure(const variant& what, const settings& how, const schedule& when);

}  // namespace nopal_bench
