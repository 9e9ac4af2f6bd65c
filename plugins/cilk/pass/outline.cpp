// SPDX-License-Identifier: Apache-2.0
#include "outline.hpp"

#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"
#include "markers.hpp"

using namespace llvm;

namespace nopal_cilk {
namespace {

/// Whether `v` is a value of the function. A copy in another function must not refer to it: copy()
/// removes debug records that would.
bool is_of(const Value* v, const Function& f) {
  const auto* made = dyn_cast<Instruction>(v);
  const auto* argument = dyn_cast<Argument>(v);
  return (made != nullptr && made->getFunction() == &f) ||
         (argument != nullptr && argument->getParent() == &f);
}

}  // namespace

outline::outline(CallBase* begin, StringRef end, StringRef exit)
    : begin_(begin), mark_(mark_of(*begin)), from_(*begin->getFunction()) {
  find_ends(end, exit);
  find_blocks();
  find_inputs();
}

outline::outline(BasicBlock* first, BasicBlock* after, ArrayRef<BasicBlock*> exits,
                 ArrayRef<BasicBlock*> pads)
    : outline(first, nullptr, after, exits, pads, {}) {}

outline::outline(BasicBlock* first, BasicBlock* second, BasicBlock* after,
                 ArrayRef<BasicBlock*> exits, ArrayRef<BasicBlock*> pads,
                 const SetVector<BasicBlock*>& alone)
    : from_(*first->getParent()),
      first_(first),
      second_(second),
      alone_(alone),
      after_(after),
      exits_(exits.begin(), exits.end()),
      unmet_(pads.begin(), pads.end()) {
  exits_.push_back(after);
  find_blocks();
  find_inputs();
}

/// Finds the first block of the instructions, and those in which they end.
void outline::find_ends(StringRef end, StringRef exit) {
  SmallVector<CallBase*, 8> ends = calls_of(from_, end);
  ends.append(calls_of(from_, exit));
  for (CallBase* c : ends) {
    if (mark_of(*c) != mark_) continue;
    BasicBlock* b = c->getParent();
    const bool ordinary = marker(*c) == end;
    if (c != &*b->getFirstNonPHIOrDbg()) b = SplitBlock(b, c);
    exits_.push_back(b);
    if (ordinary) after_ = b;
  }
  if (auto* i = dyn_cast<InvokeInst>(begin_)) {
    first_ = i->getNormalDest();
    if (first_->getSinglePredecessor() == nullptr) first_ = SplitEdge(i->getParent(), first_);
  } else {
    first_ = SplitBlock(begin_->getParent(), begin_->getNextNode());
  }
}

/// Finds the blocks that are copied.
void outline::find_blocks() {
  SmallVector<BasicBlock*, 16> left = {first_};
  bool ends_ordinarily = false;
  while (!left.empty()) {
    BasicBlock* b = left.pop_back_val();
    ends_ordinarily |= b == after_;
    if (is_contained(unmet_, b) || is_contained(exits_, b) || !blocks_.insert(b)) continue;
    left.append(succ_begin(b), succ_end(b));
  }
  if (!ends_ordinarily) after_ = nullptr;
}

/// Finds the values and variables of the code around that the blocks use.
void outline::find_inputs() {
  SetVector<Value*> used;
  for (BasicBlock* b : blocks_)
    for (Instruction& i : *b) {
      if (isa<LifetimeIntrinsic>(i)) continue;
      for (Value* v : i.operand_values()) {
        auto* made = dyn_cast<Instruction>(v);
        if (isa<Argument>(v) || (made != nullptr && !blocks_.contains(made->getParent())))
          used.insert(v);
      }
    }
  for (Value* v : used) {
    auto* variable = dyn_cast<AllocaInst>(v);
    if (variable != nullptr && variable->isStaticAlloca())
      add_variable(variable);
    else
      inputs_.push_back({v, false});
  }
  add_shown(used);
  sort(own_, [](const AllocaInst* a, const AllocaInst* b) { return a->comesBefore(b); });
}

/// A variable becomes the new function's own if its value neither comes from the code around nor is
/// used there later. The places in which an exception is kept are such variables. With a second way
/// in, the old function may have given the variable its value in one of the blocks; then the value
/// is handed over.
void outline::add_variable(AllocaInst* v) {
  const bool marks =
      v == mark_ || any_of(v->users(), [this](const User* u) { return is_marker(u); });
  if (marks || !used_outside(second_ == nullptr ? blocks_ : alone_, v)) {
    own_.push_back(v);
    return;
  }
  const bool simple = isAllocaPromotable(v) && v->getAllocatedType()->isSingleValueType();
  const bool read_later = after_ != nullptr && read_before_written(v, after_, false);
  if (simple &&
      (second_ != nullptr ? !read_later || !stored(v) : hands_over_values() && !stored(v))) {
    inputs_.push_back({v, true});
  } else if (simple && !read_later && !read_before_written(v, first_, true)) {
    own_.push_back(v);
  } else {
    inputs_.push_back({v, false});
    shared_.push_back(v);
  }
}

/// Whether `u` is a marker of a spawn or a region that is copied.
bool outline::is_marker(const User* u) const {
  const auto* i = cast<Instruction>(u);
  const StringRef name = marker(*i);
  return (name.starts_with("spawn_") || name.starts_with("region_")) &&
         blocks_.contains(const_cast<BasicBlock*>(i->getParent()));
}

/// Whether code outside of `blocks` uses the variable.
bool outline::used_outside(const SetVector<BasicBlock*>& blocks, const AllocaInst* v) {
  return any_of(v->users(), [&blocks](const User* u) {
    const auto* i = cast<Instruction>(u);
    return !i->isLifetimeStartOrEnd() && !blocks.contains(const_cast<BasicBlock*>(i->getParent()));
  });
}

/// Whether variables that the blocks only read are handed over by value. If a spawn is among what
/// is copied, only that spawn does so, because each copy of a value costs a fork two more
/// instructions. A spawned block has the values of the moment before the spawn in any case.
bool outline::hands_over_values() const {
  if (begin_ != nullptr && marker(*begin_) == "block_begin") return true;
  return none_of(blocks_, [](const BasicBlock* b) {
    return any_of(*b, [](const Instruction& i) { return marker(i) == "spawn_begin"; });
  });
}

/// Whether the blocks write to the variable.
bool outline::stored(const AllocaInst* v) const {
  return any_of(v->users(), [this](const User* u) {
    return isa<StoreInst>(u) &&
           blocks_.contains(const_cast<BasicBlock*>(cast<Instruction>(u)->getParent()));
  });
}

/// Whether the variable's value is read on a way from `from` before another is written.
/// \param inside  whether to look at the blocks that are copied alone.
bool outline::read_before_written(const AllocaInst* v, BasicBlock* from, bool inside) const {
  SmallVector<BasicBlock*, 16> left = {from};
  SmallPtrSet<BasicBlock*, 16> seen;
  while (!left.empty()) {
    BasicBlock* b = left.pop_back_val();
    if (!seen.insert(b).second || (inside && !blocks_.contains(b))) continue;
    bool written = false;
    for (Instruction& i : *b) {
      if (auto* l = dyn_cast<LoadInst>(&i); l != nullptr && l->getPointerOperand() == v)
        return true;
      auto* s = dyn_cast<StoreInst>(&i);
      written = s != nullptr && s->getPointerOperand() == v;
      if (written) break;
    }
    if (!written) left.append(succ_begin(b), succ_end(b));
  }
  return false;
}

Function* outline::create(FunctionType* type, const Twine& name) {
  to_ = Function::Create(type, GlobalValue::InternalLinkage, name, from_.getParent());
  AttrBuilder attributes(from_.getContext(), from_.getAttributes().getFnAttrs());
  attributes.removeAttribute(Attribute::AlwaysInline).removeAttribute(Attribute::InlineHint);
  attributes.removeAttribute(Attribute::NoReturn).removeAttribute(Attribute::NoUnwind);
  attributes.removeAttribute(Attribute::Memory).addAttribute(Attribute::NoInline);
  to_->setAttributes(
      AttributeList::get(from_.getContext(), AttributeList::FunctionIndex, attributes));
  if (from_.hasPersonalityFn()) to_->setPersonalityFn(from_.getPersonalityFn());
  if (DISubprogram* around = from_.getSubprogram()) {
    DIBuilder debug(*from_.getParent(), false, around->getUnit());
    to_->setSubprogram(debug.createFunction(
        around->getFile(), to_->getName(), to_->getName(), around->getFile(), around->getLine(),
        debug.createSubroutineType(debug.getOrCreateTypeArray({})), around->getLine(),
        DINode::FlagArtificial, DISubprogram::SPFlagDefinition | DISubprogram::SPFlagLocalToUnit));
    debug.finalizeSubprogram(to_->getSubprogram());
  }
  BasicBlock* entry = BasicBlock::Create(from_.getContext(), "entry", to_);
  IRBuilder<> at(entry);
  for (AllocaInst* v : own_) {
    Instruction* copied = v->clone();
    at.Insert(copied);
    map_[v] = copied;
  }
  return to_;
}

void outline::bind(unsigned index, Value* inner, IRBuilderBase& at) {
  const input& i = inputs_[index];
  if (!i.copied) {
    map_[i.outer] = inner;
    return;
  }
  BasicBlock& entry = to_->getEntryBlock();
  Instruction* variable = cast<AllocaInst>(i.outer)->clone();
  variable->insertBefore(entry, entry.begin());
  at.CreateAlignedStore(inner, variable, cast<AllocaInst>(variable)->getAlign());
  map_[i.outer] = variable;
}

void outline::copy(BasicBlock* entry) {
  LLVMContext& context = from_.getContext();
  done_ = BasicBlock::Create(context, "done", to_);
  for (BasicBlock* b : exits_) {
    if (b != after_ && threw_ == nullptr) threw_ = BasicBlock::Create(context, "threw", to_);
    map_[b] = b == after_ ? done_ : threw_;
  }
  SmallVector<BasicBlock*, 16> copies;
  for (BasicBlock* b : blocks_) {
    copies.push_back(CloneBasicBlock(b, map_, "", to_));
    map_[b] = copies.back();
  }
  remapInstructionsInBlocks(copies, map_);
  for (BasicBlock* b : copies) {
    auto* call = dyn_cast<InvokeInst>(b->getTerminator());
    if (call != nullptr && is_contained(unmet_, call->getUnwindDest())) changeToCall(call);
  }
  for (BasicBlock* b : copies)
    for (Instruction& i : make_early_inc_range(*b)) {
      // Lifetimes of another function's variables are removed below.
      auto* life = dyn_cast<LifetimeIntrinsic>(&i);
      auto* v = life != nullptr ? dyn_cast<AllocaInst>(life->getArgOperand(1)) : nullptr;
      // Debug records of variables that nothing here uses are removed, too.
      for (DbgVariableRecord& r : make_early_inc_range(filterDbgVars(i.getDbgRecordRange())))
        if (any_of(r.location_ops(), [this](const Value* used) { return is_of(used, from_); }))
          r.eraseFromParent();
      if (life != nullptr && (v == nullptr || v->getFunction() != to_)) life->eraseFromParent();
    }
  exception_ = new AllocaInst(
      StructType::get(context, {PointerType::getUnqual(context), Type::getInt32Ty(context)}), 0,
      "exception", to_->getEntryBlock().begin());
  for (BasicBlock* b : copies)
    if (LandingPadInst* pad = b->getLandingPadInst()) {
      pads_.push_back(pad);
      IRBuilder<> at(pad->getNextNode());
      at.CreateStore(pad, exception_);
    }
  IRBuilder<>(entry).CreateBr(cast<BasicBlock>(map_[first_]));
  if (threw_ != nullptr && pred_empty(threw_)) {
    threw_->eraseFromParent();
    threw_ = nullptr;
  }
  show_variables(entry->getTerminator());
  adapt_debug_locations();
}

Instruction* outline::cut() {
  BasicBlock* b = begin_->getParent();
  if (auto* i = dyn_cast<InvokeInst>(begin_)) {
    BasicBlock* next = after_;
    if (next == nullptr) {
      next = BasicBlock::Create(from_.getContext(), "never", &from_);
      new UnreachableInst(from_.getContext(), next);
    }
    i->setNormalDest(next);
  } else {
    b->getTerminator()->eraseFromParent();
    if (after_ != nullptr)
      BranchInst::Create(after_, b);
    else
      new UnreachableInst(from_.getContext(), b);
  }
  keep_variables_visible(begin_);
  return begin_;
}

}  // namespace nopal_cilk
