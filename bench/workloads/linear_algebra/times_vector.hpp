// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace nopal_bench {

template <class Matrix>
std::vector<double> times_vector(const Matrix& m, const std::vector<double>& x) {
  std::vector<double> y(m.size());
  for (std::size_t i = 0; i < y.size(); ++i) {
    for (std::size_t j = 0; j < x.size(); ++j) {
      y[i] += m(i, j) * x[j];
    }
  }
  return y;
}

}  // namespace nopal_bench
