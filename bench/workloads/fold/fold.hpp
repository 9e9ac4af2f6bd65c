// SPDX-License-Identifier: Apache-2.0
// The sum of n doubles, by what a library has for it, or by a loop over halves if it has nothing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/enroll.hpp"
#include "workloads/common/whole_doubles.hpp"

namespace nopal_bench {

struct fold_problem {
  static constexpr std::string_view name = "fold";
  static constexpr std::array sizes{problem_size{"smoke", 10000}, problem_size{"quick", 100000000},
                                    problem_size{"paper", 1000000000}};

  explicit fold_problem(std::uint64_t size) : numbers(whole_doubles(size)) {
    for (const double x : numbers) {
      expected += x;
    }
  }

  void prepare() { result = -1; }
  [[nodiscard]] std::string error() const {
    return result == expected ? "" : std::to_string(result) + " is not " + std::to_string(expected);
  }
  [[nodiscard]] const double* begin() const { return numbers.data(); }
  [[nodiscard]] const double* end() const { return numbers.data() + numbers.size(); }

  std::vector<double> numbers;
  double expected = 0;
  double result = -1;
};

/// The kernel of all variants: f takes the first number and the last, and returns the sum.
template <class Session, class F>
void run_fold(Session& session, fold_problem& p, F f) {
  p.result = session.run(f, p.begin(), p.end());
}

}  // namespace nopal_bench
