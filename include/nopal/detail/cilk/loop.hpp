// SPDX-License-Identifier: Apache-2.0
// The plugin calls these for cilk_for.
#pragma once

#include <cstdint>

namespace nopal::detail {

/// Runs the turns [first, last) of a parallel loop, one after the other.
using cilk_loop_body = void(void* captured, std::uint64_t first, std::uint64_t last);

}  // namespace nopal::detail

/// Calls `body` for parts of [0, count) in parallel, each of at most `grain` turns, and returns
/// when all have ended.
/// \param grain  the most turns of a part. 0 means min(2048, count / 8P), and at least 1.
/// \throws the exception of the serially first turn that threw; the turns after it may have run.
/// Complexity: O(log(count / grain)) forks, one within the other.
extern "C" void nopal_cilk_for(nopal::detail::cilk_loop_body* body, void* captured,
                               std::uint64_t count, std::uint64_t grain);

/// Rethrows an exception that the calling landing pad has got from the unwinder.
extern "C" [[noreturn]] void nopal_cilk_rethrow(void* exception);
