// SPDX-License-Identifier: Apache-2.0
// The workers' deque in a build with NOPAL_DEQUE=fenced.
#pragma once

#include "nopal/detail/deque/deque_fenced.hpp"

namespace nopal::detail {
using deque = deque_fenced;
}
