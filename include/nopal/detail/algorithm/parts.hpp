// SPDX-License-Identifier: Apache-2.0
// The algorithms cut a range by halves into blocks of one grain each.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "nopal/algorithm/grain.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

/// Elements from..to of a range, by their numbers.
struct part {
  std::ptrdiff_t from;
  std::ptrdiff_t to;

  [[nodiscard]] constexpr std::ptrdiff_t size() const noexcept { return to - from; }

  /// Returns where to halve: a whole number of blocks lies before that place. So all leaves except
  /// the last are of one size, and begin where the first does modulo that size: vectors stay
  /// aligned, and two leaves share few cache lines.
  [[nodiscard]] constexpr std::ptrdiff_t middle(std::ptrdiff_t grain) const noexcept {
    const std::ptrdiff_t blocks = (size() - 1) / grain + 1;
    return from + blocks / 2 * grain;
  }
};

/// How long a block may be if no grain is given.
struct block_limits {
  std::ptrdiff_t least = 1;
  std::ptrdiff_t most = 2048;
};

/// The grain of a fold or scan if none is given: 256 blocks, but none longer than 2048 elements.
///
/// What an element costs is not known. A fork that nobody steals costs a few nanoseconds, so 2048
/// of the cheapest elements hide it, and if an element takes a microsecond such a block is still
/// short. In a shorter range there must be blocks enough for the workers, eight for each of 32. The
/// number of workers is not asked: the bracketing of a fold must not depend on it.
/// \param limits  other limits, if elements are known to be cheap.
constexpr std::ptrdiff_t chosen_grain(std::size_t by_hand, std::ptrdiff_t n,
                                      block_limits limits = {}) noexcept {
  constexpr std::ptrdiff_t blocks = 256;
  if (by_hand != 0)
    return static_cast<std::ptrdiff_t>(std::min(by_hand, static_cast<std::size_t>(PTRDIFF_MAX)));
  return std::clamp((n - 1) / blocks + 1, limits.least, limits.most);
}

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
