// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "llvm/IR/Function.h"

namespace nopal_cilk {

/// The forks in `f` name all registers as lost that any function of the target may have. This
/// leaves out those that `f` does not have: each takes longer to compile than the rest of a spawn.
void name_only_own_registers(llvm::Function& f);

}  // namespace nopal_cilk
