// SPDX-License-Identifier: Apache-2.0
// fib(n) by the naive recursion: one fork for each call that is not a leaf, and next to no work
// beside it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "harness/enroll.hpp"

namespace nopal_bench {

struct fib_problem {
  static constexpr std::string_view name = "fib";
  static constexpr std::array sizes{problem_size{"smoke", 20}, problem_size{"quick", 42},
                                    problem_size{"paper", 42}};

  explicit fib_problem(std::uint64_t size) : n(static_cast<unsigned>(size)) {}

  void prepare() { result = 0; }
  [[nodiscard]] std::string error() const {
    std::uint64_t a = 0;
    std::uint64_t b = 1;
    for (unsigned i = 0, last = n; i < last; ++i) {
      const std::uint64_t next = a + b;
      a = b;
      b = next;
    }
    return result == a ? "" : std::to_string(result) + ", not " + std::to_string(a);
  }

  // n is volatile: no compiler may compute the result, or know it from the repetition before.
  volatile unsigned n;
  std::uint64_t result = 0;
};

}  // namespace nopal_bench
