// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "runtime/runtime.hpp"

namespace nopal_cilk {

/// Moves arrays of variable length, and what alloca() makes, to the heap in a function that spawns.
/// These cannot lie on the stack: behind a fork the stack is that of the thief, which leaves it at
/// the sync. So they lie on the heap, in a list, until their scope or the function ends.
///
/// Returns the variable that holds the list, or nullptr if there is nothing to move. The caller
/// must pass the variable to free_until(list, nullptr) on each way out of the function.
llvm::AllocaInst* move_dynamic_variables(llvm::Function& f, runtime& r);

/// Inserts at `at` a call that frees the newest variables of `list` until its head is `until`.
void free_dynamic_variables(llvm::IRBuilderBase& at, llvm::Value* list, llvm::Value* until,
                            runtime& r);

}  // namespace nopal_cilk
