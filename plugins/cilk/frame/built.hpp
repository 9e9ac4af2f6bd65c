// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "llvm/IR/InstrTypes.h"

namespace nopal_cilk {

/// A variable that a spawned call initializes does not exist if that call has thrown, but the
/// spawning function may have gone on by then. So a flag says whether the variable was built, and
/// is tested before each call of its destructor. `marker` is the marker behind the initialization,
/// and `begin` the marker of the spawn.
void guard_destructor(llvm::CallBase* marker, llvm::CallBase* begin);

}  // namespace nopal_cilk
