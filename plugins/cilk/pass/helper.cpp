// SPDX-License-Identifier: Apache-2.0
// The helper of a spawned statement: a function that runs it as the child of a fork.
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "markers.hpp"
#include "spawning.hpp"

using namespace llvm;

namespace nopal_cilk {
namespace {

constexpr unsigned words_in_registers = 5;
constexpr unsigned bytes_of_spawned = 24;
constexpr unsigned offset_of_stealable = 16;

bool fits_word(Type* t) {
  return t->isPointerTy() || t->isFloatTy() || t->isDoubleTy() ||
         (t->isIntegerTy() && t->getIntegerBitWidth() <= 64);
}

Value* to_word(IRBuilderBase& at, Value* v, Type* word) {
  Type* t = v->getType();
  if (t->isPointerTy()) return at.CreatePtrToInt(v, word);
  if (t->isFloatingPointTy()) v = at.CreateBitCast(v, at.getIntNTy(t->getPrimitiveSizeInBits()));
  return at.CreateZExt(v, word);
}

Value* from_word(IRBuilderBase& at, Value* w, Type* t) {
  if (t->isPointerTy()) return at.CreateIntToPtr(w, t);
  if (t->isIntegerTy()) return at.CreateTrunc(w, t);
  return at.CreateBitCast(at.CreateTrunc(w, at.getIntNTy(t->getPrimitiveSizeInBits())), t);
}

/// helper(w0, w1, frame, w2, w3, w4), as nopal::detail::child_function.
unsigned parameter_of(unsigned word) { return word < 2 ? word : word + 1; }

/// The last call of a constructor that the front half has named: an argument may be of the same
/// class.
CallBase* spawned_constructor(Function& helper, const CallBase& mark) {
  StringRef names;
  if (!getConstantStringInfo(mark.getArgOperand(0), names)) return nullptr;
  const auto [complete, base] = names.split(' ');
  SmallVector<CallBase*, 8> calls = calls_named(helper, complete);
  calls.append(calls_named(helper, base));
  for (CallBase* c : calls)
    if (none_of(calls, [c](CallBase* d) { return c != d && isPotentiallyReachable(c, d); }))
      return c;
  return nullptr;
}

/// The call in `helper` that runs what is spawned. The front half has marked its callee, or the
/// object on which it is called.
CallBase* spawned_call(Function& helper) {
  for (CallBase* mark : calls_of(helper, "constructor")) return spawned_constructor(helper, *mark);
  for (CallBase* mark : calls_of(helper, "callee"))
    for (User* u : mark->users()) {
      auto* c = dyn_cast<CallBase>(u);
      if (c == nullptr || isa<IntrinsicInst>(c)) continue;
      const unsigned object = c->hasStructRetAttr() ? 1 : 0;
      if (c->getCalledOperand() == mark ||
          (c->arg_size() > object && c->getArgOperand(object) == mark))
        return c;
    }
  return nullptr;
}

}  // namespace

StructType* spawning::packed(const outline& o) const {
  SmallVector<Type*, 8> types;
  for (const input& i : o.inputs()) types.push_back(i.type());
  return StructType::get(context_, types);
}

/// The words for the helper, computed before the fork.
SmallVector<Value*, 5> spawning::hand_over(outline& o, bool in_registers, Instruction* place) {
  IRBuilder<> at(place);
  SmallVector<Value*, 5> words(words_in_registers, PoisonValue::get(word_));
  auto outer = [&at](const input& i) {
    return i.copied ? at.CreateLoad(i.type(), i.outer) : i.outer;
  };
  if (in_registers) {
    for (auto [index, i] : enumerate(o.inputs())) words[index] = to_word(at, outer(i), word_);
    return words;
  }
  StructType* all = packed(o);
  IRBuilder<> first(&*function_.getEntryBlock().getFirstInsertionPt());
  Value* there = first.CreateAlloca(all);
  for (auto [index, i] : enumerate(o.inputs()))
    at.CreateStore(outer(i), at.CreateStructGEP(all, there, index));
  words[0] = at.CreatePtrToInt(there, word_);
  return words;
}

Function* spawning::make_helper(outline& o, bool in_registers) {
  auto* type = FunctionType::get(word_, {word_, word_, pointer_, word_, word_, word_}, false);
  Function* helper = o.create(type, function_.getName() + ".spawned");
  helper->addFnAttr(Attribute::NoUnwind);
  Argument* frame = helper->getArg(2);
  BasicBlock* entry = &helper->getEntryBlock();
  IRBuilder<> at(entry);
  Value* kept = at.CreateAlloca(ArrayType::get(word_, bytes_of_spawned / 8));
  at.CreateStore(at.getFalse(), at.CreateConstGEP1_64(at.getInt8Ty(), kept, offset_of_stealable));
  BasicBlock* outside = BasicBlock::Create(context_, "outside", helper);
  BasicBlock* here = BasicBlock::Create(context_, "here", helper);
  at.CreateCondBr(at.CreateCall(runtime_.function("outside", at.getInt1Ty(), {})), outside, here);
  at.SetInsertPoint(outside);
  SmallVector<Value*, 8> arguments;
  for (Argument& a : helper->args()) arguments.push_back(&a);
  arguments.push_back(helper);
  at.CreateRet(
      at.CreateCall(runtime_.function("enter_and_run", word_,
                                      {word_, word_, pointer_, word_, word_, word_, pointer_}),
                    arguments));
  at.SetInsertPoint(here);
  StructType* all = packed(o);
  for (auto [index, i] : enumerate(o.inputs())) {
    Value* inner =
        in_registers
            ? from_word(at, helper->getArg(parameter_of(index)), i.type())
            : at.CreateLoad(
                  i.type(),
                  at.CreateStructGEP(all, at.CreateIntToPtr(helper->getArg(0), pointer_), index));
    o.bind(index, inner, at);
  }
  o.copy(here);
  at.SetInsertPoint(o.done());
  at.CreateCall(runtime_.function("leave", void_, {pointer_}), {kept});
  at.CreateRet(ConstantInt::get(word_, 0));
  detach(*helper, kept, frame);
  catch_all(o, kept, frame);
  return helper;
}

/// The forking function can be stolen from the instruction on that calls what is spawned. Whatever
/// that is passed in memory is copied before.
void spawning::detach(Function& helper, Value* kept, Value* frame) {
  CallBase* call = spawned_call(helper);
  if (call == nullptr) return;
  IRBuilder<> at(call);
  const DataLayout& layout = helper.getParent()->getDataLayout();
  for (unsigned i = 0; i < call->arg_size(); ++i) {
    if (!call->isByValArgument(i)) continue;
    Type* type = call->getParamByValType(i);
    IRBuilder<> first(&*helper.getEntryBlock().getFirstInsertionPt());
    AllocaInst* copy = first.CreateAlloca(type);
    const Align align = std::max(call->getParamAlign(i).valueOrOne(), copy->getAlign());
    copy->setAlignment(align);
    at.CreateMemCpy(copy, align, call->getArgOperand(i), call->getParamAlign(i).valueOrOne(),
                    layout.getTypeAllocSize(type));
    call->setArgOperand(i, copy);
  }
  at.CreateCall(runtime_.function("detach", void_, {pointer_, pointer_}), {kept, frame});
}

/// What the statement throws arrives at the join, or at the fork if nobody stole.
void spawning::catch_all(outline& o, Value* kept, Value* frame) {
  if (o.threw() == nullptr) return;
  IRBuilder<> at(o.threw());
  Value* exception = at.CreateLoad(pointer_, o.exception());
  at.CreateRet(at.CreateCall(runtime_.function("threw", word_, {pointer_, pointer_, pointer_}),
                             {kept, frame, exception}));
  for (LandingPadInst* pad : o.pads())
    pad->addClause(ConstantPointerNull::get(PointerType::getUnqual(context_)));
}

void spawning::outline_spawn(CallBase* begin) {
  region& r = region_of(mark_of(*begin, 1));
  outline o(begin, "spawn_end", "spawn_exit");
  const bool in_registers = o.inputs().size() <= words_in_registers &&
                            all_of(o.inputs(), [](const input& i) { return fits_word(i.type()); });
  Function* helper = make_helper(o, in_registers);
  Instruction* at = o.cut();
  SmallVector<Value*, 8> arguments = {r.frame, helper};
  arguments.append(hand_over(o, in_registers, at));
  shared_.insert(o.shared().begin(), o.shared().end());
  r.forks.push_back(replace_call(
      begin,
      runtime_.function("fork", void_, {pointer_, pointer_, word_, word_, word_, word_, word_}),
      arguments));
}

}  // namespace nopal_cilk
