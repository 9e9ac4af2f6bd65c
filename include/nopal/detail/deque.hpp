// SPDX-License-Identifier: Apache-2.0
// The deque that the build option NOPAL_DEQUE selects. docs/deque.md compares them.
#pragma once

#include "nopal/detail/config.hpp"

#if defined(NOPAL_DEQUE_ASYMMETRIC)
#include "nopal/detail/deque_asymmetric.hpp"
namespace nopal::detail {
using deque = deque_asymmetric;
}
#elif defined(NOPAL_DEQUE_FENCED)
#include "nopal/detail/deque_fenced.hpp"
namespace nopal::detail {
using deque = deque_fenced;
}
#elif defined(NOPAL_DEQUE_SPLIT)
#include "nopal/detail/deque_split.hpp"
namespace nopal::detail {
using deque = deque_split;
}
#elif defined(NOPAL_DEQUE_ABP)
#include "nopal/detail/deque_abp.hpp"
namespace nopal::detail {
using deque = deque_abp;
}
#elif defined(NOPAL_DEQUE_THE)
#include "nopal/detail/deque_the.hpp"
namespace nopal::detail {
using deque = deque_the;
}
#endif
