// SPDX-License-Identifier: Apache-2.0
// What the micro-measurements share: their command line and the line of JSON that they print.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <nopal/nopal.hpp>
#include <string>

#include "harness/statistics_text.hpp"

namespace nopal_bench {

/// A micro-measurement. It has one parameter of its own beside the workers and what they do when
/// idle.
struct micro {
  std::string name;
  std::string what;  // one sentence
  nopal::idle_policy idle;
  std::string parameter;  // the name of its option
  std::string parameter_meaning;
  double parameter_default;
  std::function<nlohmann::json(const nopal::options&, double parameter)> measure;
  unsigned workers = 2;  // unless the command line says another number
};

/// Parses the command line, measures, and prints the record with build and machine.
/// \returns The exit status: 0, 1 for a failed measurement, 2 for a wrong command line.
int micro_main(int argc, char** argv, const micro& m);

/// A runtime's statistics as JSON.
inline nlohmann::json statistics_json(const nopal::runtime& rt, const nopal::options& o) {
  return nlohmann::json::parse(statistics_text(rt.stats(), o));
}

}  // namespace nopal_bench
