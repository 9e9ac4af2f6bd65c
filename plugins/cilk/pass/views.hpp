// SPDX-License-Identifier: Apache-2.0
// Lowers the look-ups of views that the front half leaves for each use of a reducer.
#pragma once

#include "llvm/IR/PassManager.h"
#include "runtime/runtime.hpp"

namespace nopal_cilk {

/// Replaces the markers at which a reducer begins or ends by calls of nopal_cilk_begin_reducer and
/// nopal_cilk_end_reducer.
void lower_reducers(llvm::Function& f, runtime& r);

/// Replaces each marker that looks up a view by a call of the function in lowered.cpp for its kind
/// of reducer: nopal_cilk_view, nopal_cilk_static_view or nopal_cilk_reducer_view.
void lower_views(llvm::Function& f, runtime& r);

/// Makes the thread that runs main() known before constructors of variables of static storage run,
/// if the module looks up such variables. Must be called before look-ups are lowered.
void begin_program_early(llvm::Module& m);

/// Marks the body of a parallel loop for hoist_views, if it spawns nothing. Must be called before
/// the body is lowered.
void mark_turns(llvm::Function& body);

/// Merges the look-ups of one reducer in a marked body into one before the first turn. docs/cilk.md
/// argues that they find the same view.
struct hoist_views : llvm::PassInfoMixin<hoist_views> {
  static llvm::PreservedAnalyses run(llvm::Function& f, llvm::FunctionAnalysisManager& all);
};

/// Lowers the look-ups that are left after functions have been inlined.
struct lower_late : llvm::PassInfoMixin<lower_late> {
  static llvm::PreservedAnalyses run(llvm::Module& m, llvm::ModuleAnalysisManager& all);
  static bool isRequired() { return true; }
};

}  // namespace nopal_cilk
