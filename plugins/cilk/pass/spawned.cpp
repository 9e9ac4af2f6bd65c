// SPDX-License-Identifier: Apache-2.0
#include "spawned.hpp"

#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "markers.hpp"

using namespace llvm;

namespace nopal_cilk {
namespace {

/// The last call of the constructor that the front half has named. Earlier calls construct
/// arguments of the same class.
CallBase* spawned_constructor(Function& f, const CallBase& mark,
                              function_ref<bool(const BasicBlock*)> within) {
  StringRef names;
  if (!getConstantStringInfo(mark.getArgOperand(0), names)) return nullptr;
  const auto [complete, base] = names.split(' ');
  SmallVector<CallBase*, 8> calls = calls_named(f, complete);
  calls.append(calls_named(f, base));
  erase_if(calls, [&](const CallBase* c) { return !within(c->getParent()); });
  for (CallBase* c : calls)
    if (none_of(calls, [c](CallBase* d) { return c != d && isPotentiallyReachable(c, d); }))
      return c;
  return nullptr;
}

/// Whether `v` is what the front half has marked, or an object in it. A call by a pointer to a
/// member of a base class is made on such an object.
bool is_marked(const Value* v) {
  while (const auto* part = dyn_cast<GEPOperator>(v)) v = part->getPointerOperand();
  const auto* c = dyn_cast<CallBase>(v);
  return c != nullptr && marker(*c) == "callee";
}

}  // namespace

CallBase* spawned_call(Function& f, function_ref<bool(const BasicBlock*)> within) {
  for (CallBase* mark : calls_of(f, "constructor"))
    if (within(mark->getParent())) return spawned_constructor(f, *mark, within);
  for (BasicBlock& b : f) {
    if (!within(&b)) continue;
    for (Instruction& i : b) {
      auto* c = dyn_cast<CallBase>(&i);
      if (c == nullptr || isa<IntrinsicInst>(c)) continue;
      const unsigned object = c->hasStructRetAttr() ? 1 : 0;
      if (is_marked(c->getCalledOperand()) ||
          (c->arg_size() > object && is_marked(c->getArgOperand(object))))
        return c;
    }
  }
  return nullptr;
}

void copy_arguments_in_memory(CallBase* call) {
  Function& f = *call->getFunction();
  const DataLayout& layout = f.getParent()->getDataLayout();
  IRBuilder<> at(call);
  for (unsigned i = 0; i < call->arg_size(); ++i) {
    if (!call->isByValArgument(i)) continue;
    Type* type = call->getParamByValType(i);
    IRBuilder<> first(&*f.getEntryBlock().getFirstInsertionPt());
    AllocaInst* copy = first.CreateAlloca(type);
    const Align align = std::max(call->getParamAlign(i).valueOrOne(), copy->getAlign());
    copy->setAlignment(align);
    at.CreateMemCpy(copy, align, call->getArgOperand(i), call->getParamAlign(i).valueOrOne(),
                    layout.getTypeAllocSize(type));
    call->setArgOperand(i, copy);
  }
}

}  // namespace nopal_cilk
