// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace nopal_bench {

/// Random integers to be sorted, the same for every variant.
class numbers_to_sort {
 public:
  explicit numbers_to_sort(std::size_t n) : unsorted_(n) {
    std::mt19937 random(1);
    std::generate(unsorted_.begin(), unsorted_.end(), [&] { return static_cast<int>(random()); });
    sum_ = checksum(unsorted_);
  }

  void copy_to(std::vector<int>& data) const {
    std::copy(unsorted_.begin(), unsorted_.end(), data.begin());
  }

  /// What is wrong with the sorted numbers; empty: nothing.
  [[nodiscard]] std::string error(const std::vector<int>& data) const {
    if (!std::is_sorted(data.begin(), data.end())) {
      return "not sorted";
    }
    return checksum(data) == sum_ ? "" : "other numbers than were given";
  }

 private:
  // The sum does not depend on the order, and differs if a number is lost and another doubled.
  static std::uint64_t checksum(const std::vector<int>& values) {
    return std::accumulate(
        values.begin(), values.end(), std::uint64_t{0}, [](std::uint64_t total, int value) {
          const auto x = static_cast<std::uint64_t>(static_cast<std::uint32_t>(value)) + 1;
          return total + x * x * 0x9e3779b97f4a7c15U;
        });
  }

  std::vector<int> unsorted_;
  std::uint64_t sum_ = 0;
};

}  // namespace nopal_bench
