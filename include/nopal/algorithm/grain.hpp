// SPDX-License-Identifier: Apache-2.0
// These choose by hand how an algorithm cuts its range.
#pragma once

#include <cstddef>

#include "nopal/detail/platform/config.hpp"  // first: it says what nopal needs

// The algorithms are templates over parallel_invoke: their serial elision must have other names for
// the linker.
#ifdef NOPAL_SERIAL
#define NOPAL_ALGORITHMS inline namespace serial
#else
#define NOPAL_ALGORITHMS inline namespace parallel
#endif

namespace nopal {
NOPAL_ALGORITHMS {

/// The first argument of an algorithm if the grain is to be chosen by hand: so many elements make
/// one block, a loop without forks. A block should take some hundred instructions; 0 leaves the
/// choice to the algorithm.
/// \code
/// std::vector<int> v(1000);
/// nopal::for_each(nopal::grain{10}, v, [](int& x) { x = 1; });
/// \endcode
struct grain {
  std::size_t elements = 0;
};

/// The type of `deterministic`.
struct deterministic_order {
  std::size_t elements = 0;

  /// Returns the same with a grain by hand, which is then part of what decides the bracketing.
  [[nodiscard]] constexpr deterministic_order operator()(grain g) const noexcept {
    return {g.elements};
  }
};

/// The first argument of an algorithm whose operations are to be bracketed in the same way by any
/// number of workers, so that results in floating point are equal bit for bit. The brackets then
/// depend on the number of elements, on the types of the range and of the operation, and on the
/// grain, and on nothing else. A fold is like that in any case. For a scan it costs a second
/// operation for each element, unless the elements are small plain values.
/// \code
/// std::vector<double> v(1000, 0.1), sums(v.size());
/// nopal::scan(nopal::deterministic, v, sums.begin(), std::plus{});
/// nopal::scan(nopal::deterministic(nopal::grain{100}), v, sums.begin(), std::plus{});
/// \endcode
NOPAL_HIDDEN inline constexpr deterministic_order deterministic{};

}  // namespace parallel
}  // namespace nopal
