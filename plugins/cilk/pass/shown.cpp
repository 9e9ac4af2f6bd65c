// SPDX-License-Identifier: Apache-2.0
// Debug information for a function that was taken out of another.
#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/InstIterator.h"
#include "outline.hpp"

using namespace llvm;

namespace nopal_cilk {

/// Whether `v` is declared in a scope that lies around `place`, or in the same one.
static bool is_declared_around(AllocaInst* v, const DILocation* place) {
  return any_of(findDVRDeclares(v), [place](const DbgVariableRecord* r) {
    const DIScope* around = place->getScope();
    while (around != nullptr && around != r->getVariable()->getScope())
      around = isa<DILocalScope>(around) ? around->getScope() : nullptr;
    return around != nullptr;
  });
}

/// A debugger shows all variables in scope if nothing is optimized, including those that the
/// instructions do not use. So the new function gets their addresses. It must not get the addresses
/// of other variables, which may be another new function's own: they would seem to be used outside
/// of that function.
void outline::add_shown(const SetVector<Value*>& used) {
  if (!from_.hasOptNone() || from_.getSubprogram() == nullptr || second_ != nullptr) return;
  const Instruction& begins = begin_ != nullptr ? *begin_ : first_->front();
  const DILocation* place = begins.getDebugLoc();
  if (place == nullptr) return;
  for (Instruction& i : from_.getEntryBlock()) {
    auto* v = dyn_cast<AllocaInst>(&i);
    if (v != nullptr && v->isStaticAlloca() && !used.contains(v) && is_declared_around(v, place))
      inputs_.push_back({v, false});
  }
}

/// Declares variables where the new function begins, in the same way as the old function does.
void outline::show_variables(Instruction* place) {
  if (to_->getSubprogram() == nullptr) return;
  for (AllocaInst* v : own_)
    if (none_of(findDVRDeclares(v),
                [this](DbgVariableRecord* r) { return blocks_.contains(r->getParent()); }))
      show(v, map_[v], false, place);
  for (const input& i : inputs_)
    if (i.copied || i.outer->getType()->isPointerTy())
      show(i.outer, map_[i.outer], !i.copied, place);
}

/// An address is kept in memory, where a debugger finds it as long as the function runs.
void outline::show(Value* outer, Value* there, bool is_address, Instruction* place) {
  const auto all = findDVRDeclares(outer);
  if (all.empty()) return;
  for (DbgVariableRecord* r : findDVRDeclares(there)) r->eraseFromParent();
  if (is_address) {
    auto* kept = new AllocaInst(there->getType(), 0, "shown", to_->getEntryBlock().begin());
    new StoreInst(there, kept, place->getIterator());
    there = kept;
  }
  for (DbgVariableRecord* r : all) {
    DbgVariableRecord* shown = r->clone();
    shown->replaceVariableLocationOp(outer, there);
    if (is_address)
      shown->setExpression(DIExpression::prepend(r->getExpression(), DIExpression::DerefBefore));
    place->getParent()->insertDbgRecordBefore(shown, place->getIterator());
  }
}

/// What was copied looks to a debugger as if it had been inlined: its variables and lines are those
/// of the function that it comes from.
void outline::adapt_debug_locations() {
  DenseMap<DIAssignID*, DIAssignID*> assignments;  // The old function keeps its own.
  for (Instruction& i : instructions(*to_)) at::remapAssignID(assignments, i);
  DISubprogram* own = to_->getSubprogram();
  if (own == nullptr) return;
  LLVMContext& context = from_.getContext();
  DILocation* in = DILocation::get(context, own->getLine(), 0, own);
  DenseMap<const MDNode*, MDNode*> cache;
  auto inlined = [&](const DebugLoc& l) -> DILocation* {
    return l ? DILocation::get(context, l.getLine(), l.getCol(), l.getScope(),
                               DebugLoc::appendInlinedAt(l, in, context, cache))
             : nullptr;
  };
  auto first_of = [](const BasicBlock& b) {
    for (const Instruction& i : b)
      if (i.getDebugLoc()) return i.getDebugLoc();
    return DebugLoc();
  };
  // An instruction that is nowhere in the source gets the place of the one before it. Otherwise a
  // debugger would step to another place.
  DILocation* last = in;
  for (BasicBlock& b : *to_) {
    if (&b != &to_->getEntryBlock())
      if (DILocation* first = inlined(first_of(b))) last = first;
    for (Instruction& i : b) {
      updateLoopMetadataDebugLocations(i, [&inlined](Metadata* m) -> Metadata* {
        auto* l = dyn_cast_or_null<DILocation>(m);
        return l != nullptr ? inlined(DebugLoc(l)) : m;
      });
      if (DILocation* here = inlined(i.getDebugLoc())) last = here;
      i.setDebugLoc(last);
      for (DbgRecord& r : i.getDbgRecordRange()) {
        DILocation* here = inlined(r.getDebugLoc());
        r.setDebugLoc(here != nullptr ? here : in);
      }
    }
  }
  if (after_ != nullptr) end_ = inlined(first_of(*after_));
  if (!end_) end_ = in;
}

/// A variable that is declared among the instructions stays the old function's, if it is shared.
void outline::keep_variables_visible(Instruction* at) {
  for (AllocaInst* v : shared_)
    for (DbgVariableRecord* r : findDVRDeclares(v))
      if (blocks_.contains(r->getParent()))
        at->getParent()->insertDbgRecordBefore(r->clone(), at->getIterator());
}

}  // namespace nopal_cilk
