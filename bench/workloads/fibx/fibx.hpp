// SPDX-License-Identifier: Apache-2.0
// fibx(n) = fibx(n-1) + fibx(n-40), and 1 below 2: a fib whose tree leans to one side, so that it
// is n levels deep and most of what a thief takes is small. fibx(280) has 1.4 · 10^9 calls.
// Source: Lee et al. 2010, in which it needs the most stack of all programs.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/enroll.hpp"

namespace nopal_bench {

constexpr int fibx_gap = 40;

struct fibx_problem {
  static constexpr std::string_view name = "fibx";
  static constexpr std::array sizes{problem_size{"smoke", 160}, problem_size{"quick", 260},
                                    problem_size{"paper", 280}};

  explicit fibx_problem(std::uint64_t size) : n(static_cast<int>(size)) {}

  void prepare() { result = 0; }
  [[nodiscard]] std::string error() const {
    const int last = n;
    std::vector<std::uint64_t> table(static_cast<std::size_t>(last) + 1, 1);
    for (int i = 2; i <= last; ++i) {
      table[i] = table[i - 1] + (i >= fibx_gap ? table[i - fibx_gap] : 1);
    }
    return result == table.back()
               ? ""
               : std::to_string(result) + ", not " + std::to_string(table.back());
  }

  // n is volatile: no compiler may compute the result, or know it from the repetition before.
  volatile int n;
  std::uint64_t result = 0;
};

}  // namespace nopal_bench
