// SPDX-License-Identifier: Apache-2.0
// Adaptive quadrature of (x² + 1) x from 0 to n, as in Cilk's benchmark: an interval is split until
// its halves sum to the same area within epsilon.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include "harness/enroll.hpp"

namespace nopal_bench {

constexpr double integrate_epsilon = 1e-9;

constexpr double integrand(double x) { return (x * x + 1) * x; }

/// One step: an interval cut at its middle, with the area of the trapezium over each half.
struct bisection {
  double x0;
  double y0;
  double left;
  double right;

  bisection(double x1, double y1, double x2, double y2) {
    const double half = (x2 - x1) / 2;
    x0 = x1 + half;
    y0 = integrand(x0);
    left = (y1 + y0) / 2 * half;
    right = (y0 + y2) / 2 * half;
  }
  /// Whether the halves say the same as the whole.
  [[nodiscard]] bool agrees(double area) const {
    return std::abs(left + right - area) <= integrate_epsilon;
  }
};

struct integrate_problem {
  static constexpr std::string_view name = "integrate";
  static constexpr std::array sizes{problem_size{"smoke", 10}, problem_size{"quick", 5000},
                                    problem_size{"paper", 10000}};

  explicit integrate_problem(std::uint64_t size) : n(static_cast<double>(size)) {}

  void prepare() { result = 0; }

  // The tree of calls depends on the rounding of every operation, and a lost subtree may be smaller
  // than any sensible tolerance. So the result is compared bit by bit with that of the serial
  // program, which is kept here for the named sizes. All files are compiled with -ffp-contract=off,
  // which makes the sums those of IEEE 754 for every compiler.
  [[nodiscard]] std::string error() const {
    const double exact = n * n * (n * n + 2) / 4;
    if (std::abs(result - exact) > 1e-8 * exact) {
      return text(result) + ", not near " + text(exact);
    }
    for (const auto& [at, value] : known) {
      if (at == n && result != value) {
        return text(result) + ", not " + text(value) + " as the serial program";
      }
    }
    return "";
  }

  double n;
  double result = 0;

 private:
  struct known_result {
    double n;
    double value;
  };
  static constexpr std::array known{
      known_result{10, 0x1.3ec0000537fccp+11}, known_result{1000, 0x1.d1a9872900021p+37},
      known_result{5000, 0x1.1c3794fb80400p+47}, known_result{10000, 0x1.1c3793dd661p+51}};

  static std::string text(double value) {
    std::array<char, 64> buffer;
    std::snprintf(buffer.data(), buffer.size(), "%a", value);
    return buffer.data();
  }
};

}  // namespace nopal_bench
