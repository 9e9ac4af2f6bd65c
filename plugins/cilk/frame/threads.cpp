// SPDX-License-Identifier: Apache-2.0
#include "threads.hpp"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace nopal_cilk {
namespace {

/// Whether `c` returns a constant of the thread. One is the address of a thread-local, which a
/// function of the Itanium C++ ABI returns if the variable is initialized dynamically. Another is
/// what a function returns that has no arguments and is declared not to access memory, such as
/// __errno_location() of the C library.
bool is_of_thread(const CallBase& c) {
  if (const auto* i = dyn_cast<IntrinsicInst>(&c))
    return i->getIntrinsicID() == Intrinsic::threadlocal_address;
  if (c.arg_size() != 0 || c.getCalledFunction() == nullptr || c.getType()->isVoidTy())
    return false;
  return c.doesNotAccessMemory() || c.getCalledFunction()->getName().starts_with("_ZTW");
}

/// The name of the function that makes the call: calls for the same thing share one.
std::string name_of(const CallBase& c) {
  const bool variable = isa<IntrinsicInst>(c);
  const Value* v = variable ? c.getArgOperand(0) : c.getCalledFunction();
  return ((variable ? "nopal.address." : "nopal.call.") + v->getName()).str();
}

/// A function that makes the call. As far as the optimizer knows, the assembly in it may access
/// memory, so it cannot merge two calls of the function.
Function* function_for(const CallBase& c) {
  Module& m = *const_cast<Module*>(c.getModule());
  const std::string name = name_of(c);
  if (Function* known = m.getFunction(name)) return known;
  auto* made = Function::Create(FunctionType::get(c.getType(), false), GlobalValue::InternalLinkage,
                                name, m);
  made->addFnAttr(Attribute::NoInline);
  if (c.doesNotThrow()) made->addFnAttr(Attribute::NoUnwind);
  IRBuilder<> at(BasicBlock::Create(m.getContext(), "entry", made));
  at.CreateCall(InlineAsm::get(FunctionType::get(at.getVoidTy(), false), "", "~{memory}", true));
  Instruction* copy = c.clone();
  copy->setDebugLoc({});
  at.Insert(copy);
  at.CreateRet(copy);
  return made;
}

}  // namespace

void ask_anew_for_thread(Function& f) {
  SmallVector<CallInst*, 8> calls;
  for (Instruction& i : instructions(f))
    if (auto* c = dyn_cast<CallInst>(&i); c != nullptr && is_of_thread(*c)) calls.push_back(c);
  for (CallInst* c : calls) {
    IRBuilder<> at(c);
    c->replaceAllUsesWith(at.CreateCall(function_for(*c)));
    c->eraseFromParent();
  }
}

}  // namespace nopal_cilk
