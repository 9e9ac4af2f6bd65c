// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nopal/wait/limits.hpp"

namespace nopal {
#ifdef NOPAL_SERIAL
inline namespace serial {  // as in options.hpp
#endif
namespace io {

/// Says how long a call of nopal::io may wait.
///
/// A call that need not wait is made even if its deadline has passed, if that is known. It is known
/// for accept and connect only if the descriptor has O_NONBLOCK, for reads and writes if it has or
/// if the file knows RWF_NOWAIT, and for openat, close, fsync and statx never. Otherwise the call
/// fails after the deadline.
using limits = nopal::limits;

}  // namespace io
#ifdef NOPAL_SERIAL
}  // namespace serial
#endif
}  // namespace nopal
