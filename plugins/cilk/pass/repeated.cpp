// SPDX-License-Identifier: Apache-2.0
// Lowers spawns in loops, whose rest comes back to them. docs/cilk.md argues why this is right.
#include "invoke.hpp"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"
#include "markers.hpp"

using namespace llvm;

namespace nopal_cilk {
namespace {

/// Whether `to` is reached from `from`, within `blocks` and not through `around`.
bool is_reached(BasicBlock* from, const BasicBlock* to, const SetVector<BasicBlock*>& blocks,
                const BasicBlock* around) {
  SmallVector<BasicBlock*, 16> left = {from};
  SmallPtrSet<BasicBlock*, 16> seen;
  while (!left.empty()) {
    BasicBlock* b = left.pop_back_val();
    if (b == around || !blocks.contains(b) || !seen.insert(b).second) continue;
    if (b == to) return true;
    left.append(succ_begin(b), succ_end(b));
  }
  return false;
}

/// Whether a store in the blocks writes to the variable.
bool is_written_in(const SetVector<BasicBlock*>& blocks, const AllocaInst* v) {
  return any_of(v->users(), [&blocks](const User* u) {
    const auto* store = dyn_cast<StoreInst>(u);
    return store != nullptr && blocks.contains(const_cast<BasicBlock*>(store->getParent()));
  });
}

/// Whether the statement reads variables behind the call that other turns may have written by then.
/// The statement may read a variable of the loop's own, such as a reference that each turn binds
/// anew: each copy of the loop has a copy of such a variable.
bool reads_late(const spawn_and_rest& s) {
  for (BasicBlock* b : s.late)
    for (Instruction& i : *b) {
      auto* load = dyn_cast<LoadInst>(&i);
      auto* v = load != nullptr ? dyn_cast<AllocaInst>(load->getPointerOperand()) : nullptr;
      if (v == nullptr || (b == s.call->getParent() && load->comesBefore(s.call)) ||
          !outline::used_outside(s.statement, v))
        continue;
      if (!isAllocaPromotable(v) ||
          (is_written_in(s.blocks, v) && outline::used_outside(s.blocks, v)))
        return true;
    }
  return false;
}

}  // namespace

/// Makes the statement begin a block, and this block a part of the rest.
void invoking::begin_turn(spawn_and_rest& s) {
  BasicBlock* before = s.begin->getParent();
  if (s.begin != &before->front()) SplitBlock(before, s.begin);
  s.blocks.insert(s.begin->getParent());
}

/// Whether a copy of the rest can begin with the statement as well as behind it, while the function
/// is in the call. It can if neither way in leads to the use of a value that has not been computed.
bool invoking::has_two_ways_in(const spawn_and_rest& s) {
  BasicBlock* const ways_in[] = {s.begin->getParent(), s.rest};
  for (const BasicBlock* way_in : ways_in)
    if (isa<PHINode>(way_in->front())) return false;
  if (reads_late(s)) return false;
  for (const BasicBlock* b : s.blocks)
    for (const Instruction& i : *b) {
      if (const auto* phi = dyn_cast<PHINode>(&i))
        for (BasicBlock* from : phi->blocks())
          if (!s.blocks.contains(from)) return false;
      for (const User* u : i.users()) {
        const BasicBlock* at = cast<Instruction>(u)->getParent();
        if (at == b && !isa<PHINode>(u)) continue;
        for (BasicBlock* way_in : ways_in)
          if (is_reached(way_in, at, s.blocks, b)) return false;
      }
    }
  return true;
}

/// Makes a function of the turns of the loop that are left. The last field of what it captures says
/// whether it begins with the statement or behind it. It spawns by frames.
Function* invoking::make_turns(outline& o, const spawn_and_rest& s, StructType* captured) {
  Function* made = make(o, function_.getName() + ".turns", captured, nullptr);
  Instruction* first = made->getEntryBlock().getTerminator();
  IRBuilder<> at(first);
  const unsigned whole = captured->getNumElements() - 1;
  at.CreateCondBr(
      at.CreateLoad(at.getInt1Ty(), at.CreateStructGEP(captured, made->getArg(0), whole)),
      o.inner(s.begin->getParent()), o.inner(s.rest));
  first->eraseFromParent();
  spawn_by_frames(made, o, s.region);
  return made;
}

/// Makes the function for a thief, as choose() does, for a spawn whose rest comes back to it.
void invoking::choose_repeated(const spawn_and_rest& s, chosen& c) {
  // The copy has its own of the variables that the statement alone uses, because the function may
  // be using these for its turn at the same time.
  c.rest = std::make_unique<outline>(s.begin->getParent(), s.rest, s.after, s.exits, s.pads,
                                     s.statement);
  SmallVector<Type*, 8> types(captured_by(*c.rest, nullptr, true)->elements());
  types.push_back(Type::getInt1Ty(function_.getContext()));
  c.captured = StructType::get(function_.getContext(), types);
  c.made = make_turns(*c.rest, s, c.captured);
}

/// Lowers such a spawn. Worker or not, the thread runs the same function of the turns that are
/// left.
void invoking::lower_repeated(spawn_and_rest& s, const chosen& c) {
  BasicBlock* turn = s.begin->getParent();
  erase_marks(s);
  begin_call(s);
  AllocaInst* join = fork(s, *c.rest, c.captured, c.made, ask_for_worker(s, s.call));
  auto begin_with_statement = [&](bool yes, Instruction* place) {
    IRBuilder<> at(place);
    at.CreateStore(at.getInt1(yes),
                   at.CreateStructGEP(c.captured, join, c.captured->getNumElements() - 1));
  };
  begin_with_statement(false, s.call->getParent()->getFirstNonPHI());
  // Each turn asks whether the thread is a worker, before it does anything of the statement.
  SplitBlock(turn, &turn->front());
  CallInst* worker = ask_for_worker(s, turn->getTerminator());
  Instruction* place = go_outside(s, worker, c.made, join);
  capture(*c.rest, c.captured, join, nullptr, place);
  begin_with_statement(true, place);
}

}  // namespace nopal_cilk
