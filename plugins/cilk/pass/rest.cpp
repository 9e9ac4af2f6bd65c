// SPDX-License-Identifier: Apache-2.0
// Decides which spawns have a rest that can be a closure. docs/cilk.md says why each condition is
// there.
#include "invoke.hpp"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "markers.hpp"
#include "spawned.hpp"

using namespace llvm;

namespace nopal_cilk {
namespace {

/// The rest is compiled three times, so a long one is left to the other form, whose fork costs
/// little beside it.
constexpr std::size_t most_instructions = 400;
/// A spawn in the rest counts as so many instructions, because each copy of it has its own helper.
constexpr std::size_t of_helper = 20;

/// The block that begins with `i`.
BasicBlock* split_before(Instruction* i) {
  BasicBlock* b = i->getParent();
  return i == &*b->getFirstNonPHIOrDbg() && pred_size(b) > 0 ? b : SplitBlock(b, i);
}

/// Calls `visit` for the blocks that are reached from `first` while it returns true. It follows
/// exceptions as well if `unwinding`.
void walk(BasicBlock* first, bool unwinding, function_ref<bool(BasicBlock*)> visit) {
  SmallVector<BasicBlock*, 16> left = {first};
  SmallPtrSet<BasicBlock*, 16> seen;
  while (!left.empty()) {
    BasicBlock* b = left.pop_back_val();
    if (!seen.insert(b).second || !visit(b)) continue;
    auto* i = dyn_cast<InvokeInst>(b->getTerminator());
    if (i != nullptr && !unwinding)
      left.push_back(i->getNormalDest());
    else
      left.append(succ_begin(b), succ_end(b));
  }
}

/// Whether `i` cannot be copied to another function, because it is about the frame of this one or
/// about where this one returns to.
bool belongs_to_frame(const Instruction& i) {
  if (const auto* v = dyn_cast<AllocaInst>(&i)) return !v->isStaticAlloca();
  const auto* c = dyn_cast<CallBase>(&i);
  if (c == nullptr) return isa<ReturnInst, IndirectBrInst>(&i);
  if (c->isMustTailCall() || isa<CallBrInst>(c) || c->hasFnAttr(Attribute::ReturnsTwice))
    return true;
  switch (c->getIntrinsicID()) {
    case Intrinsic::stacksave:
    case Intrinsic::stackrestore:
    case Intrinsic::vastart:
    case Intrinsic::vaend:
    case Intrinsic::vacopy:
    case Intrinsic::frameaddress:
    case Intrinsic::returnaddress:
      return true;
    default:
      return false;
  }
}

/// Returns the first instruction from `i` on that does more than move an exception to where it is
/// handled next. find_unwinding() compares by this what different landing pads clean up.
const Instruction* cleanup_from(const Instruction* i) {
  SmallPtrSet<const BasicBlock*, 8> seen;  // a cleanup may go round for ever
  for (;;) {
    const auto* branch = dyn_cast<BranchInst>(i);
    if (branch != nullptr && branch->isUnconditional() && seen.insert(i->getParent()).second)
      i = &branch->getSuccessor(0)->front();
    else if (isa<LandingPadInst, ExtractValueInst, InsertValueInst, LoadInst, LifetimeIntrinsic,
                 DbgInfoIntrinsic>(i) ||
             (!marker(*i).empty() && !i->isTerminator()) ||
             (isa<StoreInst>(i) && isa<ExtractValueInst>(i->getOperand(0))))
      i = i->getNextNode();
    else
      return i;
  }
}

}  // namespace

bool invoking::is_lowered(const AllocaInst* mark) const {
  return any_of(lowered_, [mark](const lowered& l) { return l.mark == mark; });
}

bool invoking::is_chosen(const AllocaInst* mark) const {
  return any_of(chosen_, [mark](const chosen& c) { return c.mark == mark; });
}

bool invoking::is_pad_of_chosen(const BasicBlock* b) const {
  return any_of(chosen_, [b](const chosen& c) { return is_contained(c.pads, b); });
}

/// Finds the statement of a spawn and its rest, given `s.begin`. Returns false if the rest cannot
/// be a closure.
bool invoking::find(spawn_and_rest& s) {
  s.mark = mark_of(*s.begin);
  s.region = mark_of(*s.begin, 1);
  if (!find_statement(s) || !find_rest(s)) return false;
  if (s.is_empty) return true;
  for (CallBase* built : calls_of(function_, "built"))
    if (mark_of(*built) == s.mark) return false;
  if (s.repeats) begin_turn(s);
  return find_unwinding(s) && !may_throw_unseen(s) && is_closed(s);
}

/// Finds the blocks of the statement, the call in them, and the beginning of the rest. False if the
/// call is not on each path to the rest, or if the statement has more than one end.
bool invoking::find_statement(spawn_and_rest& s) {
  CallBase* end = nullptr;
  for (CallBase* c : calls_of(function_, "spawn_end"))
    if (mark_of(*c) == s.mark) {
      if (end != nullptr) return false;
      end = c;
    }
  if (end == nullptr) return false;
  Instruction* behind = end->getNextNode();
  while (isa<LifetimeIntrinsic>(behind) ||
         (marker(*behind) == "spawn_exit" && !behind->isTerminator()))
    behind = behind->getNextNode();
  s.rest = split_before(behind);
  for (CallBase* c : calls_of(function_, "spawn_exit"))
    if (mark_of(*c) == s.mark && c->getParent() != end->getParent()) split_before(c);
  BasicBlock* first = nullptr;
  if (auto* i = dyn_cast<InvokeInst>(s.begin))
    first = i->getNormalDest();
  else
    first = SplitBlock(s.begin->getParent(), s.begin->getNextNode());
  bool simple = first->getSinglePredecessor() != nullptr;
  walk(first, true, [&](BasicBlock* b) {
    if (b == s.rest) return false;
    const Instruction& i = *b->getFirstNonPHIOrDbg();
    if (marker(i) == "spawn_exit" && mark_of(cast<CallBase>(i)) == s.mark) {
      simple &= s.threw == nullptr || s.threw == b;
      s.threw = b;
      return false;
    }
    s.statement.insert(b);
    simple &= b != s.begin->getParent();
    return true;
  });
  if (!simple) return false;
  s.call = spawned_call(function_, [&](const BasicBlock* b) {
    return s.statement.contains(const_cast<BasicBlock*>(b));
  });
  if (s.call == nullptr) return false;
  // The call must be on each path to the rest.
  bool around = false;
  walk(first, false, [&](BasicBlock* b) {
    around |= b == s.rest;
    return b != s.rest && b != s.call->getParent();
  });
  walk(s.call->getParent(), false, [&](BasicBlock* b) {
    if (b == s.rest) return false;
    s.late.insert(b);
    return true;
  });
  return !around;
}

/// The region's join that is reached first in `b`; nullptr if there is none.
CallBase* invoking::join_in(BasicBlock* b, const AllocaInst* region) const {
  for (Instruction& i : *b) {
    const StringRef name = marker(i);
    auto* c = dyn_cast<CallBase>(&i);
    if ((name == "region_sync" || name == "region_end") && mark_of(*c) == region) return c;
    if (name == "region_exit" && mark_left_by(*c) == region) return c;
  }
  return nullptr;
}

/// Finds the blocks of the rest, and the join that ends it. Returns false if there is more than one
/// such join, or none.
bool invoking::find_rest(spawn_and_rest& s) {
  CallBase* join = nullptr;
  bool one = true;
  walk(s.rest, false, [&](BasicBlock* b) {
    if (CallBase* found = join_in(b, s.region)) {
      one &= join == nullptr || join == found;
      join = found;
    }
    return join_in(b, s.region) == nullptr;
  });
  if (join == nullptr || !one) return false;
  Instruction* end = join;
  if (marker(*join) == "region_exit") {
    // Only the join needs this store, so it is left out of a thief's copy.
    end = store_of_left(*join);
    end->moveBefore(join);
  }
  const Instruction* front = &*s.rest->getFirstNonPHIOrDbg();
  while (isa<LifetimeIntrinsic>(front)) front = front->getNextNode();
  s.is_empty = front == end;
  s.after = split_before(end);
  if (auto* i = dyn_cast<InvokeInst>(join)) s.unwound = i->getUnwindDest();
  walk(s.rest, false, [&](BasicBlock* b) {
    if (b == s.after) return false;
    s.blocks.insert(b);
    return true;
  });
  s.repeats = s.blocks.contains(s.begin->getParent());
  return true;
}

/// Adds the blocks that clean up after a spawned statement in the rest. False if `pad` does not
/// belong to such a statement. The marker of a statement that is still to be lowered stays in the
/// rest.
bool invoking::add_statement_of_rest(spawn_and_rest& s, BasicBlock* pad) {
  SetVector<BasicBlock*> blocks, exits;
  bool all = true;
  walk(pad, true, [&](BasicBlock* b) {
    // A spawn_exit begins a block: find_statement() has seen to that.
    Instruction& i = *b->getFirstNonPHIOrDbg();
    const AllocaInst* mark = marker(i) == "spawn_exit" ? mark_of(cast<CallBase>(i)) : nullptr;
    if (mark != nullptr && is_lowered(mark)) {
      exits.insert(b);
      return false;
    }
    if (mark != nullptr && (is_chosen(mark) || (s.repeats && b == s.threw))) {
      const bool alone = i.getNextNode() == b->getTerminator() && succ_size(b) == 1;
      exits.insert(alone ? b->getSingleSuccessor() : SplitBlock(b, i.getNextNode()));
      blocks.insert(b);
      return false;
    }
    all &= !isa<ResumeInst, ReturnInst>(b->getTerminator());
    blocks.insert(b);
    return true;
  });
  if (!all || exits.empty()) return false;
  s.blocks.insert(blocks.begin(), blocks.end());
  s.cleanups.insert(blocks.begin(), blocks.end());
  for (BasicBlock* b : exits)
    if (!is_contained(s.exits, b)) s.exits.push_back(b);
  return true;
}

/// Finds where exceptions of the rest and of the join go. False if anything is cleaned up there
/// that is not cleaned up after an exception of the statement.
bool invoking::find_unwinding(spawn_and_rest& s) {
  const Instruction* cleanup = s.threw != nullptr ? cleanup_from(&s.threw->front()) : nullptr;
  const bool none = cleanup == nullptr || isa<ResumeInst>(cleanup);
  auto as_statement = [&](BasicBlock* pad) {
    const Instruction* own = cleanup_from(&pad->front());
    return !isa<PHINode>(pad->front()) && (own == cleanup || (none && isa<ResumeInst>(own)));
  };
  if (cleanup == nullptr && !function_.doesNotThrow()) return false;
  if (s.unwound == nullptr ? !none : !as_statement(s.unwound)) return false;
  if (s.unwound != nullptr) s.pads.push_back(s.unwound);
  const SmallVector<BasicBlock*, 16> ordinary(s.blocks.begin(), s.blocks.end());
  for (BasicBlock* b : ordinary) {
    auto* i = dyn_cast<InvokeInst>(b->getTerminator());
    if (i == nullptr || s.blocks.contains(i->getUnwindDest())) continue;
    const bool spawns = b == s.begin->getParent() || s.statement.contains(b) ||
                        is_pad_of_chosen(i->getUnwindDest());
    if (!spawns && as_statement(i->getUnwindDest()))
      s.pads.push_back(i->getUnwindDest());
    else if (!add_statement_of_rest(s, i->getUnwindDest()))
      return false;
  }
  // The code behind a spawn that initializes a variable has the landing pad of the spawn's
  // statement.
  erase_if(s.pads, [&s](BasicBlock* pad) { return s.blocks.contains(pad); });
  return true;
}

/// Whether the statement, from the call on, may throw an exception that no landing pad sees.
bool invoking::may_throw_unseen(const spawn_and_rest& s) const {
  if (function_.doesNotThrow()) return false;
  bool behind = false;
  for (BasicBlock* b : s.late)
    for (const Instruction& i : *b) {
      behind |= b != s.call->getParent() || &i == s.call;
      const auto* c = dyn_cast<CallInst>(&i);
      if (behind && c != nullptr && marker(i).empty() && !c->doesNotThrow()) return true;
      const auto* call = dyn_cast<InvokeInst>(&i);
      if (call == nullptr) continue;
      const BasicBlock* pad = call->getUnwindDest();
      for (const Instruction& of_pad : *pad)
        if (isa<PHINode>(of_pad) || of_pad.isUsedOutsideOfBlock(pad)) return true;
    }
  return false;
}

/// Whether `i` joins a region that lies around the rest, or spawns in one other than the rest's
/// own.
bool invoking::is_of_region_around(const spawn_and_rest& s, const Instruction& i) {
  const StringRef name = marker(i);
  const bool spawns = name == "spawn_begin";
  if (!spawns && !name.starts_with("region_")) return false;
  const auto& c = cast<CallBase>(i);
  const AllocaInst* region = spawns                  ? mark_of(c, 1)
                             : name == "region_exit" ? mark_left_by(c)
                                                     : mark_of(c);
  if (spawns && region == s.region) return false;
  return region == nullptr || any_of(region->users(), [&s](const User* u) {
           const auto* at = cast<Instruction>(u);
           return !at->isLifetimeStartOrEnd() &&
                  !s.blocks.contains(const_cast<BasicBlock*>(at->getParent()));
         });
}

/// Whether `i` can be copied with the rest. It must not use a value of the statement, unless the
/// statement is a part of the rest.
bool invoking::can_be_copied(const spawn_and_rest& s, const Instruction& i) const {
  if (belongs_to_frame(i) || is_of_region_around(s, i)) return false;
  if (marker(i) == "spawn_begin" && &i != s.begin && !is_chosen(mark_of(cast<CallBase>(i))))
    return false;
  if (s.repeats) return true;
  return none_of(i.operand_values(), [&s](const Value* v) {
    const auto* made = dyn_cast<Instruction>(v);
    return made != nullptr && s.statement.contains(const_cast<BasicBlock*>(made->getParent()));
  });
}

/// Whether the rest can be copied to a function of its own: it is not too long, no way leads into
/// the middle of it, and nothing behind it uses its values.
bool invoking::is_closed(const spawn_and_rest& s) const {
  std::size_t instructions = 0;
  for (const BasicBlock* b : s.blocks) {
    if (b->hasAddressTaken()) return false;
    const bool shared = s.cleanups.contains(b) && !isa<PHINode>(b->front());
    for (const BasicBlock* before : predecessors(b))
      if (!s.repeats && !s.blocks.contains(const_cast<BasicBlock*>(before)) && b != s.rest &&
          !shared)
        return false;
    instructions += b->size();
    for (const Instruction& i : *b) {
      if (!can_be_copied(s, i)) return false;
      if (marker(i) == "spawn_begin") instructions += of_helper;
      for (const User* u : i.users()) {
        auto* at = const_cast<BasicBlock*>(cast<Instruction>(u)->getParent());
        if (!s.blocks.contains(at)) return false;
      }
    }
  }
  for (const BasicBlock* before : predecessors(s.rest))
    if (!s.statement.contains(const_cast<BasicBlock*>(before))) return false;
  return instructions <= most_instructions && (!s.repeats || has_two_ways_in(s));
}

}  // namespace nopal_cilk
