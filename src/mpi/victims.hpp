// SPDX-License-Identifier: Apache-2.0
// This chooses the rank that is asked for work.
#pragma once

#include <random>
#include <utility>
#include <vector>

namespace nopal::detail::mpi {

/// Chooses among the other ranks at random: three times of four one on the same machine, if there
/// is one, because that answers sooner. The rest keeps work from staying on a machine.
class victims {
 public:
  /// \param near  the other ranks on the machine of `rank`.
  victims(int rank, int size, std::vector<int> near)
      : rank_(rank),
        size_(size),
        near_(std::move(near)),
        random_((static_cast<unsigned>(rank) + 1) * 2654435761U) {}

  /// Returns a rank. There is another one.
  int draw() {
    const auto below = [this](int n) { return std::uniform_int_distribution(0, n - 1)(random_); };
    if (!near_.empty() && below(4) != 0)
      return near_[static_cast<std::size_t>(below(static_cast<int>(near_.size())))];
    return (rank_ + 1 + below(size_ - 1)) % size_;
  }

 private:
  int rank_;
  int size_;
  std::vector<int> near_;
  std::minstd_rand random_;
};

}  // namespace nopal::detail::mpi
