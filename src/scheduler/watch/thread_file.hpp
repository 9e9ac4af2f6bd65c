// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <array>
#include <string_view>

namespace nopal::detail {

using file_line = std::array<char, 512>;

/// Reads the first line of a file of /proc about a thread into `room`. Returns nothing if the file
/// cannot be read. Allocates no memory, since tests count what others allocate, or refuse it.
std::string_view first_line(file_line& room, pid_t thread, const char* file) noexcept;

}  // namespace nopal::detail
