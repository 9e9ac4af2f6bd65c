// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "runtime/runtime.hpp"

namespace nopal_cilk {

/// Arrays of variable length, and what alloca() makes, in a function that spawns. They cannot lie
/// on the stack: behind a fork it is a thief's, who leaves it at the sync. So they lie on the heap,
/// in a list, until their scope ends or the function does.
///
/// Returns the variable with the list, which whoever makes the ways out of the function is to give
/// to free_until(list, nullptr); nullptr if `f` has no such variable.
llvm::AllocaInst* move_dynamic_variables(llvm::Function& f, runtime& r);

/// Frees what `list` has, at `at`.
void free_dynamic_variables(llvm::IRBuilderBase& at, llvm::Value* list, llvm::Value* until,
                            runtime& r);

}  // namespace nopal_cilk
