// SPDX-License-Identifier: Apache-2.0
// The workers' deque: the default one, or the variant that a build for comparisons has chosen.
#pragma once

#if defined(NOPAL_DEQUE_VARIANT)
#include "variants/deque/selected.hpp"
#else
#include "nopal/detail/deque/deque_asymmetric.hpp"

namespace nopal::detail {
using deque = deque_asymmetric;
}
#endif
