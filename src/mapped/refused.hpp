// SPDX-License-Identifier: Apache-2.0
// These refuse functions of the C library that change the address space or the threads of one
// process: a mapped runtime needs the same in all.
#pragma once

#include <cstddef>

namespace nopal::detail::mapped {

/// Refuses, from a call with true to one with false, what only one process would see, if code of
/// the program does it on the main thread or on a strand.
void refuse_changes(bool refused) noexcept;

/// Reserves so many bytes of addresses, as shared memory, before the processes fork. From here on
/// the program's mmap(2) of anonymous memory takes its memory from there, so that all processes
/// have mapped it already. share_heap() calls this, once.
/// \throws std::system_error if the kernel refuses the addresses.
void map_anonymous_memory_in_advance(std::size_t bytes);

/// Has the linker find the functions that take locks, which are replaced too.
void replace_locks() noexcept;

}  // namespace nopal::detail::mapped
