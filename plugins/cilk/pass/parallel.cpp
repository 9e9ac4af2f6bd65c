// SPDX-License-Identifier: Apache-2.0
#include "parallel.hpp"

#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/Local.h"
#include "markers.hpp"
#include "outline.hpp"

using namespace llvm;

namespace nopal_cilk {
namespace {

/// Returns the type of the memory in which a loop's body finds what it uses of the function.
StructType* captured(const outline& o, LLVMContext& context) {
  SmallVector<Type*, 8> types;
  for (const input& i : o.inputs()) types.push_back(i.type());
  return StructType::get(context, types);
}

/// Makes body(captured, first, last), a nopal::detail::cilk_loop_body.
Function* make_body(outline& o, Function& f, StructType* all, runtime& r) {
  LLVMContext& context = f.getContext();
  Type* word = Type::getInt64Ty(context);
  auto* type = FunctionType::get(Type::getVoidTy(context),
                                 {PointerType::getUnqual(context), word, word}, false);
  Function* body = o.create(type, f.getName() + ".turns");
  if (f.doesNotThrow()) body->setDoesNotThrow();
  IRBuilder<> at(&body->getEntryBlock());
  for (auto [index, i] : enumerate(o.inputs()))
    o.bind(index, at.CreateLoad(i.type(), at.CreateStructGEP(all, body->getArg(0), index)), at);
  o.copy(&body->getEntryBlock());
  IRBuilder<>(o.done()).CreateRetVoid()->setDebugLoc(o.end());
  if (o.threw() != nullptr) {
    // The exception does not go on by `resume`: a pad may have the clause of a handler around the
    // loop, and the unwinder would then take this function for the one that handles the exception.
    at.SetInsertPoint(o.threw());
    Type* pointer = PointerType::getUnqual(context);
    at.CreateCall(r.function("rethrow", at.getVoidTy(), {pointer}),
                  {at.CreateLoad(pointer, o.exception())});
    at.CreateUnreachable();
    for (LandingPadInst* pad : o.pads()) pad->setCleanup(true);
  }
  for (unsigned i = 1; i <= 2; ++i)
    for (CallBase* c : calls_of(*body, i == 1 ? "loop_first" : "loop_last"))
      if (isa<AllocaInst>(c->getArgOperand(0)) && o.is_mark(c->getArgOperand(0))) {
        c->replaceAllUsesWith(body->getArg(i));
        erase_call(c);
      }
  return body;
}

/// Makes a cilk_for a call of nopal_cilk_for(), and its body a function, which is returned.
Function* lower_loop(CallBase* begin, runtime& r) {
  Function& f = *begin->getFunction();
  LLVMContext& context = f.getContext();
  outline o(begin, "loop_end", "loop_exit");
  StructType* all = captured(o, context);
  Function* body = make_body(o, f, all, r);
  IRBuilder<> first(&*f.getEntryBlock().getFirstInsertionPt());
  Value* there = first.CreateAlloca(all);
  IRBuilder<> at(o.cut());
  for (auto [index, i] : enumerate(o.inputs()))
    at.CreateStore(i.value(at), at.CreateStructGEP(all, there, index));
  Type* pointer = PointerType::getUnqual(context);
  Type* word = Type::getInt64Ty(context);
  replace_call(begin, r.function("for", Type::getVoidTy(context), {pointer, pointer, word, word}),
               {body, there, begin->getArgOperand(1), begin->getArgOperand(2)});
  removeUnreachableBlocks(f);
  return body;
}

}  // namespace

SmallVector<Function*, 4> lower_loops(Function& f, runtime& r) {
  SmallVector<Function*, 4> bodies;
  for (;;) {
    const SmallVector<CallBase*, 8> begins = calls_of(f, "loop_begin");
    if (begins.empty()) return bodies;
    bodies.push_back(lower_loop(begins.front(), r));
  }
}

}  // namespace nopal_cilk
