// SPDX-License-Identifier: Apache-2.0
// The workers' deque in a build with NOPAL_DEQUE=split.
#pragma once

#include "variants/deque/deque_split.hpp"

namespace nopal::detail {
using deque = deque_split;
}
