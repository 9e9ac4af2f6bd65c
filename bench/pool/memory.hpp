// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace nopal_bench {

/// What the calling thread, and those that it makes later, are the first to write lies on the
/// machine's first NUMA node from now on. Where there is no other nothing is done: containers often
/// forbid it.
/// \returns how many nodes there are. \throws std::runtime_error
unsigned keep_memory_on_first_node();

}  // namespace nopal_bench
