// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace nopal::detail {

class scheduler;

/// Runs call(argument) on the calling thread, which is no worker, as a guest of `s`. Returns false,
/// and has done nothing, if that cannot be: `s` takes no guests, has as many as it takes, or the
/// thread has less stack left than a strand has. Throws what the call throws.
bool run_as_guest(scheduler& s, void (*call)(void*), void* argument);

}  // namespace nopal::detail
