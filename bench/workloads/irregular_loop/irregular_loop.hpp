// SPDX-License-Identifier: Apache-2.0
// One function that forks n times in a loop before it joins, like `loop`, but its children are of
// very different length: most take some nanoseconds, a few hundreds of times as much.
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

/// The longest child takes so many steps, some two microseconds.
constexpr unsigned irregular_most_steps = 1024;

/// One step of a child: the next number of a linear congruence, which must wait for the one before.
struct irregular_step {
  static constexpr std::uint64_t factor = 6364136223846793005U;
  static constexpr std::uint64_t summand = 1442695040888963407U;
};

/// How many steps child i takes. It is a random number, and is s or more with a probability of
/// about one divided by the root of s.
inline unsigned irregular_steps(std::uint64_t i) {
  std::uint64_t x = (i + 1) * 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93U;
  const double chance = static_cast<double>((x >> 32) + 1) * 0x1p-32;  // above 0, up to 1
  return static_cast<unsigned>(
      std::min(1 / (chance * chance) - 1, static_cast<double>(irregular_most_steps)));
}

/// A child.
inline void irregular_child(std::uint64_t* numbers, std::uint64_t i) {
  std::uint64_t number = i;
  for (unsigned steps = irregular_steps(i); steps > 0; --steps) {
    number = number * irregular_step::factor + irregular_step::summand;
  }
  numbers[i] = number;
}

struct irregular_loop_problem {
  static constexpr std::string_view name = "irregular_loop";
  static constexpr std::array sizes{problem_size{"smoke", 100000}, problem_size{"quick", 5000000},
                                    problem_size{"paper", 10000000}};

  explicit irregular_loop_problem(std::uint64_t size) : numbers(size) {}

  void prepare() {
    std::fill(numbers.begin(), numbers.end(), 0);
    result = 0;
  }

  // Many steps can be taken at once, by a product and a sum whose coefficients do not depend on the
  // child.
  [[nodiscard]] std::string error() const {
    std::array<std::uint64_t, irregular_most_steps + 1> factors{1};
    std::array<std::uint64_t, irregular_most_steps + 1> summands{0};
    for (std::size_t s = 1; s < factors.size(); ++s) {
      factors[s] = factors[s - 1] * irregular_step::factor;
      summands[s] = summands[s - 1] * irregular_step::factor + irregular_step::summand;
    }
    for (std::uint64_t i = 0; i < numbers.size(); ++i) {
      const unsigned steps = irregular_steps(i);
      const std::uint64_t right = i * factors[steps] + summands[steps];
      if (numbers[i] != right) {
        return "child " + std::to_string(i) + " gives " + std::to_string(numbers[i]) + ", not " +
               std::to_string(right);
      }
    }
    return "";
  }

  std::vector<std::uint64_t> numbers;
  std::uint64_t result = 0;  // the last child's number, for the record
};

/// The kernel of all variants.
template <class Session, class F>
void run_irregular_loop(Session& session, irregular_loop_problem& p, F f) {
  session.run(f, p.numbers.data(), std::uint64_t{p.numbers.size()});
  p.result = p.numbers.back();
}

}  // namespace nopal_bench
