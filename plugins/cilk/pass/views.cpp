// SPDX-License-Identifier: Apache-2.0
#include "views.hpp"

#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
#include "markers.hpp"

using namespace llvm;

namespace nopal_cilk {
namespace {

constexpr int first_of_all = 101;  // the first priority that is not the implementation's
constexpr unsigned bytes_of_line = 64;
constexpr StringRef turns = "nopal-turns";

/// The nopal_reducer_type of a marker's operands: size, identity, reduction.
Value* type_of(const CallBase& c) {
  Module& m = *const_cast<Module*>(c.getModule());
  SmallVector<Constant*, 3> all;
  std::string name = "nopal.reducer";
  for (unsigned i = 1; i <= 3; ++i) {
    auto* constant = dyn_cast<Constant>(c.getArgOperand(i)->stripPointerCasts());
    if (constant == nullptr) {
      m.getContext().emitError(&c, "nopal: a reducer's functions must be constants");
      return ConstantPointerNull::get(PointerType::getUnqual(m.getContext()));
    }
    all.push_back(constant);
    name += '.';
    name += constant->hasName() ? constant->getName().str()
                                : std::to_string(cast<ConstantInt>(constant)->getZExtValue());
  }
  if (GlobalVariable* known = m.getGlobalVariable(name, true)) return known;
  Constant* type = ConstantStruct::getAnon(all);
  auto* made =
      new GlobalVariable(m, type->getType(), true, GlobalValue::PrivateLinkage, type, name);
  return made;
}

bool is_view(const Instruction& i) {
  const StringRef name = marker(i);
  return name == "view" || name == "static_view" || name == "reducer_view";
}

/// Returns the look-ups of views in `f`.
SmallVector<CallBase*, 8> views_in(Function& f) {
  SmallVector<CallBase*, 8> all;
  for (Instruction& i : instructions(f))
    if (is_view(i)) all.push_back(cast<CallBase>(&i));
  return all;
}

}  // namespace

void lower_reducers(Function& f, runtime& r) {
  LLVMContext& context = f.getContext();
  Type* pointer = PointerType::getUnqual(context);
  Type* nothing = Type::getVoidTy(context);
  for (CallBase* c : calls_of(f, "reducer_begin")) {
    Value* variable = c->getArgOperand(0);
    Value* type = type_of(*c);
    c->replaceAllUsesWith(variable);
    replace_call(c, r.function("begin_reducer", nothing, {pointer, pointer}), {variable, type});
  }
  for (CallBase* c : calls_of(f, "reducer_end")) {
    IRBuilder<> at(c);
    Value* variable = at.CreateLoad(pointer, c->getArgOperand(0));
    replace_call(c, r.function("end_reducer", nothing, {pointer}), {variable});
  }
}

void lower_views(Function& f, runtime& r) {
  Type* pointer = PointerType::getUnqual(f.getContext());
  for (CallBase* c : views_in(f)) {
    const StringRef name = marker(*c);
    Value* key = c->getArgOperand(0);
    Value* type = name == "reducer_view" ? c->getArgOperand(1) : type_of(*c);
    // replace_call() erases `c`, which must have no uses then. They get the new call afterwards.
    Value* none = PoisonValue::get(pointer);
    SmallVector<Use*, 4> uses;
    for (Use& u : c->uses()) uses.push_back(&u);
    for (Use* u : uses) u->set(none);
    CallBase* made = replace_call(c, r.function(name, pointer, {pointer, pointer}), {key, type});
    for (Use* u : uses) u->set(made);
  }
}

void begin_program_early(Module& m) {
  if (none_of(m, [](Function& f) { return !calls_of(f, "static_view").empty(); })) return;
  LLVMContext& context = m.getContext();
  auto* type = FunctionType::get(Type::getVoidTy(context), false);
  auto* begin = Function::Create(type, GlobalValue::InternalLinkage, "nopal.begin_program", m);
  IRBuilder<> at(BasicBlock::Create(context, "entry", begin));
  at.CreateCall(m.getOrInsertFunction("nopal_reducer_begin_program", type));
  at.CreateRetVoid();
  appendToGlobalCtors(m, begin, first_of_all);
}

void mark_turns(Function& body) {
  if (calls_of(body, "spawn_begin").empty()) body.addFnAttr(turns);
}

namespace {

/// Returns the place before the first turn where `key` is known; nullptr if there is none, or if
/// the reducer begins in `f`.
Instruction* place_for(Value* key, Function& f) {
  if (isa<AllocaInst>(getUnderlyingObject(key, 0))) return nullptr;
  BasicBlock& entry = f.getEntryBlock();
  auto* made = dyn_cast<Instruction>(key);
  if (made == nullptr) return &*entry.getFirstInsertionPt();
  if (made->getParent() != &entry || isa<PHINode>(made) || made->isTerminator()) return nullptr;
  return made->getNextNode();
}

/// Whether one of `calls` is made in any case. A variable that is a reducer is one in all turns. An
/// object is a reducer only between its construction and its end, which must not be in the
/// function.
bool looked_up_in_any_case(Value* key, ArrayRef<CallBase*> calls, PostDominatorTree& after) {
  if (marker(*calls.front()) != "reducer_view") return true;
  if (!isa<GlobalValue>(key) &&
      !all_of(key->users(), [&](User* u) { return is_contained(calls, u); }))
    return false;
  const BasicBlock* entry = &calls.front()->getFunction()->getEntryBlock();
  return any_of(calls, [&](CallBase* c) { return after.dominates(c->getParent(), entry); });
}

/// Tells the optimizer that nothing else in these turns reaches what is reached through `view`. If
/// anything did, two strands would use the view at a time.
void say_alone(CallBase* view, Function& f) {
  if (PointerMayBeCaptured(view, true, true)) return;
  MDBuilder make(f.getContext());
  MDNode* scope = make.createAnonymousAliasScope(make.createAnonymousAliasScopeDomain(), "view");
  MDNode* list = MDNode::get(f.getContext(), scope);
  for (Instruction& i : instructions(f)) {
    const Value* at = getLoadStorePointerOperand(&i);
    if (at == nullptr) continue;
    SmallVector<const Value*, 4> objects;
    getUnderlyingObjects(at, objects, nullptr, 0);
    const bool through_views = any_of(objects, [](const Value* v) {
      const auto* c = dyn_cast<Instruction>(v);
      return c != nullptr && is_view(*c);
    });
    unsigned kind = LLVMContext::MD_noalias;
    if (through_views) {
      if (objects.size() != 1 || objects.front() != view) continue;
      kind = LLVMContext::MD_alias_scope;
    }
    i.setMetadata(kind, MDNode::concatenate(i.getMetadata(kind), list));
  }
}

/// Whether a nopal::fork_frame in the body itself forks. It is known by the assembly in
/// fork_call.hpp that names the stack pointer as changed.
bool forks(Function& f) {
  return any_of(instructions(f), [](const Instruction& i) {
    const auto* c = dyn_cast<CallBase>(&i);
    const auto* text = c != nullptr ? dyn_cast<InlineAsm>(c->getCalledOperand()) : nullptr;
    return isa<CallBrInst>(i) ||
           (text != nullptr && StringRef(text->getConstraintString()).contains("~{rsp}"));
  });
}

/// Whether an exception of the look-up may as well be thrown before the first turn. It may if it
/// leaves the body, and meets at most destructors of objects that do not exist yet.
bool can_throw_early(const CallBase& c) {
  const auto* i = dyn_cast<InvokeInst>(&c);
  return i == nullptr || i->getLandingPadInst()->getNumClauses() == 0;
}

/// Looks up at `place` the view that `like` looks up. Many look-ups of one view become this one.
CallInst* call_at(Instruction* place, CallBase& like) {
  SmallVector<Value*, 4> arguments(like.args());
  auto* made = CallInst::Create(like.getFunctionType(), like.getCalledOperand(), arguments, "",
                                place->getIterator());
  made->setAttributes(like.getAttributes());
  made->setDebugLoc(like.getDebugLoc());
  if (auto* bytes = dyn_cast<ConstantInt>(like.getArgOperand(1)))
    made->addRetAttr(
        Attribute::getWithDereferenceableBytes(like.getContext(), bytes->getZExtValue()));
  return made;
}

/// Aligns innermost loops to lines of the cache. What is left of a turn may be some ten bytes,
/// which take twice the time if they lie in two lines.
void align_loops(Function& f) {
  const DominatorTree dominators(f);
  const LoopInfo loops(dominators);
  for (Loop* l : loops.getLoopsInPreorder())
    if (l->isInnermost()) addStringMetadataToLoop(l, "llvm.loop.align", bytes_of_line);
}

}  // namespace

PreservedAnalyses hoist_views::run(Function& f, FunctionAnalysisManager& all) {
  if (!f.hasFnAttribute(turns) || forks(f)) return PreservedAnalyses::all();
  MapVector<Value*, SmallVector<CallBase*, 4>> by_key;
  for (CallBase* c : views_in(f))
    if (can_throw_early(*c)) by_key[c->getArgOperand(0)].push_back(c);
  by_key.remove_if([&](auto& entry) {
    auto& [key, calls] = entry;
    const Instruction* place = place_for(key, f);
    if (place == nullptr) return true;
    if (calls.size() == 1 && calls.front()->getParent() == place->getParent()) return true;
    return !looked_up_in_any_case(key, calls, all.getResult<PostDominatorTreeAnalysis>(f));
  });
  for (auto& [key, calls] : by_key) {
    CallInst* made = call_at(place_for(key, f), *calls.front());
    for (CallBase* c : calls) {
      c->replaceAllUsesWith(made);
      erase_call(c);
    }
    say_alone(made, f);
  }
  if (!by_key.empty() && !f.hasOptSize()) align_loops(f);
  return by_key.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

PreservedAnalyses lower_late::run(Module& m, ModuleAnalysisManager& /*all*/) {
  SmallVector<Function*, 16> marked;
  for (Function& f : m)
    if (any_of(instructions(f), is_view)) marked.push_back(&f);
  if (marked.empty()) return PreservedAnalyses::all();
  runtime r(m);
  if (!r.load()) return PreservedAnalyses::all();
  for (Function* f : marked) lower_views(*f, r);
  r.inline_calls();
  return PreservedAnalyses::none();
}

}  // namespace nopal_cilk
