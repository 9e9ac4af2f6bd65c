// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <vector>

#include "mpi/victims.hpp"

namespace {

using nopal::detail::mpi::victims;

/// How often each rank is drawn, of a thousand times.
std::vector<int> draws(victims v, int size) {
  std::vector<int> n(static_cast<std::size_t>(size));
  for (int i = 0; i < 1000; ++i) ++n[static_cast<std::size_t>(v.draw())];
  return n;
}

TEST(Victims, AreAllOthers) {
  for (const int size : {2, 3, 8})
    for (int rank = 0; rank < size; ++rank) {
      const std::vector<int> n = draws(victims(rank, size, {}), size);
      for (int r = 0; r < size; ++r) {
        const int times = n[static_cast<std::size_t>(r)];
        EXPECT_EQ(times == 0, r == rank);
        if (r != rank) {
          EXPECT_GT(times, 500 / (size - 1));
        }
      }
    }
}

TEST(Victims, AreOnTheSameMachineMoreOften) {
  const std::vector<int> n = draws(victims(5, 8, {4, 6, 7}), 8);
  EXPECT_EQ(n[5], 0);
  EXPECT_GT(n[4] + n[6] + n[7], 700);
  for (const int far : {0, 1, 2, 3}) EXPECT_GT(n[static_cast<std::size_t>(far)], 10);
}

}  // namespace
