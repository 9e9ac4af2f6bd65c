// SPDX-License-Identifier: Apache-2.0
// The deque that the build option NOPAL_DEQUE has chosen instead of the default one.
#pragma once

#if defined(NOPAL_DEQUE_FENCED)
#include "nopal/detail/deque/deque_fenced.hpp"
namespace nopal::detail {
using deque = deque_fenced;
}
#elif defined(NOPAL_DEQUE_SPLIT)
#include "variants/deque/deque_split.hpp"
namespace nopal::detail {
using deque = deque_split;
}
#elif defined(NOPAL_DEQUE_ABP)
#include "variants/deque/deque_abp.hpp"
namespace nopal::detail {
using deque = deque_abp;
}
#elif defined(NOPAL_DEQUE_THE)
#include "variants/deque/deque_the.hpp"
namespace nopal::detail {
using deque = deque_the;
}
#else
#error "nopal: NOPAL_DEQUE_VARIANT is defined, and none of NOPAL_DEQUE_FENCED, _SPLIT, _ABP, _THE"
#endif
