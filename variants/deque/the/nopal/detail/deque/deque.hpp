// SPDX-License-Identifier: Apache-2.0
// The workers' deque in a build with NOPAL_DEQUE=the.
#pragma once

#include "variants/deque/deque_the.hpp"

namespace nopal::detail {
using deque = deque_the;
}
