// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace nopal::detail {

/// Writes "nopal: ", the text and the end of a line to stderr, in one system call: messages of
/// several threads do not run into each other. Signal-safe.
void write_message(const char* text) noexcept;

/// Ends the process with a message that says which invariant of nopal, or of the system below it,
/// is broken. Signal-safe, and safe after a fork(2) that found stdio locked.
[[noreturn]] void broken_invariant(const char* which) noexcept;

/// Ends the process with a message that says what the program does wrong, and what to do instead.
/// It is for mistakes that no exception can report. As safe as broken_invariant().
[[noreturn]] void misuse(const char* what) noexcept;

}  // namespace nopal::detail
