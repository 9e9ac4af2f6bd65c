// SPDX-License-Identifier: Apache-2.0
#include "spawning.hpp"

#include "frame/built.hpp"
#include "frame/dynamic.hpp"
#include "frame/threads.hpp"
#include "invoke.hpp"
#include "llvm/Analysis/CycleAnalysis.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/EscapeEnumerator.h"
#include "llvm/Transforms/Utils/Local.h"
#include "markers.hpp"

using namespace llvm;

namespace nopal_cilk {

spawning::spawning(Function& f, runtime& r)
    : function_(f),
      runtime_(r),
      context_(f.getContext()),
      void_(Type::getVoidTy(context_)),
      word_(Type::getInt64Ty(context_)),
      pointer_(PointerType::getUnqual(context_)) {}

spawning::region& spawning::region_of(AllocaInst* mark) {
  region& r = regions_[mark];
  if (r.frame == nullptr) {
    IRBuilder<> at(&*function_.getEntryBlock().getFirstInsertionPt());
    r.frame =
        at.CreateAlloca(ArrayType::get(at.getInt8Ty(), runtime_.frame_bytes()), nullptr, "frame");
    r.frame->setAlignment(Align(16));
  }
  return r;
}

/// Sorts the regions from the outermost in, which is the order in which their marks are declared. A
/// landing pad gets their joins in this order, each before those that it has already, so it joins
/// the outermost region last. What is joined last is thrown: the outstanding calls of the outermost
/// region were spawned before the inner ones began.
void spawning::add_regions(ArrayRef<CallBase*> begins) {
  SetVector<AllocaInst*> marks;
  for (CallBase* b : begins) marks.insert(mark_of(*b, 1));
  SmallVector<AllocaInst*, 8> sorted = marks.takeVector();
  sort(sorted, [](const AllocaInst* a, const AllocaInst* b) { return a->comesBefore(b); });
  for (AllocaInst* m : sorted) region_of(m);
}

void spawning::lower() {
  SmallVector<CallBase*, 8> begins = calls_of(function_, "spawn_begin");
  if (begins.empty() || !runtime_.has_one_stack(function_)) return;
  ask_anew_for_thread(function_);
  invoking closures(function_, runtime_);
  lower_by_frames(closures.lower(begins));
  for (Function* f : closures.by_frames())
    spawning(*f, runtime_).lower_by_frames(calls_of(*f, "spawn_begin"));
}

/// Lowers the spawns that begin at `begins` to forks of a frame_join for each region.
void spawning::lower_by_frames(SmallVector<CallBase*, 8> begins) {
  removeUnreachableBlocks(function_);
  if (begins.empty() || !runtime_.knows_registers_of(function_)) return;
  Module& m = *function_.getParent();
  function_.setPersonalityFn(
      cast<Constant>(m.getOrInsertFunction("__gxx_personality_v0",
                                           FunctionType::get(Type::getInt32Ty(context_), true))
                         .getCallee()));
  AllocaInst* dynamic = move_dynamic_variables(function_, runtime_);
  for (CallBase* built : calls_of(function_, "built"))
    guard_destructor(built, *find_if(begins, [built](const CallBase* b) {
                       return mark_of(*b) == mark_of(*built);
                     }));
  add_regions(begins);
  for (CallBase* b : begins) outline_spawn(b);
  removeUnreachableBlocks(function_);
  lower_joins();
  // An exception that leaves the function must meet a landing pad.
  EscapeEnumerator all(function_, "nopal.unwind", true);
  while (IRBuilder<>* way_out = all.Next())
    if (dynamic != nullptr)
      free_dynamic_variables(*way_out, dynamic, ConstantPointerNull::get(pointer_), runtime_);
  for (auto& [mark, r] : regions_) {
    join_at_landing_pads(r);
    leave_when_resuming(r);
  }
  enter_regions();
  forget_lifetimes();
  function_.addFnAttr(Attribute::NoInline);
  function_.removeFnAttr(Attribute::AlwaysInline);
  function_.addFnAttr(Attribute::NoRedZone);
}

/// Blocks that are reached after a fork.
SmallPtrSet<BasicBlock*, 16> spawning::reached(const region& r) const {
  SmallPtrSet<BasicBlock*, 16> seen;
  SmallVector<BasicBlock*, 16> left;
  for (CallBase* f : r.forks) left.append(succ_begin(f->getParent()), succ_end(f->getParent()));
  while (!left.empty()) {
    BasicBlock* b = left.pop_back_val();
    if (seen.insert(b).second) left.append(succ_begin(b), succ_end(b));
  }
  return seen;
}

namespace {

/// Blocks that are reached from a landing pad before the exception is caught.
DenseSet<const BasicBlock*> unwinding_blocks(Function& f) {
  DenseSet<const BasicBlock*> all;
  SmallVector<BasicBlock*, 16> left;
  for (BasicBlock& b : f)
    if (b.isLandingPad()) left.push_back(&b);
  auto catches = [](const BasicBlock& b) {
    return any_of(b, [](const Instruction& i) {
      const auto* c = dyn_cast<CallBase>(&i);
      return c != nullptr && c->getCalledFunction() != nullptr &&
             c->getCalledFunction()->getName() == "__cxa_begin_catch";
    });
  };
  while (!left.empty()) {
    BasicBlock* b = left.pop_back_val();
    if (catches(*b) || !all.insert(b).second) continue;
    left.append(succ_begin(b), succ_end(b));
  }
  return all;
}

/// Whether this is the call by which a landing pad abandons the rest of a spawn.
bool abandons_rest(const Instruction& i) {
  const auto* c = dyn_cast<CallBase>(&i);
  const Function* f = c != nullptr ? c->getCalledFunction() : nullptr;
  return f != nullptr && f->getName() == "nopal_cilk_abandon";
}

/// Whether `i` comes after one of `forks` in the same block.
bool after_any(ArrayRef<CallBase*> forks, const Instruction* i) {
  return any_of(forks, [i](const CallBase* f) {
    return f->getParent() == i->getParent() && f->comesBefore(i);
  });
}

}  // namespace

/// Replaces the markers of syncs and of ends of regions by joins of the region's frame. Those that
/// no fork comes before are left for erase_markers(): there is nothing to wait for.
void spawning::lower_joins() {
  const DenseSet<const BasicBlock*> unwinding = unwinding_blocks(function_);
  DenseMap<const AllocaInst*, SmallPtrSet<BasicBlock*, 16>> after_fork;
  for (const auto& [mark, r] : regions_) after_fork[mark] = reached(r);
  auto join = [&](CallBase* c, AllocaInst* mark, StringRef name) {
    auto* r = regions_.find(mark);
    if (r == regions_.end()) return;
    if (!after_fork[mark].contains(c->getParent()) && !after_any(r->second.forks, c)) return;
    Value* frame = r->second.frame;
    r->second.joins.push_back(replace_call(c, runtime_.function(name, void_, {pointer_}), {frame}));
  };
  for (CallBase* c : calls_of(function_, "region_sync")) join(c, mark_of(*c), "join");
  for (CallBase* c : calls_of(function_, "region_end")) join(c, mark_of(*c), "end");
  for (CallBase* c : calls_of(function_, "region_exit"))
    if (!unwinding.contains(c->getParent())) join(c, mark_left_by(*c), "end");
}

/// Blocks at whose end a spawned function may be running.
DenseSet<BasicBlock*> spawning::outstanding_at_end(const region& r) const {
  DenseSet<BasicBlock*> all;
  SmallVector<BasicBlock*, 16> left;
  auto last_word = [&r](BasicBlock* b) -> int {  // 1: a fork, -1: a join, 0: neither
    for (Instruction& i : reverse(*b)) {
      if (is_contained(r.forks, &i)) return 1;
      if (is_contained(r.joins, &i)) return -1;
    }
    return 0;
  };
  for (CallBase* f : r.forks)
    if (last_word(f->getParent()) > 0) left.push_back(f->getParent());
  while (!left.empty()) {
    BasicBlock* b = left.pop_back_val();
    if (!all.insert(b).second) continue;
    for (BasicBlock* next : successors(b))
      if (last_word(next) >= 0) left.push_back(next);
  }
  return all;
}

/// Landing pads join before any destructor runs, because children may use what is destroyed. A
/// child that threw comes first in the serial order: its exception is thrown from the same place
/// instead.
void spawning::join_at_landing_pads(region& r) {
  const DenseSet<BasicBlock*> outstanding = outstanding_at_end(r);
  SmallVector<BasicBlock*, 8> pads;
  for (BasicBlock& b : function_) {
    if (!b.isLandingPad()) continue;
    const bool needed = any_of(predecessors(&b), [&](BasicBlock* p) {
      if (outstanding.contains(p)) return true;
      // A join that throws has joined. Only a fork that throws leaves something to join.
      return is_contained(r.forks, p->getTerminator());
    });
    if (needed) pads.push_back(&b);
  }
  for (BasicBlock* b : pads) join_at_landing_pad(r, b->getLandingPadInst());
}

/// Joins where an exception arrives while children of the region may be running.
void spawning::join_at_landing_pad(region& r, LandingPadInst* pad) {
  BasicBlock* b = pad->getParent();
  // The rest of a spawn was pushed later than what is joined here, so it is abandoned first.
  Instruction* next = pad->getNextNode();
  if (abandons_rest(*next)) next = next->getNextNode();
  BasicBlock* rest = SplitBlock(b, next);
  // An exception of the join arrives at a pad of its own, which is the same without the join.
  BasicBlock* again = BasicBlock::Create(context_, "nopal.again", &function_, rest);
  auto* thrown = cast<LandingPadInst>(pad->clone());
  IRBuilder<> at(again);
  at.Insert(thrown);
  at.CreateBr(rest);
  b->getTerminator()->eraseFromParent();
  at.SetInsertPoint(b);
  at.SetCurrentDebugLocation(pad->getDebugLoc());
  Value* exception = at.CreateExtractValue(pad, 0);
  r.joins.push_back(
      at.CreateInvoke(runtime_.function("join_unwinding", void_, {pointer_, pointer_}), rest, again,
                      {r.frame, exception}));
  auto* either = PHINode::Create(pad->getType(), 2, "", rest->begin());
  pad->replaceUsesWithIf(
      either, [&](const Use& u) { return cast<Instruction>(u.getUser())->getParent() != b; });
  either->addIncoming(pad, b);
  either->addIncoming(thrown, again);
}

/// Ends the region before an exception leaves the function: a function that has moved to a worker
/// goes back to its own thread there.
void spawning::leave_when_resuming(region& r) {
  const SmallPtrSet<BasicBlock*, 16> after_fork = reached(r);
  for (BasicBlock& b : function_) {
    auto* resume = dyn_cast<ResumeInst>(b.getTerminator());
    if (resume == nullptr || !after_fork.contains(&b)) continue;
    IRBuilder<> at(resume);
    r.joins.push_back(at.CreateCall(runtime_.function("end", void_, {pointer_}), {r.frame}));
    r.joins.back()->setDebugLoc(resume->getDebugLoc());
  }
}

/// Makes the frame of each region. What is found out about the function is the same for all, since
/// this adds no blocks.
void spawning::enter_regions() {
  DominatorTree dominators(function_);
  CycleInfo cycles;  // includes loops by goto, which may have several entries
  cycles.compute(function_);
  for (auto& [mark, r] : regions_) enter(r, dominators, cycles);
}

/// Makes the frame once, before its first use, and not on paths that do not use it.
void spawning::enter(region& r, DominatorTree& dominators, CycleInfo& cycles) {
  BasicBlock* first = nullptr;
  auto use = [&](const CallBase* c) {
    auto* b = const_cast<BasicBlock*>(c->getParent());
    if (!dominators.isReachableFromEntry(b)) return;
    first = first == nullptr ? b : dominators.findNearestCommonDominator(first, b);
  };
  for (const CallBase* c : r.forks) use(c);
  for (const CallBase* c : r.joins) use(c);
  while (cycles.getCycle(first) != nullptr || first->isLandingPad())
    first = dominators.getNode(first)->getIDom()->getBlock();
  Instruction* place = first->getTerminator();
  for (Instruction& i : *first)
    if (is_contained(r.forks, &i) || is_contained(r.joins, &i)) {
      place = &i;
      break;
    }
  IRBuilder<> at(place);
  CallInst* made = at.CreateCall(runtime_.function("enter", void_, {pointer_}), {r.frame});
  made->setDebugLoc(place->getDebugLoc());
}

/// A variable that a child has the address of keeps its place in the frame while the function runs.
void spawning::forget_lifetimes() {
  for (AllocaInst* v : shared_)
    for (User* u : make_early_inc_range(v->users()))
      if (auto* life = dyn_cast<LifetimeIntrinsic>(u)) life->eraseFromParent();
}

}  // namespace nopal_cilk
