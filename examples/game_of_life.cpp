// SPDX-License-Identifier: Apache-2.0
// Conway's game of life on a torus: for_each goes over a grid, so that all cells of a generation
// are computed at the same time, from one board to another. A glider comes back to where it was
// when it has been around once.
#include <cstddef>
#include <cstdio>
#include <nopal/algorithm/grid.hpp>
#include <nopal/nopal.hpp>
#include <string>
#include <utility>
#include <vector>

namespace {

class board {
 public:
  explicit board(std::size_t side) : side_(side), cells_(side * side) {}

  void set(std::size_t row, std::size_t column) { cells_[row * side_ + column] = 1; }

  /// Makes this the generation after `before`, which has the same size.
  void follow(const board& before) {
    nopal::for_each(nopal::grid(side_, side_), [&](std::size_t row, std::size_t column) {
      const int neighbours = before.neighbours(row, column);
      const bool lives = neighbours == 3 || (neighbours == 2 && before.at(row, column) == 1);
      cells_[row * side_ + column] = lives ? 1 : 0;
    });
  }

  friend bool operator==(const board&, const board&) = default;

 private:
  [[nodiscard]] char at(std::size_t row, std::size_t column) const {
    return cells_[row * side_ + column];
  }
  [[nodiscard]] int neighbours(std::size_t row, std::size_t column) const {
    const std::size_t up = (row + side_ - 1) % side_, down = (row + 1) % side_;
    const std::size_t left = (column + side_ - 1) % side_, right = (column + 1) % side_;
    return at(up, left) + at(up, column) + at(up, right) + at(row, left) + at(row, right) +
           at(down, left) + at(down, column) + at(down, right);
  }

  std::size_t side_;
  std::vector<char> cells_;  // a vector<bool> has no elements that can be written at the same time
};

board play(board now, std::size_t generations) {
  board next = now;
  for (std::size_t i = 0; i < generations; ++i) {
    next.follow(now);
    std::swap(now, next);
  }
  return now;
}

}  // namespace

int main() {
  constexpr std::size_t side = 96;
  board glider(side);
  for (const auto& [row, column] : {std::pair(0, 1), {1, 2}, {2, 0}, {2, 1}, {2, 2}})
    glider.set(static_cast<std::size_t>(row), static_cast<std::size_t>(column));

  // It moves by one row and one column in four generations.
  const bool back = play(glider, 4 * side) == glider;
  const bool elsewhere = play(glider, 2 * side) != glider;
  std::printf("the glider %s\n", back && elsewhere ? "is back" : "has NOT come back");
  return back && elsewhere ? 0 : 1;
}
