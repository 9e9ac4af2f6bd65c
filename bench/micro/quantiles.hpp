// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <vector>

namespace nopal_bench {

/// The count, the extremes and the quantiles of some values; null if there are none.
inline nlohmann::json quantiles(std::vector<double> values) {
  if (values.empty()) {
    return nullptr;
  }
  std::sort(values.begin(), values.end());
  const auto at = [&](double q) {
    return values[static_cast<std::size_t>(q * static_cast<double>(values.size() - 1))];
  };
  return {{"count", values.size()}, {"min", values.front()}, {"p10", at(0.1)},
          {"median", at(0.5)},      {"p90", at(0.9)},        {"p99", at(0.99)},
          {"max", values.back()}};
}

}  // namespace nopal_bench
