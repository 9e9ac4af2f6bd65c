// SPDX-License-Identifier: Apache-2.0
// Is C = A·B? Freivalds 1977 compares C·x with A·(B·x) for a random x, in time proportional to the
// size of the matrices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "workloads/linear_algebra/times_vector.hpp"

namespace nopal_bench {

/// \returns A random vector of integers from 1 to 1024.
inline std::vector<double> random_integers(std::size_t n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<double> x(n);
  for (double& value : x) {
    value = static_cast<double>(random() >> 54) + 1;
  }
  return x;
}

/// The check of a product of two square matrices of small integers, which makes it exact: every
/// number here is an integer below 2^53. A single wrong element in a row is found always, since no
/// element of x is 0; any other wrong row goes undetected with a probability of at most 1/1024.
class product_check {
 public:
  template <class Matrix>
  product_check(const Matrix& a, const Matrix& b)
      : x_(random_integers(a.size(), 3)), expected_(times_vector(a, times_vector(b, x_))) {}

  /// \returns What is wrong with the product; empty: nothing.
  template <class Matrix>
  [[nodiscard]] std::string error(const Matrix& c) const {
    const std::vector<double> y = times_vector(c, x_);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < y.size(); ++i) {
      wrong += y[i] == expected_[i] ? 0 : 1;  // a NaN is wrong, too
    }
    return wrong == 0
               ? ""
               : std::to_string(wrong) + " of " + std::to_string(y.size()) + " rows are wrong";
  }

 private:
  std::vector<double> x_;
  std::vector<double> expected_;
};

}  // namespace nopal_bench
