// SPDX-License-Identifier: Apache-2.0
// A program whose processes share work; here there is one.
#include <cstdio>
#include <functional>
#include <nopal/mpi.hpp>

int main(int argc, char** argv) {
  nopal::mpi::world world(argc, argv);
  const int sum = world.fold_range(0, 1000, 0, std::plus<>());
  std::printf("%d of %d: %d\n", world.rank(), world.size(), sum);
  return sum == 499500 ? 0 : 1;
}
