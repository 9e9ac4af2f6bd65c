// SPDX-License-Identifier: Apache-2.0
// The half of the plugin that works on LLVM's intermediate representation, before any optimization
// and at every level of it.
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PassManager.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Passes/PassPlugin.h"
#include "markers.hpp"
#include "parallel.hpp"
#include "spawning.hpp"

using namespace llvm;

namespace nopal_cilk {
namespace {

struct lowering : PassInfoMixin<lowering> {
  static PreservedAnalyses run(Module& m, ModuleAnalysisManager&) {
    SmallVector<Function*, 16> marked;
    for (Function& f : m)
      if (any_of(instructions(f), [](const Instruction& i) { return !marker(i).empty(); }))
        marked.push_back(&f);
    if (marked.empty()) return PreservedAnalyses::all();
    runtime r(m);
    if (!r.load()) return PreservedAnalyses::all();
    while (!marked.empty()) {
      Function* f = marked.pop_back_val();
      marked.append(lower_loops(*f, r));
      spawning(*f, r).lower();
    }
    for (Function& f : m) erase_markers(f);
    r.inline_calls();
    if (verifyModule(m, &errs())) report_fatal_error("nopal: the lowering has made wrong code");
    return PreservedAnalyses::none();
  }
  static bool isRequired() { return true; }
};

void enrol(PassBuilder& builder) {
  builder.registerPipelineStartEPCallback(
      [](ModulePassManager& passes, OptimizationLevel) { passes.addPass(lowering()); });
}

}  // namespace
}  // namespace nopal_cilk

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "nopal", "1", nopal_cilk::enrol};
}
