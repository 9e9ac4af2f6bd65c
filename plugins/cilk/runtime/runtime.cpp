// SPDX-License-Identifier: Apache-2.0
#include "runtime/runtime.hpp"

#include <dlfcn.h>

#include <cstring>

#include "llvm/ADT/SmallString.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace nopal_cilk {
namespace {

constexpr StringRef prefix = "nopal_cilk_";
const char beside = 0;  // lies in the plugin's own file

/// The bitcode lies beside the plugin.
std::string path_of_bitcode() {
  Dl_info info;
  if (dladdr(&beside, &info) == 0) return {};
  SmallString<128> path(sys::path::parent_path(info.dli_fname));
  sys::path::append(path, "nopal_cilk.bc");
  return std::string(path);
}

}  // namespace

bool runtime::report(const Twine& text) {
  module_.getContext().emitError("nopal: " + text);
  return false;
}

FunctionCallee runtime::function(StringRef name, Type* result, ArrayRef<Type*> parameters) {
  return module_.getOrInsertFunction((prefix + name).str(),
                                     FunctionType::get(result, parameters, false));
}

bool runtime::load() {
  SMDiagnostic problem;
  const std::string path = path_of_bitcode();
  source_ = parseIRFile(path, problem, module_.getContext());
  if (source_ == nullptr) return report("cannot read " + path + ": " + problem.getMessage());
  const Triple here(module_.getTargetTriple());
  const Triple there(source_->getTargetTriple());
  if (here.getArch() != there.getArch() || here.getOS() != there.getOS())
    return report("this library is for " + there.str() + " and not for " + here.str());
  source_->setTargetTriple(module_.getTargetTriple());
  source_->setDataLayout(module_.getDataLayout());
  if (NamedMDNode* flags = source_->getModuleFlagsMetadata()) source_->eraseNamedMetadata(flags);
  removeFromUsedLists(*source_, [](Constant*) { return true; });
  StripDebugInfo(*source_);
  for (Function& f : *source_) {
    f.removeFnAttr("target-cpu");
    f.removeFnAttr("target-features");
    f.removeFnAttr("tune-cpu");
    f.removeFnAttr(Attribute::NoInline);
    f.removeFnAttr(Attribute::OptimizeNone);
  }
  frame_bytes_ = constant("nopal_cilk_frame_bytes");
  invoked_bytes_ = constant("nopal_cilk_invoked_bytes");
  return true;
}

std::uint64_t runtime::constant(StringRef name) const {
  return cast<ConstantInt>(source_->getGlobalVariable(name)->getInitializer())->getZExtValue();
}

bool runtime::knows_registers_of(const Function& f) {
  const StringRef features = f.getFnAttribute("target-features").getValueAsString();
  if (features.contains("+egpr"))
    return report("'" + f.getName() + "' spawns, and is for APX; compile it without -mapxf");
  if (features.contains("+sve"))
    return report("'" + f.getName() + "' spawns, and is for SVE; compile it with -march=...+nosve");
  return true;
}

bool runtime::has_one_stack(const Function& f) {
  for (Attribute::AttrKind stack : {Attribute::SafeStack, Attribute::ShadowCallStack})
    if (f.hasFnAttribute(stack))
      return report("'" + f.getName() +
                    "' spawns, and has a second stack, which is its thread's; " +
                    "compile it without -fsanitize=" +
                    (stack == Attribute::SafeStack ? "safe-stack" : "shadow-call-stack"));
  return true;
}

/// The module asks for the same symbol as programs of nopal.hpp, see configuration.hpp. The name in
/// the bitcode tells the library's sanitizer, and is changed to tell the module's.
void runtime::need_same_sanitizer() {
  constexpr StringRef configured = "nopal_configured_for__";
  const GlobalVariable* of_library = nullptr;
  for (const GlobalVariable& g : source_->globals())
    if (g.getName().starts_with(configured)) of_library = &g;
  if (of_library == nullptr) return;
  std::string name = of_library->getName().str();
  for (const auto& [suffix, attribute] : {std::pair("__asan", Attribute::SanitizeAddress),
                                          std::pair("__tsan", Attribute::SanitizeThread)}) {
    const std::size_t at = name.find(suffix);
    const bool needed =
        any_of(module_, [attribute](const Function& f) { return f.hasFnAttribute(attribute); });
    if (needed == (at != std::string::npos)) continue;
    if (needed)
      name += suffix;
    else
      name.erase(at, std::strlen(suffix));
  }
  Type* pointer = PointerType::getUnqual(module_.getContext());
  Constant* symbol = module_.getOrInsertGlobal(name, Type::getInt8Ty(module_.getContext()));
  auto* needs = new GlobalVariable(module_, pointer, true, GlobalValue::InternalLinkage, symbol,
                                   "nopal_cilk_needs");
  appendToUsed(module_, {needs});
}

void runtime::inline_calls() {
  SmallVector<std::string, 16> names;
  for (Function& f : module_)
    if (f.getName().starts_with(prefix) && f.isDeclaration()) {
      const Function* there = source_->getFunction(f.getName());
      if (there != nullptr && !there->isDeclaration()) names.push_back(f.getName().str());
    }
  Linker::linkModules(module_, std::move(source_), Linker::LinkOnlyNeeded);
  for (const std::string& name : names) {
    Function* f = module_.getFunction(name);
    for (User* u : make_early_inc_range(f->users())) {
      auto* c = dyn_cast<CallBase>(u);
      if (c == nullptr || c->getCalledOperand() != f) continue;
      InlineFunctionInfo info;
      const InlineResult r = InlineFunction(*c, info);
      if (!r.isSuccess()) report("cannot inline " + name + ": " + r.getFailureReason());
    }
    f->setLinkage(GlobalValue::InternalLinkage);
    if (f->use_empty()) f->eraseFromParent();
  }
}

}  // namespace nopal_cilk
