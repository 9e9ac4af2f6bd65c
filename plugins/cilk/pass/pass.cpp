// SPDX-License-Identifier: Apache-2.0
// The half of the plugin that works on LLVM's intermediate representation, before any optimization
// and at every level of it.
#include "frame/registers.hpp"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PassManager.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Passes/PassPlugin.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
#include "markers.hpp"
#include "parallel.hpp"
#include "spawning.hpp"
#include "views.hpp"

using namespace llvm;

namespace nopal_cilk {
namespace {

/// A function of cilk.h with a keyword, which each file has that includes the header.
constexpr StringRef is_lowered = "__nopal_is_lowered";

/// Reports a keyword that the front half has not lowered, and returns whether there is one.
/// Keywords are calls in cilk.h, and the front half leaves none of these. If one is still there,
/// the front half has not seen the function, which would silently be serial.
bool keeps_keyword(Function& f, runtime& r) {
  for (const Instruction& i : instructions(f))
    if (is_contained({"sync", "scope", "for", "spawn", "grainsize"}, marker(i)))
      return !r.report("the keywords of Cilk in '" + f.getName() +
                       "' were not lowered on the syntax tree; compile with nopal-cc or nopal-c++, "
                       "or with both -fplugin= and -fpass-plugin= of nopal_cilk.so");
  return false;
}

/// Removes the function of cilk.h with a keyword, once keeps_keyword() has found none in it.
void erase_canary(Module& m) {
  Function* f = m.getFunction(is_lowered);
  if (f == nullptr) return;
  removeFromUsedLists(m, [f](Constant* c) { return c->stripPointerCasts() == f; });
  f->removeDeadConstantUsers();
  if (f->use_empty()) f->eraseFromParent();
}

/// Lowers the keywords of a module, before all other passes.
struct lowering : PassInfoMixin<lowering> {
  explicit lowering(bool optimized) : views_later(optimized) {}

  PreservedAnalyses run(Module& m, ModuleAnalysisManager&) const {
    SmallVector<Function*, 16> marked;
    for (Function& f : m)
      if (any_of(instructions(f), [](const Instruction& i) { return !marker(i).empty(); }))
        marked.push_back(&f);
    if (marked.empty() && m.getFunction(is_lowered) == nullptr) return PreservedAnalyses::all();
    runtime r(m);
    if (any_of(marked, [&r](Function* f) { return keeps_keyword(*f, r); }))
      return PreservedAnalyses::all();
    erase_canary(m);
    if (marked.empty()) return PreservedAnalyses::none();
    if (!r.load()) return PreservedAnalyses::all();
    r.need_same_sanitizer();
    while (!marked.empty()) {
      Function* f = marked.pop_back_val();
      removeUnreachableBlocks(*f);  // for example a keyword with a label behind a return
      const bodies taken_out = take_out_bodies(*f, r);
      for (Function* body : taken_out.turns) mark_turns(*body);
      marked.append(taken_out.turns);
      marked.append(taken_out.blocks);
      spawning(*f, r).lower();
    }
    begin_program_early(m);
    for (Function& f : m) {
      lower_reducers(f, r);
      if (!views_later) lower_views(f, r);
      erase_markers(f);
    }
    r.inline_calls();
    for (Function& f : m) name_only_own_registers(f);
    if (verifyModule(m, &errs())) report_fatal_error("nopal: the lowering has made wrong code");
    return PreservedAnalyses::none();
  }
  static bool isRequired() { return true; }

  bool views_later;
};

/// Adds the passes to clang's pipeline: keywords are lowered before other passes, and look-ups of
/// views are hoisted between them and lowered late.
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
