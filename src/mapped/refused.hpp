// SPDX-License-Identifier: Apache-2.0
// Functions of the C library that change the address space or the threads of one process, where a
// mapped runtime needs the same in all.
#pragma once

#include <cstddef>

namespace nopal::detail::mapped {

/// From here on, until it is called with false, code of the program is refused what only one
/// process would see: on the main thread, and on strands.
void refuse_changes(bool refused) noexcept;

/// From here on anonymous memory comes from addresses that all processes have mapped, of which
/// there are so many. \throws std::system_error if they are not to be had.
void map_anonymous_memory_in_advance(std::size_t bytes);

/// The functions that take locks are replaced too: this has the linker find them.
void replace_locks() noexcept;

}  // namespace nopal::detail::mapped
