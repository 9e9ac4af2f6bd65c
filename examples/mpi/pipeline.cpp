// SPDX-License-Identifier: Apache-2.0
// Blocks of numbers go around all ranks: rank 0 makes them, each rank changes what comes from the
// one before, and rank 0 collects them in the order in which it has made them.
//   mpiexec -n 4 example_mpi_pipeline [BLOCKS]
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <vector>

#include "nopal/algorithm/for_each.hpp"
#include "nopal/mpi.hpp"
#include "nopal/parallel_invoke.hpp"

namespace {

using block = std::vector<double>;
using stream = nopal::mpi::channel<block>;

block made(int number) {
  block b(10'000);
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = number + static_cast<double>(i) / 16;
  return b;
}

/// What a rank does to a block, with all of its workers.
void change(block& b, int rank) {
  nopal::for_each(std::size_t{0}, b.size(), [&](std::size_t i) { b[i] = std::sqrt(b[i] + rank); });
}

/// A rank between rank 0 and rank 0.
void pass_on(stream& in, stream& out, int rank) {
  for (block& b : in) {
    change(b, rank);
    if (!out.send(b)) return;
  }
  out.close();
}

void make_all(stream& out, int blocks) {
  for (int i = 0; i < blocks; ++i) out.send(made(i));
  out.close();
}

/// Returns how many blocks are what they must be.
int collect(stream& in, int ranks) {
  int right = 0;
  int number = 0;
  for (const block& b : in) {
    block expected = made(number++);
    for (int r = 1; r < ranks; ++r) change(expected, r);
    if (b == expected) ++right;
  }
  return right;
}

}  // namespace

int main(int argc, char** argv) {
  nopal::mpi::world world(argc, argv);
  const int blocks = argc > 1 ? std::atoi(argv[1]) : 100;
  const int ranks = world.size();
  // All ranks make all channels, and keep the two that they use: the others are closed at once.
  std::optional<stream> in;
  std::optional<stream> out;
  for (int r = 0; r < ranks; ++r) {
    const int next = (r + 1) % ranks;
    stream c = world.channel<block>(next, 4 * static_cast<std::size_t>(ranks));
    if (world.rank() == r) out = c;
    if (world.rank() == next) in = c;
  }
  if (ranks > 1) in->close();  // only the rank before sends there
  if (world.rank() != 0) {
    pass_on(*in, *out, world.rank());
    return 0;
  }
  int right = 0;
  nopal::parallel_invoke([&] { make_all(*out, blocks); }, [&] { right = collect(*in, ranks); });
  std::printf("%d of %d blocks have gone around %d ranks\n", right, blocks, ranks);
  return right == blocks ? 0 : 1;
}
