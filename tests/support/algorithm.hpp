// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nopal/algorithm.hpp"

namespace nopal_test {

/// Whether an algorithm takes such a call, for what must not compile.
template <class Algorithm, class... A>
concept takes = nopal::algorithm_detail::accepts<Algorithm, A...>;

}  // namespace nopal_test
