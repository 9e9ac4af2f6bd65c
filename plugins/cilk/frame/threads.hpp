// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "llvm/IR/Function.h"

namespace nopal_cilk {

/// A function that spawns may go on on another thread, but the optimizer takes the address of a
/// thread-local, that of errno, and pthread_self() for constants of the function. So in `f` they
/// come from calls that it cannot look into, anew each time.
void ask_anew_for_thread(llvm::Function& f);

}  // namespace nopal_cilk
