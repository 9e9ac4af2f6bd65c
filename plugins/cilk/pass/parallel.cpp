// SPDX-License-Identifier: Apache-2.0
#include "parallel.hpp"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
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

/// Makes a function of this type and name, whose first argument is the memory with what it uses.
Function* make_body(outline& o, FunctionType* type, const Twine& name, StructType* all,
                    runtime& r) {
  LLVMContext& context = type->getContext();
  Function* body = o.create(type, name);
  if (o.from().doesNotThrow()) body->setDoesNotThrow();
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
  return body;
}

/// Puts the memory for what the body uses into the function, and the values into it where the body
/// was.
Value* hand_over(outline& o, StructType* all) {
  IRBuilder<> first(&*o.from().getEntryBlock().getFirstInsertionPt());
  Value* there = first.CreateAlloca(all);
  IRBuilder<> at(o.cut());
  for (auto [index, i] : enumerate(o.inputs()))
    at.CreateStore(i.value(at), at.CreateStructGEP(all, there, index));
  return there;
}

/// Makes a cilk_for a call of nopal_cilk_for(), and its body a function, which is returned.
Function* lower_loop(CallBase* begin, runtime& r) {
  Function& f = *begin->getFunction();
  LLVMContext& context = f.getContext();
  Type* pointer = PointerType::getUnqual(context);
  Type* word = Type::getInt64Ty(context);
  outline o(begin, "loop_end", "loop_exit");
  StructType* all = captured(o, context);
  // A nopal::detail::cilk_loop_body.
  auto* type = FunctionType::get(Type::getVoidTy(context), {pointer, word, word}, false);
  Function* body = make_body(o, type, f.getName() + ".turns", all, r);
  for (unsigned i = 1; i <= 2; ++i)
    for (CallBase* c : calls_of(*body, i == 1 ? "loop_first" : "loop_last"))
      if (isa<AllocaInst>(c->getArgOperand(0)) && o.is_mark(c->getArgOperand(0))) {
        c->replaceAllUsesWith(body->getArg(i));
        erase_call(c);
      }
  replace_call(begin, r.function("for", Type::getVoidTy(context), {pointer, pointer, word, word}),
               {body, hand_over(o, all), begin->getArgOperand(1), begin->getArgOperand(2)});
  removeUnreachableBlocks(f);
  return body;
}

/// Makes a spawned block a call of a function, which is returned. The front half has put the marks
/// of a spawn around it.
Function* lower_block(CallBase* begin, runtime& r) {
  Function& f = *begin->getFunction();
  LLVMContext& context = f.getContext();
  PointerType* pointer = PointerType::getUnqual(context);
  outline o(begin, "block_end", "block_exit");
  StructType* all = captured(o, context);
  auto* type = FunctionType::get(Type::getVoidTy(context), {pointer}, false);
  Function* body = make_body(o, type, f.getName() + ".block", all, r);
  Value* there = hand_over(o, all);
  IRBuilder<> at(begin);
  Value* callee = at.CreateCall(f.getParent()->getOrInsertFunction(
                                    "__nopal_callee", FunctionType::get(pointer, {pointer}, false)),
                                {body});
  replace_call(begin, FunctionCallee(type, callee), {there});
  removeUnreachableBlocks(f);
  return body;
}

/// The outermost loop or block that comes first in the function; nullptr if there is none.
CallBase* first_body(Function& f) {
  for (Instruction& i : instructions(f))
    if (is_contained({"loop_begin", "block_begin"}, marker(i))) return cast<CallBase>(&i);
  return nullptr;
}

}  // namespace

bodies take_out_bodies(Function& f, runtime& r) {
  bodies all;
  for (;;) {
    CallBase* begin = first_body(f);
    if (begin == nullptr) return all;
    const bool loop = marker(*begin) == "loop_begin";
    Function* body = loop ? lower_loop(begin, r) : lower_block(begin, r);
    (loop ? all.turns : all.blocks).push_back(body);
  }
}

}  // namespace nopal_cilk
