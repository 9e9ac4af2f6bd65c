// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace nopal::detail {

/// Ends the process with a message on stderr that says which invariant is broken. For what cannot
/// be returned as an error.
[[noreturn]] void broken_invariant(const char* which) noexcept;

}  // namespace nopal::detail
