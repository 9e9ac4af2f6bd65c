// SPDX-License-Identifier: Apache-2.0
// The check of a decomposition compares its factors times a random vector with the matrix times
// that vector.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

namespace nopal_bench {

/// \returns A random vector of 1 and -1.
inline std::vector<double> random_signs(std::size_t n) {
  std::mt19937_64 random(3);
  std::vector<double> x(n);
  for (double& value : x) {
    value = random() % 2 == 0 ? 1 : -1;
  }
  return x;
}

/// \returns What is wrong with a vector whose elements should be those of another except for
/// rounding; empty: nothing. Rounding changes some units of the last place of scale; a lost update
/// of a block changes thousands of times more.
inline std::string residual_error(const std::vector<double>& y, const std::vector<double>& expected,
                                  double scale) {
  constexpr double bound = 1e-12;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double residual = std::abs(y[i] - expected[i]) / scale;
    if (!(residual <= bound)) {  // a NaN is wrong, too
      std::array<char, 80> text;
      std::snprintf(text.data(), text.size(), "row %zu: the residual is %g, more than %g", i,
                    residual, bound);
      return text.data();
    }
  }
  return "";
}

}  // namespace nopal_bench
