// SPDX-License-Identifier: Apache-2.0
// One function that forks n times in a loop before it joins, like `loop`, but its children share
// nothing: each computes for some nanoseconds and writes a number of its own. What counts is the
// speedup. A child is much shorter than a steal, so a library gains from a second worker only if it
// hands over many children at once.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/enroll.hpp"

namespace nopal_bench {

/// What child i computes: about four nanoseconds of arithmetic, each step of which waits for the
/// one before.
inline std::uint32_t private_work(std::uint64_t i) {
  constexpr unsigned steps = 6;
  std::uint64_t x = i + 1;
  for (unsigned s = 0; s < steps; ++s) x = (x ^ (x >> 29)) * 0xbf58476d1ce4e5b9U;
  return static_cast<std::uint32_t>(x >> 32);
}

/// A child.
inline void private_child(std::uint32_t* numbers, std::uint64_t i) { numbers[i] = private_work(i); }

struct private_loop_problem {
  static constexpr std::string_view name = "private_loop";
  static constexpr std::array sizes{problem_size{"smoke", 1000}, problem_size{"quick", 10000000},
                                    problem_size{"paper", 10000000}};

  explicit private_loop_problem(std::uint64_t size) : numbers(size) {}

  void prepare() {
    std::fill(numbers.begin(), numbers.end(), 0);
    result = 0;
  }
  [[nodiscard]] std::string error() const {
    for (std::uint64_t i = 0; i < numbers.size(); ++i) {
      if (numbers[i] != private_work(i)) {
        return "child " + std::to_string(i) + " gives " + std::to_string(numbers[i]) + ", not " +
               std::to_string(private_work(i));
      }
    }
    return "";
  }

  std::vector<std::uint32_t> numbers;
  std::uint64_t result = 0;  // the last child's number, for the record
};

/// The kernel of all variants.
template <class Session, class F>
void run_private_loop(Session& session, private_loop_problem& p, F f) {
  session.run(f, p.numbers.data(), std::uint64_t{p.numbers.size()});
  p.result = p.numbers.back();
}

}  // namespace nopal_bench
