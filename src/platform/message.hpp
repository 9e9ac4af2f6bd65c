// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace nopal::detail {

/// Writes "nopal: ", the text and the end of a line to stderr, in one system call: messages of
/// several threads do not run into each other. Signal-safe.
void write_message(const char* text) noexcept;

}  // namespace nopal::detail
