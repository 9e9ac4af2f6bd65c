// SPDX-License-Identifier: Apache-2.0
// The call that a spawned statement is about.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/InstrTypes.h"

namespace nopal_cilk {

/// The call of what a statement spawns. The statement lies in those blocks of `f` for which
/// `within` is true. The front half has marked the callee, or the object on which it is called.
llvm::CallBase* spawned_call(llvm::Function& f,
                             llvm::function_ref<bool(const llvm::BasicBlock*)> within);

/// Copies the arguments that are passed in memory. Otherwise code that runs beside the call could
/// change a variable that is such an argument.
void copy_arguments_in_memory(llvm::CallBase* call);

}  // namespace nopal_cilk
