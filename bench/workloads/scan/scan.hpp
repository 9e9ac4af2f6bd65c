// SPDX-License-Identifier: Apache-2.0
// The running sums of n doubles, into another array, by what a library has for it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/enroll.hpp"
#include "workloads/common/whole_doubles.hpp"

namespace nopal_bench {

struct scan_problem {
  static constexpr std::string_view name = "scan";
  static constexpr std::array sizes{problem_size{"smoke", 10000}, problem_size{"quick", 100000000},
                                    problem_size{"paper", 1000000000}};

  explicit scan_problem(std::uint64_t size) : numbers(whole_doubles(size)), sums(size) {}

  void prepare() {
    std::fill(sums.begin(), sums.end(), -1.0);
    result = false;
  }
  [[nodiscard]] std::string error() const {
    double expected = 0;
    for (std::size_t i = 0; i < sums.size(); ++i) {
      expected += numbers[i];
      if (sums[i] != expected) {
        return "sum " + std::to_string(i) + " is " + std::to_string(sums[i]) + ", not " +
               std::to_string(expected);
      }
    }
    return "";
  }

  std::vector<double> numbers;
  std::vector<double> sums;
  bool result = false;  // set after the scan, for the record
};

/// The kernel of all variants: f takes the numbers, the place of the sums, and how many.
template <class Session, class F>
void run_scan(Session& session, scan_problem& p, F f) {
  session.run(f, static_cast<const double*>(p.numbers.data()), p.sums.data(), p.numbers.size());
  p.result = true;
}

}  // namespace nopal_bench
