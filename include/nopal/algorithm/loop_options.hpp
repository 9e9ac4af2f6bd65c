// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <stop_token>

#include "nopal/algorithm/grain.hpp"

namespace nopal {
NOPAL_ALGORITHMS {

/// The last argument of every algorithm, for what is seldom said.
/// \code
/// std::stop_source source;
/// std::vector<int> v(1000);
/// nopal::for_each(v, [](int& x) { x = 1; }, {.grain = 10, .stop = source.get_token()});
/// \endcode
struct loop_options {
  /// How many elements make one block, a loop without forks; 0 leaves the choice to the algorithm.
  std::size_t grain = 0;
  /// A stop that is requested of this ends the algorithm before its next block, and comes to all
  /// that its functions do, as with nopal::with_stop. The algorithm then throws nopal::stopped.
  std::stop_token stop = {};
};

}  // namespace parallel
}  // namespace nopal
