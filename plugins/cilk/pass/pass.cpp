// SPDX-License-Identifier: Apache-2.0
// The half of the plugin that works on LLVM's intermediate representation, before any optimization
// and at every level of it.
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PassManager.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Passes/PassPlugin.h"
#include "llvm/Transforms/Utils/Local.h"
#include "markers.hpp"
#include "parallel.hpp"
#include "spawning.hpp"
#include "views.hpp"

using namespace llvm;

namespace nopal_cilk {
namespace {

struct lowering : PassInfoMixin<lowering> {
  explicit lowering(bool optimized) : views_later(optimized) {}

  PreservedAnalyses run(Module& m, ModuleAnalysisManager&) const {
    SmallVector<Function*, 16> marked;
    for (Function& f : m)
      if (any_of(instructions(f), [](const Instruction& i) { return !marker(i).empty(); }))
        marked.push_back(&f);
    if (marked.empty()) return PreservedAnalyses::all();
    runtime r(m);
    if (!r.load()) return PreservedAnalyses::all();
    while (!marked.empty()) {
      Function* f = marked.pop_back_val();
      removeUnreachableBlocks(*f);  // a keyword behind a return, with a label
      const SmallVector<Function*, 4> bodies = lower_loops(*f, r);
      for (Function* body : bodies) mark_turns(*body);
      marked.append(bodies);
      spawning(*f, r).lower();
    }
    begin_program_early(m);
    for (Function& f : m) {
      lower_reducers(f, r);
      if (!views_later) lower_views(f, r);
      erase_markers(f);
    }
    r.inline_calls();
    if (verifyModule(m, &errs())) report_fatal_error("nopal: the lowering has made wrong code");
    return PreservedAnalyses::none();
  }
  static bool isRequired() { return true; }

  bool views_later;
};

void enrol(PassBuilder& builder) {
  builder.registerPipelineStartEPCallback([](ModulePassManager& passes, OptimizationLevel level) {
    passes.addPass(lowering(level != OptimizationLevel::O0));
  });
  builder.registerPeepholeEPCallback(
      [](FunctionPassManager& passes, OptimizationLevel) { passes.addPass(hoist_views()); });
  builder.registerOptimizerEarlyEPCallback(
      [](ModulePassManager& passes, OptimizationLevel) { passes.addPass(lower_late()); });
}

}  // namespace
}  // namespace nopal_cilk

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "nopal", "1", nopal_cilk::enrol};
}
