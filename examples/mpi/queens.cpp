// SPDX-License-Identifier: Apache-2.0
// In how many ways n queens stand on a board without attacking each other, counted by all ranks:
//   mpiexec -n 2 example_mpi_queens [N]
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>

#include "nopal/mpi.hpp"

namespace {

/// Queens in the rows above. A bit for each square of the next row that is attacked.
struct board {
  int rows_left;
  std::uint32_t columns, falling, rising;
};

template <class Emit>
void put_queen(const board& b, std::uint32_t squares, const Emit& emit) {
  for (std::uint32_t free = squares & ~(b.columns | b.falling | b.rising); free != 0;
       free &= free - 1) {
    const std::uint32_t square = free & -free;
    emit(board{b.rows_left - 1, b.columns | square, (b.falling | square) << 1,
               (b.rising | square) >> 1});
  }
}

std::uint64_t count(const board& b, std::uint32_t squares) {
  if (b.rows_left == 0) return 1;
  std::uint64_t n = 0;
  put_queen(b, squares, [&](const board& next) { n += count(next, squares); });
  return n;
}

}  // namespace

int main(int argc, char** argv) {
  nopal::mpi::world world(argc, argv);
  const int n = argc > 1 ? std::atoi(argv[1]) : 10;
  const std::uint32_t squares = (1U << n) - 1;
  const auto solutions = world.fold_tree(
      board{n, 0, 0, 0},
      [squares](const board& b, const auto& emit) -> std::uint64_t {
        // What is small is not worth a fork for each node.
        if (b.rows_left <= 6) return count(b, squares);
        put_queen(b, squares, emit);
        return 0;
      },
      std::plus<>());
  if (world.rank() == 0)
    std::printf("%d queens: %llu ways\n", n, static_cast<unsigned long long>(solutions));
  return n != 10 || solutions == 724 ? 0 : 1;
}
