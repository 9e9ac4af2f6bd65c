// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace nopal_bench {

/// The i-th number of a fold or scan: a whole number, so that every sum of up to 10^12 of them is
/// exact, however it is bracketed.
inline double whole_double(std::size_t i) { return static_cast<double>((i * 7919) % 1009); }

inline std::vector<double> whole_doubles(std::size_t n) {
  std::vector<double> numbers(n);
  for (std::size_t i = 0; i < n; ++i) {
    numbers[i] = whole_double(i);
  }
  return numbers;
}

}  // namespace nopal_bench
