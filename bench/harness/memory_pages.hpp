// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace nopal_bench {

/// Pages that a process can write to and that are in its page table, from /proc/PID/smaps; 0 if
/// that is not there. A page that several processes have counts as a share in each, so that the sum
/// over them counts it once, apart from what rounding to KiB takes from each mapping.
/// \param without  part of the names of files whose mappings do not count; empty: all count.
std::size_t memory_pages(int process, std::string_view without = {});

/// The same for this process.
std::size_t memory_pages();

}  // namespace nopal_bench
