// SPDX-License-Identifier: Apache-2.0
// A search that ends as soon as a solution is found: the first moves of a sudoku are tried one
// after the other until there are some hundred boards, and find_if solves these at the same time.
// It returns the first solution in order, whoever is first.
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <nopal/algorithm/find.hpp>
#include <nopal/nopal.hpp>
#include <string>
#include <vector>

namespace {

using board = std::string;  // 81 digits, row by row, with a '.' where there is none yet

bool fits(const board& b, std::size_t cell, char digit) {
  const std::size_t row = cell / 9, column = cell % 9;
  for (std::size_t i = 0; i < 9; ++i) {
    const std::size_t in_box = (row / 3 * 3 + i / 3) * 9 + column / 3 * 3 + i % 3;
    if (b[row * 9 + i] == digit || b[i * 9 + column] == digit || b[in_box] == digit) return false;
  }
  return true;
}

/// Fills in all that is left if it can.
bool solve(board& b) {
  const std::size_t cell = b.find('.');
  if (cell == board::npos) return true;
  for (char digit = '1'; digit <= '9'; ++digit) {
    if (!fits(b, cell, digit)) continue;
    b[cell] = digit;
    if (solve(b)) return true;
  }
  b[cell] = '.';
  return false;
}

/// Returns all that can be made of the boards by one more digit in the first empty cell.
std::vector<board> next_moves(const std::vector<board>& boards) {
  std::vector<board> next;
  for (board b : boards) {
    const std::size_t cell = b.find('.');
    for (char digit = '1'; digit <= '9'; ++digit) {
      if (!fits(b, cell, digit)) continue;
      next.push_back(b);
      next.back()[cell] = digit;
    }
  }
  return next;
}

}  // namespace

int main() {
  const board puzzle =
      "8........"
      "..36....."
      ".7..9.2.."
      ".5...7..."
      "....457.."
      "...1...3."
      "..1....68"
      "..85...1."
      ".9....4..";
  std::vector<board> boards{puzzle};
  while (boards.size() < 300) boards = next_moves(boards);

  const auto found = nopal::find_if(nopal::grain{1}, boards, [](board b) { return solve(b); });
  if (found == boards.end()) return 1;
  solve(*found);
  for (std::size_t row = 0; row < 9; ++row) std::printf("%s\n", found->substr(row * 9, 9).c_str());

  board expected = puzzle;
  return solve(expected) && *found == expected ? 0 : 1;
}
