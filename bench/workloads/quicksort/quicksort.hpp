// SPDX-License-Identifier: Apache-2.0
// Quicksort of n random integers. The two sides of each partition are sorted in parallel, and short
// ranges by insertion.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/enroll.hpp"
#include "workloads/common/numbers_to_sort.hpp"

namespace nopal_bench {

/// Ranges up to this length are not split further.
constexpr std::ptrdiff_t quicksort_cutoff = 32;

/// Sorts a short range.
inline void insertion_sort(int* first, int* last) {
  for (int* i = first; i != last; ++i) {
    const int value = *i;
    int* hole = i;
    for (; hole != first && value < hole[-1]; --hole) {
      *hole = hole[-1];
    }
    *hole = value;
  }
}

/// Partitions at least three elements about the median of three, by Hoare's algorithm.
/// \returns The cut: nothing before it is greater than anything from it on, and both sides are
/// shorter than the whole.
inline int* partition(int* first, int* last) {
  const int a = *first;
  const int b = first[(last - first) / 2];
  const int c = last[-1];
  const int pivot = std::max(std::min(a, b), std::min(std::max(a, b), c));
  int* low = first;
  int* high = last - 1;
  for (;; ++low, --high) {
    while (*low < pivot) {
      ++low;
    }
    while (pivot < *high) {
      --high;
    }
    if (low >= high) {
      return low == first ? low + 1 : low;
    }
    std::swap(*low, *high);
  }
}

struct quicksort_problem {
  static constexpr std::string_view name = "quicksort";
  static constexpr std::array sizes{problem_size{"smoke", 10000}, problem_size{"quick", 10000000},
                                    problem_size{"paper", 100000000}};

  explicit quicksort_problem(std::uint64_t size) : input(size), data(size) {}

  void prepare() {
    input.copy_to(data);
    result = false;
  }
  [[nodiscard]] std::string error() const { return input.error(data); }
  [[nodiscard]] int* begin() { return data.data(); }
  [[nodiscard]] int* end() { return data.data() + data.size(); }

  numbers_to_sort input;
  std::vector<int> data;
  bool result = false;  // set once sorted, for the record
};

}  // namespace nopal_bench
