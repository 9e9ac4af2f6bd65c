// SPDX-License-Identifier: Apache-2.0
// Processes can share the program's memory, at the addresses where it is, by these functions.
#pragma once

namespace nopal::detail::mapped {

/// Checks that share_program() can do its work. Each mapped runtime calls this before it is made.
/// \throws std::logic_error if the process has another thread or the caller is not the main thread.
void require_one_thread();

/// Moves two things into shared memory: the writable data of the program and its libraries, and the
/// stack of the calling thread. That must be the main thread, and there must be no other. Called
/// once in a process.
/// \throws std::logic_error if the caller runs on another stack; std::system_error if there is no
/// memory.
void share_program();

/// Gives the allocator memory that all processes share, and nothing else from here on. Called once.
/// \throws std::logic_error if malloc is not mimalloc's; std::system_error if there is no memory.
void share_heap();

/// Gives the calling thread the part of the heap from which it allocates, if it had none.
void take_part_of_heap() noexcept;

}  // namespace nopal::detail::mapped
