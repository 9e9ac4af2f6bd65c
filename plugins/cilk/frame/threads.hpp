// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "llvm/IR/Function.h"

namespace nopal_cilk {

/// A function that spawns may continue on another thread, but the optimizer takes the address of a
/// thread-local, the address of errno, and pthread_self() for constants of the function. So `f`
/// asks for them anew at each use, by calls that the optimizer cannot look into.
void ask_anew_for_thread(llvm::Function& f);

}  // namespace nopal_cilk
