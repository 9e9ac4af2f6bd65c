// SPDX-License-Identifier: Apache-2.0
// The workers' deque in a build with NOPAL_DEQUE=the.
#pragma once

#include "variants/deque/deque_the.hpp"
#include "variants/deque/without_scopes.hpp"

namespace nopal::detail {
using deque = without_scopes<deque_the>;
}
