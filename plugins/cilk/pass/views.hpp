// SPDX-License-Identifier: Apache-2.0
// Views of reducers: what the front half leaves for each use of one.
#pragma once

#include "llvm/IR/PassManager.h"
#include "runtime/runtime.hpp"

namespace nopal_cilk {

/// Lowers where a reducer begins and ends.
void lower_reducers(llvm::Function& f, runtime& r);

/// Lowers look-ups.
void lower_views(llvm::Function& f, runtime& r);

/// If the module looks up variables of static storage, the thread that runs main() is made known
/// before their constructors run. Before look-ups are lowered.
void begin_program_early(llvm::Module& m);

/// Says of the body of a parallel loop that it is one, if it spawns nothing. Before it is lowered.
void mark_turns(llvm::Function& body);

/// In such a body, look-ups of one reducer become one, before the first turn. docs/cilk.md argues
/// that they find the same view.
struct hoist_views : llvm::PassInfoMixin<hoist_views> {
  static llvm::PreservedAnalyses run(llvm::Function& f, llvm::FunctionAnalysisManager& all);
};

/// Lowers the look-ups that are left, when functions have been inlined.
struct lower_late : llvm::PassInfoMixin<lower_late> {
  static llvm::PreservedAnalyses run(llvm::Module& m, llvm::ModuleAnalysisManager& all);
  static bool isRequired() { return true; }
};

}  // namespace nopal_cilk
