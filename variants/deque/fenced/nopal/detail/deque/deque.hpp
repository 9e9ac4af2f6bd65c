// SPDX-License-Identifier: Apache-2.0
// The workers' deque in a build with NOPAL_DEQUE=fenced.
#pragma once

#include "nopal/detail/deque/deque_fenced.hpp"
#include "variants/deque/without_scopes.hpp"

namespace nopal::detail {
using deque = without_scopes<deque_fenced>;
}
