// SPDX-License-Identifier: Apache-2.0
// These make ranges in which something is to be found.
#pragma once

#include <cstddef>
#include <vector>

#include "support/ranges.hpp"

namespace nopal_test {

/// Returns the places among n elements where one is to be found: behind all of them, at the ends,
/// and around the places where a search cuts.
inline std::vector<std::size_t> places(std::size_t n) {
  std::vector<std::size_t> all{n};
  for (const std::size_t i : {0U, 1U, 2U, 31U, 32U, 63U, 64U, 65U, 66U, 4096U, 4161U})
    if (i < n) all.push_back(i);
  if (n > 1) all.insert(all.end(), {n - 2, n - 1});
  return all;
}

/// Returns n numbers without a pattern, each of them less than `values`.
inline std::vector<int> few_values(std::size_t n, unsigned values) {
  std::vector<int> v(n);
  for (std::size_t i = 0; i < n; ++i) v[i] = static_cast<int>(scrambled(i) / 7 % values);
  return v;
}

}  // namespace nopal_test
