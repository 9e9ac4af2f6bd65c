// SPDX-License-Identifier: Apache-2.0
#include "scheduler/victims.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

namespace nopal::detail {

std::uint64_t random_seed() {
  std::random_device source;
  return (std::uint64_t{source()} << 32 | source()) | 1;
}

std::uint64_t mixed(std::uint64_t seed, std::uint64_t n) noexcept {
  std::uint64_t z = seed + (n + 1) * 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

victims::victims(unsigned self, const std::vector<unsigned>& distances, std::uint64_t seed)
    : state_(mixed(seed, self) | 1) {  // xorshift must not start at 0
  std::map<unsigned, unsigned> at_distance;
  for (unsigned i = 0; i < distances.size(); ++i)
    if (i != self) ++at_distance[distances[i]];
  // Two workers on one CPU are at distance 0, which must not give an infinite weight.
  const auto weight = [&](unsigned i) {
    const double r = std::max(1U, distances[i]);
    return 1.0 / (at_distance[distances[i]] * r * r);
  };
  double total = 0;
  for (unsigned i = 0; i < distances.size(); ++i)
    if (i != self) total += weight(i);
  double sum = 0;
  for (unsigned i = 0; i < distances.size(); ++i) {
    if (i == self) continue;
    sum += weight(i);
    thresholds_.push_back(
        {static_cast<std::uint64_t>(std::ldexp(std::min(sum / total, 0x1.fffffffffffffp-1), 64)),
         i});
  }
  if (!thresholds_.empty()) thresholds_.back().below = ~std::uint64_t{0};
}

victims::victims(const victims& like, unsigned self, std::uint64_t seed)
    : state_(mixed(seed, self) | 1), thresholds_(like.thresholds_) {}

unsigned victims::draw() noexcept {
  state_ ^= state_ << 13;
  state_ ^= state_ >> 7;
  state_ ^= state_ << 17;
  const auto drawn =
      std::upper_bound(thresholds_.begin(), thresholds_.end() - 1, state_,
                       [](std::uint64_t r, const threshold& t) { return r < t.below; });
  return drawn->index;
}

}  // namespace nopal::detail
