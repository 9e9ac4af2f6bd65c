// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace nopal::detail {

/// Draws victims for one worker, near ones more often: weight 1 / (n_ij r_ij^2), where r_ij is the
/// topological distance and n_ij the number of workers at that distance (Williams and Elliott 2024,
/// equation 6).
class victims {
 public:
  /// \param distances  from this worker to each worker, by index; the worker's own entry is
  /// ignored.
  victims(unsigned self, const std::vector<unsigned>& distances, std::uint64_t seed);

  /// Whether there is anybody to steal from.
  [[nodiscard]] bool any() const noexcept { return !thresholds_.empty(); }

  /// Index of a worker other than this one. Precondition: any(). O(log workers).
  unsigned draw() noexcept;

 private:
  struct threshold {
    std::uint64_t
        below;  ///< Drawn when the random number is below this and not below the one before.
    unsigned index;
  };

  std::uint64_t state_;
  std::vector<threshold> thresholds_;
};

/// A seed drawn from the system, never 0.
std::uint64_t random_seed();

/// The n-th number of the sequence that `seed` starts: SplitMix64 (Steele, Lea and Flood 2014).
std::uint64_t mixed(std::uint64_t seed, std::uint64_t n) noexcept;

}  // namespace nopal::detail
