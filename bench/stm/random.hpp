// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace nopal_bench {

/// A small generator of numbers: SplitMix64 (Steele, Lea and Flood 2014).
class random_numbers {
 public:
  explicit random_numbers(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  /// Less than n.
  unsigned below(unsigned n) { return static_cast<unsigned>((next() >> 32) * n >> 32); }
  bool one_in(unsigned n) { return below(n) == 0; }

 private:
  std::uint64_t state_;
};

}  // namespace nopal_bench
