// SPDX-License-Identifier: Apache-2.0
// Heat diffusion on an n × n grid with a fixed border: each step computes all points from those of
// the step before (Jacobi, five points). Within a step the rows are halved; between steps
// everything is joined. There are n · 500 / 2048 steps, and at least one: 500 for n = 2048.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <string_view>

#include "harness/enroll.hpp"
#include "workloads/linear_algebra/square_matrix.hpp"

namespace nopal_bench {

/// So many rows are not split further. They take some 10 µs if n is 2048.
constexpr std::size_t heat_cutoff = 8;

/// One step: a grid, and the place of the next grid.
struct heat_step {
  const double* from;
  double* to;
  std::size_t stride;
  std::size_t n;
};

/// Computes a row of the inner points. It is not inlined, so that every variant runs the same
/// machine code.
[[gnu::noinline]] inline void diffuse_row(const heat_step& s, std::size_t i) {
  const double* above = s.from + (i - 1) * s.stride;
  const double* here = above + s.stride;
  const double* below = here + s.stride;
  double* __restrict to = s.to + i * s.stride;
  for (std::size_t j = 1; j + 1 < s.n; ++j) {
    const double vertical = above[j] - 2 * here[j] + below[j];
    const double horizontal = here[j - 1] - 2 * here[j] + here[j + 1];
    to[j] = here[j] + 0.125 * vertical + 0.1 * horizontal;
  }
}

inline void diffuse_rows(const heat_step& s, std::size_t first, std::size_t last) {
  for (std::size_t i = first; i < last; ++i) {
    diffuse_row(s, i);
  }
}

struct heat_problem {
  static constexpr std::string_view name = "heat";
  static constexpr std::array sizes{problem_size{"smoke", 128}, problem_size{"quick", 1536},
                                    problem_size{"paper", 2048}};

  explicit heat_problem(std::uint64_t size)
      : n(checked(size)), steps(std::max<std::size_t>(1, n * 500 / 2048)), even(n), odd(n) {
    for (const auto& [at, hash] : known) {
      if (at == n) {
        expected = hash;
        return;
      }
    }
    prepare();
    diffuse_plainly();
    expected = hash_of_last_grid();
  }

  void prepare() {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        const double degrees = static_cast<double>((i * 7919 + j * 104729 + i * j) % 1009);
        even(i, j) = degrees;
        odd(i, j) = is_border(i) || is_border(j) ? degrees : -1;
      }
    }
    result = false;
  }

  // Grids are compared bit by bit: every point of every step is a sum in a fixed order. All files
  // are compiled with -ffp-contract=off, so the sums are those of IEEE 754 for every compiler.
  [[nodiscard]] std::string error() const {
    const std::uint64_t hash = hash_of_last_grid();
    return hash == expected ? "" : "the grid has hash " + text(hash) + ", not " + text(expected);
  }

  /// The step with this number, counted from 0.
  [[nodiscard]] heat_step step(std::size_t number) {
    square_matrix& from = number % 2 == 0 ? even : odd;
    square_matrix& to = number % 2 == 0 ? odd : even;
    return {from.data(), to.data(), from.stride(), n};
  }

  std::size_t n;
  std::size_t steps;
  square_matrix even;  // the grid after an even number of steps
  square_matrix odd;
  std::uint64_t expected = 0;
  bool result = false;  // set after the last step, for the record

 private:
  struct known_result {
    std::size_t n;
    std::uint64_t hash;
  };
  static constexpr std::array known{known_result{128, 0xe8e26becac910034},
                                    known_result{1536, 0xfd4af1a3b867dee3},
                                    known_result{2048, 0xe08c1c6e3986c4e4}};

  // Computes the right result by loops over the whole grid, for sizes whose result is not known.
  void diffuse_plainly() {
    for (std::size_t s = 0; s < steps; ++s) {
      const square_matrix& from = s % 2 == 0 ? even : odd;
      square_matrix& to = s % 2 == 0 ? odd : even;
      for (std::size_t i = 1; i + 1 < n; ++i) {
        for (std::size_t j = 1; j + 1 < n; ++j) {
          const double here = from(i, j);
          to(i, j) = here + 0.125 * (from(i - 1, j) - 2 * here + from(i + 1, j)) +
                     0.1 * (from(i, j - 1) - 2 * here + from(i, j + 1));
        }
      }
    }
  }

  [[nodiscard]] std::uint64_t hash_of_last_grid() const {
    const square_matrix& grid = steps % 2 == 0 ? even : odd;
    std::uint64_t hash = 0;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        hash =
            (std::rotl(hash, 5) ^ std::bit_cast<std::uint64_t>(grid(i, j))) * 0x9e3779b97f4a7c15U;
      }
    }
    return hash;
  }

  [[nodiscard]] bool is_border(std::size_t i) const { return i == 0 || i == n - 1; }

  static std::string text(std::uint64_t hash) {
    std::array<char, 32> buffer;
    std::snprintf(buffer.data(), buffer.size(), "%016llx", static_cast<unsigned long long>(hash));
    return buffer.data();
  }
  static std::size_t checked(std::uint64_t n) {
    if (n < 3) {
      throw std::invalid_argument("heat: n is " + std::to_string(n) +
                                  ", the least that is allowed is 3");
    }
    return n;
  }
};

}  // namespace nopal_bench
