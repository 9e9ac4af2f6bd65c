// SPDX-License-Identifier: Apache-2.0
#include "markers.hpp"

#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace nopal_cilk {

StringRef marker(const Instruction& i) {
  const auto* c = dyn_cast<CallBase>(&i);
  const Function* f = c != nullptr ? c->getCalledFunction() : nullptr;
  StringRef name = f != nullptr ? f->getName() : StringRef();
  return name.consume_front("__nopal_") ? name : StringRef();
}

AllocaInst* mark_of(const CallBase& c, unsigned argument) {
  return dyn_cast<AllocaInst>(c.getArgOperand(argument)->stripPointerCasts());
}

StoreInst* store_of_left(const CallBase& exit) {
  AllocaInst* left = mark_of(exit);
  for (User* u : left->users())
    if (auto* s = dyn_cast<StoreInst>(u); s != nullptr && s->getPointerOperand() == left) return s;
  return nullptr;
}

AllocaInst* mark_left_by(const CallBase& exit) {
  StoreInst* s = store_of_left(exit);
  return s != nullptr ? dyn_cast<AllocaInst>(s->getValueOperand()) : nullptr;
}

SmallVector<CallBase*, 8> calls_named(Function& f, StringRef name) {
  SmallVector<CallBase*, 8> all;
  for (Instruction& i : instructions(f)) {
    auto* c = dyn_cast<CallBase>(&i);
    const Function* callee = c != nullptr ? c->getCalledFunction() : nullptr;
    if (callee != nullptr && callee->getName() == name) all.push_back(c);
  }
  return all;
}

SmallVector<CallBase*, 8> calls_of(Function& f, StringRef name) {
  SmallVector<CallBase*, 8> all;
  for (Instruction& i : instructions(f))
    if (marker(i) == name) all.push_back(cast<CallBase>(&i));
  return all;
}

void erase_call(CallBase* c) {
  if (auto* i = dyn_cast<InvokeInst>(c)) {
    i->getUnwindDest()->removePredecessor(i->getParent());
    BranchInst::Create(i->getNormalDest(), i->getIterator())->setDebugLoc(i->getDebugLoc());
  }
  c->eraseFromParent();
}

CallBase* replace_call(CallBase* c, FunctionCallee callee, ArrayRef<Value*> arguments) {
  IRBuilder<> at(c);
  CallBase* made;
  if (auto* i = dyn_cast<InvokeInst>(c))
    made = at.CreateInvoke(callee, i->getNormalDest(), i->getUnwindDest(), arguments);
  else
    made = at.CreateCall(callee, arguments);
  made->setDebugLoc(c->getDebugLoc());
  c->eraseFromParent();
  return made;
}

void erase_markers(Function& f) {
  SmallVector<CallBase*, 16> all;
  for (Instruction& i : instructions(f))
    if (!marker(i).empty()) all.push_back(cast<CallBase>(&i));
  for (CallBase* c : all) {
    if (marker(*c) == "callee") c->replaceAllUsesWith(c->getArgOperand(0));
    if (marker(*c) == "runs") c->replaceAllUsesWith(ConstantInt::get(c->getType(), 1));
    if (c->use_empty()) erase_call(c);
  }
}

}  // namespace nopal_cilk
