// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nopal/algorithm/map.hpp"

namespace nopal {
NOPAL_ALGORITHMS {

/// The name that the standard library has for map: transform(range, out, f, proj = {}), and so on.
/// \code
/// std::vector<int> v(1000, 3), squares(v.size());
/// nopal::transform(v, squares.begin(), [](int x) { return x * x; });
/// \endcode
/// \param range, out, f, proj  as with map.
/// \returns the end of what was written.
/// \throws what map does.
/// Thread-safety: as map.
/// Complexity: as map.
/// Source: as map.
NOPAL_HIDDEN inline constexpr algorithm_detail::checked_call<algorithm_detail::map_function>
    transform{};

}  // namespace parallel
}  // namespace nopal
