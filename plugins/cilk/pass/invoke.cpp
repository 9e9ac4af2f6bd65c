// SPDX-License-Identifier: Apache-2.0
#include "invoke.hpp"

#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "markers.hpp"
#include "spawned.hpp"

using namespace llvm;

namespace nopal_cilk {
namespace {

const cl::opt<bool> all_by_frames("nopal-cilk-frames", cl::Hidden,
                                  cl::desc("Spawn by frames alone, for tests of them"));

Type* word_of(LLVMContext& c) { return Type::getInt64Ty(c); }
PointerType* pointer_of(LLVMContext& c) { return PointerType::getUnqual(c); }

}  // namespace

SmallVector<CallBase*, 8> invoking::lower(SmallVector<CallBase*, 8> begins) {
  if (all_by_frames) return begins;
  choose(begins);
  while (!chosen_.empty()) {
    const chosen c = std::move(chosen_.front());
    chosen_.pop_front();
    spawn_and_rest s(c.begin);
    if (find(s))
      lower(s, c);
    else
      begins.push_back(c.begin);
  }
  return begins;
}

/// Takes the spawns that can be lowered out of `begins`. Each is chosen after those in its rest.
void invoking::choose(SmallVector<CallBase*, 8>& begins) {
  // The others are tried again after each spawn, because it may be in the rest of one of them.
  for (bool changed = true; changed;) {
    changed = false;
    for (CallBase* b : reverse(begins)) {
      spawn_and_rest s(b);
      if (!find(s)) continue;
      begins.erase(llvm::find(begins, b));
      if (s.is_empty) {  // The spawned call becomes a plain one.
        erase_marks(s);
        lowered_.push_back({s.mark, nullptr, nullptr});
      } else {
        choose(s);
      }
      changed = true;
      break;
    }
  }
}

/// Makes the function for a thief. The spawns in it are not lowered yet.
void invoking::choose(const spawn_and_rest& s) {
  forget_lifetimes(s);
  chosen c{s.begin, s.mark, {}, nullptr, nullptr, nullptr};
  if (const auto* i = dyn_cast<InvokeInst>(s.begin)) c.pads.push_back(i->getUnwindDest());
  for (const BasicBlock* b : s.statement)
    if (b->isLandingPad()) c.pads.push_back(b);
  if (s.repeats) {
    choose_repeated(s, c);
  } else {
    c.rest = std::make_unique<outline>(s.rest, s.after, s.exits, s.pads);
    c.captured = captured_by(*c.rest, nullptr, true);
    c.made = make(*c.rest, function_.getName() + ".rest", c.captured, nullptr);
    spawn_by_frames(c.made, *c.rest, s.region);
  }
  chosen_.push_back(std::move(c));
}

/// Has the spawns in `made` lowered by frames. If a thief's copy forked as the function does, each
/// spawn in a row would keep the stack of a thief that waits for the next. `region` ends where
/// `made` does.
void invoking::spawn_by_frames(Function* made, const outline& o, const AllocaInst* region) {
  if (calls_of(*made, "spawn_begin").empty()) return;
  by_frames_.push_back(made);
  if (function_.doesNotThrow()) made->setDoesNotThrow();
  AllocaInst* inner = o.inner_or_null(region);
  if (inner == nullptr) return;  // All its spawns are in regions of its own.
  IRBuilder<> at(o.done()->getTerminator());
  if (DISubprogram* own = made->getSubprogram())
    at.SetCurrentDebugLocation(DILocation::get(made->getContext(), own->getLine(), 0, own));
  at.CreateCall(
      made->getParent()->getOrInsertFunction("__nopal_region_end", at.getVoidTy(), at.getPtrTy()),
      {inner});
}

/// The type of the memory for what an outlined function uses. It lies behind the join, or alone.
/// `worker` is not a part of it.
StructType* invoking::captured_by(const outline& o, const Value* worker, bool of_join) const {
  LLVMContext& context = function_.getContext();
  SmallVector<Type*, 8> types;
  if (of_join)
    types.push_back(
        ArrayType::get(Type::getInt8Ty(context), alignTo(runtime_.invoked_bytes(), 16)));
  else
    types.push_back(StructType::get(context));
  for (const input& i : o.inputs())
    if (i.outer != worker) types.push_back(i.type());
  return StructType::get(context, types);
}

/// Inserts, before `place`, the stores that put what the function of `o` uses into the memory
/// `there`. Its type `captured` is from captured_by(). make() reads it back. `worker` is not
/// stored: the function of `o` asks for it anew, since it may run on another worker.
void invoking::capture(const outline& o, StructType* captured, Value* there, const Value* worker,
                       Instruction* place) {
  IRBuilder<> at(place);
  unsigned field = 1;
  for (const input& i : o.inputs())
    if (i.outer != worker)
      at.CreateStore(i.value(at), at.CreateStructGEP(captured, there, field++));
}

/// Makes the function of `o`, whose argument is the memory with what is captured. It asks for
/// `worker` anew.
Function* invoking::make(outline& o, const Twine& name, StructType* captured, Value* worker) {
  LLVMContext& context = function_.getContext();
  Function* made =
      o.create(FunctionType::get(Type::getVoidTy(context), {pointer_of(context)}, false), name);
  BasicBlock* entry = &made->getEntryBlock();
  IRBuilder<> at(entry);
  unsigned field = 1;
  for (auto [index, i] : enumerate(o.inputs()))
    o.bind(index,
           i.outer == worker
               ? at.CreateCall(runtime_.function("this_worker", pointer_of(context), {}))
               : cast<Value>(at.CreateLoad(i.type(),
                                           at.CreateStructGEP(captured, made->getArg(0), field++))),
           at);
  o.copy(entry);
  IRBuilder<>(o.done()).CreateRetVoid()->setDebugLoc(o.end());
  if (o.threw() == nullptr) return made;
  // The exception is thrown again by a call, for the reason that make_body() in parallel.cpp gives.
  at.SetInsertPoint(o.threw());
  at.CreateCall(runtime_.function("rethrow", at.getVoidTy(), {pointer_of(context)}),
                {at.CreateLoad(pointer_of(context), o.exception())});
  at.CreateUnreachable();
  for (LandingPadInst* pad : o.pads()) pad->setCleanup(true);
  return made;
}

/// Makes the function by which a thief runs the continuation of a spawn with this rest.
Function* invoking::make_continuation(Function* rest) {
  LLVMContext& context = function_.getContext();
  PointerType* pointer = pointer_of(context);
  Function* made = Function::Create(
      FunctionType::get(Type::getVoidTy(context), {pointer, pointer}, false),
      GlobalValue::InternalLinkage, rest->getName() + ".stolen", function_.getParent());
  made->copyAttributesFrom(rest);
  made->setPersonalityFn(nullptr);
  made->setDoesNotThrow();
  IRBuilder<> at(BasicBlock::Create(context, "entry", made));
  at.CreateCall(runtime_.function("run_stolen", at.getVoidTy(), {pointer, pointer, pointer}),
                {made->getArg(0), made->getArg(1), rest});
  at.CreateRetVoid();
  return made;
}

/// Makes the variable live as long as the function.
void invoking::forget(Value* v) {
  for (User* u : make_early_inc_range(v->users()))
    if (auto* life = dyn_cast<LifetimeIntrinsic>(u)) life->eraseFromParent();
}

/// A copy of the statement or the rest may use a variable of this function, and its lifetime may
/// begin in that copy. So the lifetime becomes that of the function if other code uses the variable
/// too, or if the copy comes to it again.
void invoking::forget_lifetimes(const spawn_and_rest& s) {
  SmallSetVector<Value*, 16> used;
  for (const auto* blocks : {&s.statement, &s.blocks})
    for (BasicBlock* b : *blocks)
      for (Instruction& i : *b)
        for (Value* v : i.operand_values())
          if (isa<AllocaInst>(v)) used.insert(v);
  for (Value* v : used) {
    auto elsewhere = [&s](const User* u) {
      const auto* i = cast<Instruction>(u);
      return !i->isLifetimeStartOrEnd() &&
             !s.blocks.contains(const_cast<BasicBlock*>(i->getParent()));
    };
    if (s.repeats || any_of(v->users(), elsewhere)) forget(v);
  }
}

/// Ends the block `b` by a call, which goes on at `next` or, with an exception, at `unwound`.
CallBase* invoking::call_or_invoke(FunctionCallee callee, ArrayRef<Value*> arguments, BasicBlock* b,
                                   BasicBlock* next, BasicBlock* unwound) {
  IRBuilder<> at(b);
  if (unwound != nullptr) return at.CreateInvoke(callee, next, unwound, arguments);
  CallInst* made = at.CreateCall(callee, arguments);
  at.CreateBr(next);
  return made;
}

/// Variables that the rest only reads have copies beside the join, from which the rest reads them
/// again. If they were kept in registers across the call, each would cost a register that every
/// call of this function saves, even a call that does not spawn.
void invoking::read_again(const spawn_and_rest& s, const outline& rest, StructType* captured,
                          Value* join, BasicBlock* b) {
  IRBuilder<> at(b, b->begin());
  for (auto [index, i] : enumerate(rest.inputs())) {
    auto stored_late = [&s](const User* u) {
      const auto* store = dyn_cast<StoreInst>(u);
      return store != nullptr && s.late.contains(const_cast<BasicBlock*>(store->getParent()));
    };
    if (i.copied && none_of(i.outer->users(), stored_late))
      at.CreateAlignedStore(at.CreateLoad(i.type(), at.CreateStructGEP(captured, join, index + 1)),
                            i.outer, cast<AllocaInst>(i.outer)->getAlign());
  }
}

/// Takes the rest back behind the statement. If that fails, a thief has run it. Returns the block
/// that begins behind the statement.
BasicBlock* invoking::take_back(spawn_and_rest& s, Value* join, Value* position) {
  LLVMContext& context = function_.getContext();
  BasicBlock* ended = BasicBlock::Create(context, "ended", &function_, s.rest);
  s.rest->replaceUsesWithIf(ended, [&](const Use& u) {
    auto* i = dyn_cast<Instruction>(u.getUser());
    return i != nullptr && s.statement.contains(i->getParent());
  });
  BasicBlock* known = BasicBlock::Create(context, "known", &function_, s.rest);
  CallBase* taken = call_or_invoke(runtime_.function("take_back", Type::getInt1Ty(context),
                                                     {pointer_of(context), word_of(context)}),
                                   {join, position}, ended, known, s.unwound);
  taken->setDebugLoc(s.call->getDebugLoc());
  BranchInst::Create(s.rest, s.after, taken, known);
  return ended;
}

/// If the statement throws once the call has been made, the rest is abandoned first: it is taken
/// back, or its thief is waited for.
void invoking::abandon(spawn_and_rest& s, Value* join) {
  LLVMContext& context = function_.getContext();
  SmallDenseMap<BasicBlock*, BasicBlock*> pads;
  for (BasicBlock* b : s.late) {
    auto* call = dyn_cast<InvokeInst>(b->getTerminator());
    if (call == nullptr) continue;
    BasicBlock* pad = call->getUnwindDest();
    BasicBlock*& own = pads[pad];
    if (own == nullptr) {
      ValueToValueMapTy map;
      own = CloneBasicBlock(pad, map, ".late", &function_);
      remapInstructionsInBlocks({own}, map);
      IRBuilder<> at(own->getLandingPadInst()->getNextNode());
      at.CreateCall(runtime_.function("abandon", at.getVoidTy(), {pointer_of(context)}), {join})
          ->setDoesNotThrow();
      s.statement.insert(own);
    }
    call->setUnwindDest(own);
  }
  for (const auto& [pad, own] : pads)
    if (pred_empty(pad)) {
      s.statement.remove(pad);
      DeleteDeadBlock(pad);
    }
}

/// Spawns in the rest need not ask whether the thread is a worker: the rest runs on one.
void invoking::stay_inside(const spawn_and_rest& s) {
  for (lowered& l : lowered_) {
    if (l.outside == nullptr || !s.blocks.contains(l.outside->getParent())) continue;
    BasicBlock* outside = l.outside->getSuccessor(0);
    BranchInst::Create(l.outside->getSuccessor(1), l.outside->getIterator());
    l.outside->eraseFromParent();
    l.outside = nullptr;
    DeleteDeadBlock(outside);
    if (l.both->use_empty()) l.both->eraseFromParent();
  }
}

/// Removes the marks of the statement.
void invoking::erase_marks(spawn_and_rest& s) {
  forget(s.mark);
  for (BasicBlock* b : s.statement)
    for (Instruction& i : make_early_inc_range(*b)) {
      const StringRef name = marker(i);
      if (name == "callee") i.replaceAllUsesWith(i.getOperand(0));
      if (name == "callee" || name == "constructor" || name == "spawn_end" || name == "built" ||
          (name == "spawn_exit" && mark_of(cast<CallBase>(i)) == s.mark))
        i.eraseFromParent();
    }
  erase_call(s.begin);
}

/// Returns the place of the join, or a larger one instead if `other` needs it. A thread that is no
/// worker uses the place for `other`, since it has no join.
AllocaInst* invoking::common_place(AllocaInst* join, StructType* other) {
  const DataLayout& layout = function_.getParent()->getDataLayout();
  join->setAlignment(std::max(join->getAlign(), layout.getABITypeAlign(other)));
  if (layout.getTypeAllocSize(other) <= layout.getTypeAllocSize(join->getAllocatedType()))
    return join;
  auto* larger = new AllocaInst(other, 0, nullptr, join->getAlign(), "join", join->getIterator());
  join->replaceAllUsesWith(larger);
  join->eraseFromParent();
  return larger;
}

/// Makes the call begin a block. Returns the block before it.
BasicBlock* invoking::begin_call(spawn_and_rest& s) {
  copy_arguments_in_memory(s.call);
  BasicBlock* before = s.call->getParent();
  BasicBlock* here = SplitBlock(before, s.call);
  s.statement.insert(here);
  s.late.remove(before);
  s.late.insert(here);
  return before;
}

/// Asks in front of `place` which worker the thread is.
CallInst* invoking::ask_for_worker(const spawn_and_rest& s, Instruction* place) {
  IRBuilder<> at(place);
  CallInst* worker =
      at.CreateCall(runtime_.function("this_worker", pointer_of(function_.getContext()), {}));
  worker->setDebugLoc(s.call->getDebugLoc());
  worker->setDoesNotThrow();
  return worker;
}

/// Pushes `made`, the rest as a function, before the call, and takes it back behind the statement.
AllocaInst* invoking::fork(spawn_and_rest& s, const outline& rest, StructType* captured,
                           Function* made, Value* worker) {
  LLVMContext& context = function_.getContext();
  PointerType* pointer = pointer_of(context);
  IRBuilder<> first(&*function_.getEntryBlock().getFirstInsertionPt());
  AllocaInst* join = first.CreateAlloca(captured, nullptr, "join");
  join->setAlignment(std::max(join->getAlign(), Align(16)));
  capture(rest, captured, join, nullptr, s.call);
  IRBuilder<> at(s.call);
  at.SetCurrentDebugLocation(s.call->getDebugLoc());
  CallInst* position =
      at.CreateCall(runtime_.function("push", word_of(context), {pointer, pointer, pointer}),
                    {join, worker, make_continuation(made)});
  position->setDoesNotThrow();
  read_again(s, rest, captured, join, take_back(s, join, position));
  abandon(s, join);
  return join;
}

/// Makes a thread that is no worker call `made` instead, and go on at the join. Returns the place
/// for the code that stores what is handed over.
Instruction* invoking::go_outside(spawn_and_rest& s, CallInst* worker, Function* made,
                                  AllocaInst* there) {
  LLVMContext& context = function_.getContext();
  PointerType* pointer = pointer_of(context);
  Instruction* end = worker->getParent()->getTerminator();
  BasicBlock* inside = end->getSuccessor(0);
  BasicBlock* outside = BasicBlock::Create(context, "outside", &function_, inside);
  call_or_invoke(runtime_.function("run_outside", Type::getVoidTy(context), {pointer, pointer}),
                 {made, there}, outside, s.after, s.unwound)
      ->setDebugLoc(s.call->getDebugLoc());
  IRBuilder<> at(end);
  at.SetCurrentDebugLocation(s.call->getDebugLoc());
  BranchInst* asks = at.CreateCondBr(at.CreateIsNull(worker), outside, inside,
                                     MDBuilder(context).createUnlikelyBranchWeights());
  end->eraseFromParent();
  lowered_.push_back({s.mark, asks, made});
  return &outside->front();
}

/// Lowers one spawn. A worker pushes the rest, and calls what is spawned. A thread that is no
/// worker runs both on the default runtime.
void invoking::lower(spawn_and_rest& s, const chosen& c) {
  if (s.repeats) return lower_repeated(s, c);
  erase_marks(s);
  stay_inside(s);
  CallInst* worker = ask_for_worker(s, begin_call(s)->getTerminator());
  AllocaInst* join = fork(s, *c.rest, c.captured, c.made, worker);

  SmallVector<BasicBlock*, 4> exits = s.exits;
  if (s.threw != nullptr) exits.push_back(s.threw);
  outline both(s.call->getParent(), s.after, exits, s.pads);
  StructType* of_both = captured_by(both, worker, false);
  Function* made = make(both, function_.getName() + ".both", of_both, worker);
  AllocaInst* there = common_place(join, of_both);
  capture(both, of_both, there, worker, go_outside(s, worker, made, there));
}

}  // namespace nopal_cilk
