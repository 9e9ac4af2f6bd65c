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

/// What gives the variable of a region_exit its value, the mark of the region that is left.
llvm::StoreInst* store_of_left(const llvm::CallBase& exit);

/// The mark of a region, which a variable holds that marks where the region is left.
llvm::AllocaInst* mark_left_by(const llvm::CallBase& exit);

/// Direct calls in `f` of the function with this name.
llvm::SmallVector<llvm::CallBase*, 8> calls_named(llvm::Function& f, llvm::StringRef name);

/// Calls of a marker in `f`.
llvm::SmallVector<llvm::CallBase*, 8> calls_of(llvm::Function& f, llvm::StringRef name);

/// Takes a call out; one that may unwind only goes on.
void erase_call(llvm::CallBase* c);

/// A call of `callee` in the place of `c`, with the same ways to go on.
llvm::CallBase* replace_call(llvm::CallBase* c, llvm::FunctionCallee callee,
                             llvm::ArrayRef<llvm::Value*> arguments);

/// Makes the call of each remaining marker go away.
void erase_markers(llvm::Function& f);

}  // namespace nopal_cilk
