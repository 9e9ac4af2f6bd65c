// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "llvm/IR/InstrTypes.h"

namespace nopal_cilk {

/// A variable that a spawned call initializes is not there if that call has thrown, but the
/// spawning function may have gone on by then. So a flag says whether it was built, and is asked
/// before each of its destructor's calls. `marker` is the one behind the initialization, and
/// `begin` the one of the spawn.
void guard_destructor(llvm::CallBase* marker, llvm::CallBase* begin);

}  // namespace nopal_cilk
