// SPDX-License-Identifier: Apache-2.0
// All placements of n queens, row by row. A loop forks once for each safe square of a row; there is
// no cutoff.
#pragma once

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "harness/enroll.hpp"

namespace nopal_bench {

constexpr unsigned most_queens = 16;

/// The column of the queen in each row filled so far.
using board = std::array<std::int8_t, most_queens>;

/// The boards that a row's safe squares lead to.
using boards = std::array<board, most_queens>;

/// Fills next with a board for each safe square of the row. \returns How many.
inline unsigned place_queen(const board& from, unsigned row, unsigned n, boards& next) {
  unsigned count = 0;
  for (unsigned column = 0; column < n; ++column) {
    bool safe = true;
    for (unsigned r = 0; r < row && safe; ++r) {
      const int sideways = static_cast<int>(column) - from[r];
      const int down = static_cast<int>(row - r);
      safe = sideways != 0 && sideways != down && sideways != -down;
    }
    if (safe) {
      next[count] = from;
      next[count][row] = static_cast<std::int8_t>(column);
      ++count;
    }
  }
  return count;
}

struct nqueens_problem {
  static constexpr std::string_view name = "nqueens";
  static constexpr std::array sizes{problem_size{"smoke", 7}, problem_size{"quick", 13},
                                    problem_size{"paper", 14}};

  explicit nqueens_problem(std::uint64_t size) : n(static_cast<unsigned>(size)) {
    if (size < 1 || size > most_queens) {
      throw std::invalid_argument("nqueens: n is " + std::to_string(size) +
                                  ", allowed are 1 to 16");
    }
  }

  void prepare() { result = 0; }
  [[nodiscard]] std::string error() const {
    constexpr std::array<std::uint64_t, most_queens + 1> known{
        1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200, 73712, 365596, 2279184, 14772512};
    const std::uint64_t right = known[n];
    return result == right ? "" : std::to_string(result) + ", not " + std::to_string(right);
  }

  unsigned n;
  std::uint64_t result = 0;
};

}  // namespace nopal_bench
