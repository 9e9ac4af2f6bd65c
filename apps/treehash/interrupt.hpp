// SPDX-License-Identifier: Apache-2.0
// Ctrl-C and SIGTERM: the first asks everything to end soon, a second one ends the process at once.
#pragma once

namespace treehash {

void catch_interrupts() noexcept;

/// The signal that asks the program to end, or 0. The call is cheap enough to be made for every
/// file and every window of a large one.
[[nodiscard]] int interrupted() noexcept;

}  // namespace treehash
