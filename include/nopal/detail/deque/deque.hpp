// SPDX-License-Identifier: Apache-2.0
// The workers' deque. A build for comparisons has another header of this name first in its include
// path.
#pragma once

#include "nopal/detail/deque/deque_asymmetric.hpp"

namespace nopal::detail {
using deque = deque_asymmetric;
}
