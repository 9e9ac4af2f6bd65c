// SPDX-License-Identifier: Apache-2.0
#include "built.hpp"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "pass/markers.hpp"

using namespace llvm;

namespace nopal_cilk {
namespace {

/// Whether `c` calls a destructor of the object at `variable`, by the Itanium C++ ABI's names.
bool destroys(const CallBase& c, const Value* variable) {
  const Function* f = c.getCalledFunction();
  return f != nullptr && c.arg_size() > 0 && c.getArgOperand(0)->stripPointerCasts() == variable &&
         f->getName().starts_with("_Z") &&
         (f->getName().ends_with("D1Ev") || f->getName().ends_with("D2Ev"));
}

/// Makes the call depend on the flag: it is left out if the flag is not set.
void guard(CallBase* c, AllocaInst* flag) {
  if (auto* i = dyn_cast<InvokeInst>(c)) {
    // Both ways, with the call and without it, meet in `after`, a block of their own.
    BasicBlock* after = SplitEdge(i->getParent(), i->getNormalDest());
    BasicBlock* call = SplitBlock(i->getParent(), i);
    Instruction* old = call->getSinglePredecessor()->getTerminator();
    IRBuilder<> at(old);
    at.CreateCondBr(at.CreateTrunc(at.CreateLoad(at.getInt8Ty(), flag), at.getInt1Ty()), call,
                    after);
    old->eraseFromParent();
    return;
  }
  IRBuilder<> at(c);
  Value* built = at.CreateTrunc(at.CreateLoad(at.getInt8Ty(), flag), at.getInt1Ty());
  Instruction* then = SplitBlockAndInsertIfThen(built, c->getIterator(), false);
  c->moveBefore(then);
}

/// The variable that `marker` names, or the temporary that it refers to if it is a reference.
Value* built_by(const CallBase& marker) {
  Value* v = marker.getArgOperand(1)->stripPointerCasts();
  const auto* reference = dyn_cast<LoadInst>(v);
  if (reference == nullptr) return v;
  for (const User* u : reference->getPointerOperand()->users())
    if (const auto* s = dyn_cast<StoreInst>(u))
      return const_cast<Value*>(s->getValueOperand()->stripInBoundsConstantOffsets());
  return v;
}

}  // namespace

void guard_destructor(CallBase* marker, CallBase* begin) {
  Function& f = *marker->getFunction();
  Value* variable = built_by(*marker);
  IRBuilder<> at(&*f.getEntryBlock().getFirstInsertionPt());
  AllocaInst* flag = at.CreateAlloca(at.getInt8Ty(), nullptr, "built");
  at.SetInsertPoint(begin);
  at.CreateStore(at.getInt8(0), flag);
  at.SetInsertPoint(marker);
  at.CreateStore(at.getInt8(1), flag);
  SmallVector<CallBase*, 4> calls;
  for (User* u : variable->users())
    if (auto* c = dyn_cast<CallBase>(u); c != nullptr && destroys(*c, variable)) calls.push_back(c);
  for (CallBase* c : calls) guard(c, flag);
  erase_call(marker);
}

}  // namespace nopal_cilk
