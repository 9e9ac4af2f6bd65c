// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace nopal_test {

/// Overwrites the registers that calls lose and that the library's own poisoning (NOPAL_EVENTS,
/// context.cpp) does not reach: the upper parts of the vector registers and the mask registers.
/// Called where a strand is about to go on: the library uses none of them on the way.
void poison_vectors();

}  // namespace nopal_test
