// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/elements.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

/// Two iterators side by side, as one iterator whose element is the pair itself. So what reads one
/// range can read two.
template <class I1, class I2>
struct both {
  I1 first;
  I2 second;

  constexpr const both& operator*() const { return *this; }
  constexpr both& operator++() {
    ++first;
    ++second;
    return *this;
  }
  /// Whether either is at its end.
  template <class S1, class S2>
  friend constexpr bool operator==(const both& i, const both<S1, S2>& last) {
    return i.first == last.first || i.second == last.second;
  }
};
template <class I1, class I2>
both(I1, I2) -> both<I1, I2>;

template <class I1, class I2>
inline constexpr bool moves_freely<both<I1, I2>> = moves_freely<I1> && moves_freely<I2>;

template <class I1, class I2>
constexpr both<I1, I2> advanced(both<I1, I2> i, std::ptrdiff_t n) {
  return {advanced(i.first, n), advanced(i.second, n)};
}

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
