// SPDX-License-Identifier: Apache-2.0
// The calls that the front half leaves for the pass.
#pragma once

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"

namespace nopal_cilk {

/// The name of the function that `i` calls directly, without `__nopal_`; empty if it is no marker.
llvm::StringRef marker(const llvm::Instruction& i);

/// The variable whose address is an argument of a marker.
llvm::AllocaInst* mark_of(const llvm::CallBase& c, unsigned argument = 0);

/// The store that gives the variable of a region_exit its value, the mark of the region that is
/// left.
llvm::StoreInst* store_of_left(const llvm::CallBase& exit);

/// The mark of the region that is left at `exit`.
llvm::AllocaInst* mark_left_by(const llvm::CallBase& exit);

/// Direct calls in `f` of the function with this name.
llvm::SmallVector<llvm::CallBase*, 8> calls_named(llvm::Function& f, llvm::StringRef name);

/// Calls of a marker in `f`.
llvm::SmallVector<llvm::CallBase*, 8> calls_of(llvm::Function& f, llvm::StringRef name);

/// Removes a call. An invoke becomes a branch to where it goes on without an exception.
void erase_call(llvm::CallBase* c);

/// Replaces `c` by a call of `callee` that goes on to the same blocks.
llvm::CallBase* replace_call(llvm::CallBase* c, llvm::FunctionCallee callee,
                             llvm::ArrayRef<llvm::Value*> arguments);

/// Removes the calls of all remaining markers.
void erase_markers(llvm::Function& f);

}  // namespace nopal_cilk
