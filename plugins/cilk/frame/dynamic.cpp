// SPDX-License-Identifier: Apache-2.0
#include "dynamic.hpp"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace nopal_cilk {
namespace {

/// Returns the instructions of `f` for which `is` is true. They are collected before any is
/// changed.
template <class Is>
SmallVector<Instruction*, 8> all_in(Function& f, const Is& is) {
  SmallVector<Instruction*, 8> all;
  for (Instruction& i : instructions(f))
    if (is(i)) all.push_back(&i);
  return all;
}

bool is_intrinsic(const Instruction& i, Intrinsic::ID id) {
  const auto* called = dyn_cast<IntrinsicInst>(&i);
  return called != nullptr && called->getIntrinsicID() == id;
}

/// Moves a variable of dynamic size from the stack to the heap, into `list`, from which the
/// function frees it at its end.
void move(AllocaInst* v, Value* list, runtime& r) {
  for (User* u : make_early_inc_range(v->users()))
    if (auto* life = dyn_cast<LifetimeIntrinsic>(u)) life->eraseFromParent();
  IRBuilder<> at(v);
  Type* word = at.getInt64Ty();
  const DataLayout& layout = v->getModule()->getDataLayout();
  Value* bytes = at.CreateMul(at.CreateZExtOrTrunc(v->getArraySize(), word),
                              at.getInt64(layout.getTypeAllocSize(v->getAllocatedType())));
  Value* moved = at.CreateCall(r.function("allocate", at.getPtrTy(), {at.getPtrTy(), word, word}),
                               {list, bytes, at.getInt64(v->getAlign().value())});
  v->replaceAllUsesWith(moved);
  v->eraseFromParent();
}

}  // namespace

AllocaInst* move_dynamic_variables(Function& f, runtime& r) {
  const auto variables = all_in(f, [](const Instruction& i) {
    const auto* v = dyn_cast<AllocaInst>(&i);
    return v != nullptr && !v->isStaticAlloca();
  });
  if (variables.empty()) return nullptr;
  IRBuilder<> at(&*f.getEntryBlock().getFirstInsertionPt());
  AllocaInst* list = at.CreateAlloca(at.getPtrTy(), nullptr, "dynamic");
  at.CreateStore(ConstantPointerNull::get(at.getPtrTy()), list);
  for (Instruction* v : variables) move(cast<AllocaInst>(v), list, r);
  for (Instruction* i :
       all_in(f, [](auto& i) { return is_intrinsic(i, Intrinsic::stackrestore); })) {
    at.SetInsertPoint(i);
    free_dynamic_variables(at, list, cast<CallInst>(i)->getArgOperand(0), r);
    i->eraseFromParent();
  }
  for (Instruction* i : all_in(f, [](auto& i) { return is_intrinsic(i, Intrinsic::stacksave); })) {
    at.SetInsertPoint(i);
    i->replaceAllUsesWith(at.CreateLoad(at.getPtrTy(), list));
    i->eraseFromParent();
  }
  return list;
}

void free_dynamic_variables(IRBuilderBase& at, Value* list, Value* until, runtime& r) {
  at.CreateCall(r.function("free_until", at.getVoidTy(), {at.getPtrTy(), at.getPtrTy()}),
                {list, until});
}

}  // namespace nopal_cilk
