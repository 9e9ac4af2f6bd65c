// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace nopal_bench {

/// Returns when the main thread's stack may grow to so many bytes, and the threads of OpenMP have
/// as much. Both are fixed when a process starts, so the call may start this process anew, with the
/// same arguments: make it before anything else is done. 0 asks for nothing.
/// \throws not_possible_here if the system does not allow it.
void have_stack_of(std::size_t bytes, char** argv);

}  // namespace nopal_bench
