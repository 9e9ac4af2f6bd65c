// SPDX-License-Identifier: Apache-2.0
// The helper of a spawned statement: a function that runs it as the child of a fork.
#include "markers.hpp"
#include "spawned.hpp"
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

/// Packs a value into a word, to hand it to the spawn helper in a register.
Value* to_word(IRBuilderBase& at, Value* v, Type* word) {
  Type* t = v->getType();
  if (t->isPointerTy()) return at.CreatePtrToInt(v, word);
  if (t->isFloatingPointTy()) v = at.CreateBitCast(v, at.getIntNTy(t->getPrimitiveSizeInBits()));
  return at.CreateZExt(v, word);
}

/// Unpacks in the helper what to_word() has packed.
Value* from_word(IRBuilderBase& at, Value* w, Type* t) {
  if (t->isPointerTy()) return at.CreateIntToPtr(w, t);
  if (t->isIntegerTy()) return at.CreateTrunc(w, t);
  return at.CreateBitCast(at.CreateTrunc(w, at.getIntNTy(t->getPrimitiveSizeInBits())), t);
}

/// The number of the parameter that holds a word. A helper has the parameters of a
/// nopal::detail::child_function: (w0, w1, frame, w2, w3, w4).
unsigned parameter_of(unsigned word) { return word < 2 ? word : word + 1; }

}  // namespace

/// Returns the type of the memory for what the helper uses, if that does not fit the registers.
StructType* spawning::packed(const outline& o) const {
  SmallVector<Type*, 8> types;
  for (const input& i : o.inputs()) types.push_back(i.type());
  return StructType::get(context_, types);
}

/// Computes the words for the helper, before the fork.
SmallVector<Value*, 5> spawning::hand_over(outline& o, bool in_registers, Instruction* place) {
  IRBuilder<> at(place);
  SmallVector<Value*, 5> words(words_in_registers, PoisonValue::get(word_));
  if (in_registers) {
    for (auto [index, i] : enumerate(o.inputs())) words[index] = to_word(at, i.value(at), word_);
    return words;
  }
  StructType* all = packed(o);
  IRBuilder<> first(&*function_.getEntryBlock().getFirstInsertionPt());
  Value* there = first.CreateAlloca(all);
  for (auto [index, i] : enumerate(o.inputs()))
    at.CreateStore(i.value(at), at.CreateStructGEP(all, there, index));
  words[0] = at.CreatePtrToInt(there, word_);
  return words;
}

/// Makes the helper: the function that runs a spawned statement, and that the fork calls.
/// \param in_registers  whether all that it uses is in its parameters.
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
  at.SetCurrentDebugLocation(o.end());
  at.CreateCall(runtime_.function("leave", void_, {pointer_}), {kept});
  at.CreateRet(ConstantInt::get(word_, 0));
  detach(*helper, kept, frame);
  catch_all(o, kept, frame);
  return helper;
}

/// Makes the forking function stealable just before the call of what is spawned.
void spawning::detach(Function& helper, Value* kept, Value* frame) {
  CallBase* call = spawned_call(helper, [](const BasicBlock*) { return true; });
  if (call == nullptr) {
    // Nothing is called if the compiler has computed the result.
    if (!calls_of(helper, "callee").empty() || !calls_of(helper, "constructor").empty())
      runtime_.report("what '" + function_.getName() +
                      "' spawns is not a plain call; spawn a function that makes it");
    return;
  }
  copy_arguments_in_memory(call);
  IRBuilder<> at(call);
  at.CreateCall(runtime_.function("detach", void_, {pointer_, pointer_}), {kept, frame});
}

/// What the statement throws is thrown again by the join, or by the fork if nobody stole.
void spawning::catch_all(outline& o, Value* kept, Value* frame) {
  if (o.threw() == nullptr) return;
  IRBuilder<> at(o.threw());
  Value* exception = at.CreateLoad(pointer_, o.exception());
  at.CreateRet(at.CreateCall(runtime_.function("threw", word_, {pointer_, pointer_, pointer_}),
                             {kept, frame, exception}));
  for (LandingPadInst* pad : o.pads())
    pad->addClause(ConstantPointerNull::get(PointerType::getUnqual(context_)));
}

/// Lowers one spawn to a fork, which calls a helper made of the statement.
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
