// SPDX-License-Identifier: Apache-2.0
// Takes the instructions between two marks out of a function, into one of their own.
#pragma once

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

namespace nopal_cilk {

/// A value or variable from the code around that the instructions use.
struct input {
  llvm::Value* outer;  ///< A value, or a variable.
  bool copied;         ///< The variable's value is handed over, and not its address.
  /// The type of what is handed over.
  [[nodiscard]] llvm::Type* type() const {
    return copied ? llvm::cast<llvm::AllocaInst>(outer)->getAllocatedType() : outer->getType();
  }
  /// What is handed over. A variable may be less aligned than its type asks for.
  llvm::Value* value(llvm::IRBuilderBase& at) const {
    if (!copied) return outer;
    return at.CreateAlignedLoad(type(), outer, llvm::cast<llvm::AllocaInst>(outer)->getAlign());
  }
};

/// Copies the instructions that are reached from `begin` until the mark's end is met. Other code
/// may share some of them, cleanups for example, because they are copied and not moved. Variables
/// that nothing else uses become the new function's own.
class outline {
 public:
  /// \param end   the marker on the ordinary way out of the instructions
  /// \param exit  the marker on the way of an exception
  outline(llvm::CallBase* begin, llvm::StringRef end, llvm::StringRef exit);
  /// Copies the blocks that are reached from `first` until `after` is met or, on the way of an
  /// exception, one of `exits`. An exception that would arrive at one of `pads` leaves the new
  /// function without meeting a landing pad.
  outline(llvm::BasicBlock* first, llvm::BasicBlock* after, llvm::ArrayRef<llvm::BasicBlock*> exits,
          llvm::ArrayRef<llvm::BasicBlock*> pads);
  /// Does what the constructor above does, with a second way in: `second` is one of the blocks, and
  /// a way leads from it back to `first`.
  /// \param alone  the blocks that use their variables afresh whenever they are reached.
  outline(llvm::BasicBlock* first, llvm::BasicBlock* second, llvm::BasicBlock* after,
          llvm::ArrayRef<llvm::BasicBlock*> exits, llvm::ArrayRef<llvm::BasicBlock*> pads,
          const llvm::SetVector<llvm::BasicBlock*>& alone);

  [[nodiscard]] llvm::ArrayRef<input> inputs() const { return inputs_; }
  /// The function around.
  [[nodiscard]] llvm::Function& from() const { return from_; }
  /// Variables of which the new function has the address.
  [[nodiscard]] llvm::ArrayRef<llvm::AllocaInst*> shared() const { return shared_; }

  /// Begins the new function. The caller then gives it each input by bind().
  llvm::Function* create(llvm::FunctionType* type, const llvm::Twine& name);
  /// Says that `inner`, a value of the new function, stands for the input.
  void bind(unsigned index, llvm::Value* inner, llvm::IRBuilderBase& at);
  /// Completes the new function. `entry` gets a branch to the first of the copied blocks.
  void copy(llvm::BasicBlock* entry);

  /// Makes `begin`'s block go on behind the instructions. The caller must remove what is then not
  /// reached. Returns the place for the code that replaces the instructions.
  llvm::Instruction* cut();

  /// The block of the new function that the ordinary way out of the instructions leads to.
  [[nodiscard]] llvm::BasicBlock* done() const { return done_; }
  /// The block of the new function that exceptions lead to; nullptr if none can.
  [[nodiscard]] llvm::BasicBlock* threw() const { return threw_; }
  /// Tells debuggers where the instructions end in the source.
  [[nodiscard]] llvm::DebugLoc end() const { return end_; }
  /// The variable that holds the exception and its selector where `threw` begins.
  [[nodiscard]] llvm::AllocaInst* exception() const { return exception_; }
  /// What stands for a variable or a block in the new function.
  template <class T>
  [[nodiscard]] T* inner(const T* outer) const {
    return llvm::cast<T>(map_.lookup(outer));
  }
  /// What inner() returns, or nullptr if nothing stands for `outer`.
  template <class T>
  [[nodiscard]] T* inner_or_null(const T* outer) const {
    return llvm::cast_or_null<T>(map_.lookup(outer));
  }
  /// Whether `v` is what stands for the mark in the new function.
  [[nodiscard]] bool is_mark(const llvm::Value* v) const { return map_.lookup(mark_) == v; }
  [[nodiscard]] llvm::ArrayRef<llvm::LandingPadInst*> pads() const { return pads_; }

  [[nodiscard]] static bool used_outside(const llvm::SetVector<llvm::BasicBlock*>& blocks,
                                         const llvm::AllocaInst* v);

 private:
  void find_ends(llvm::StringRef end, llvm::StringRef exit);
  void find_blocks();
  void find_inputs();
  void add_variable(llvm::AllocaInst* v);
  [[nodiscard]] bool is_marker(const llvm::User* u) const;
  [[nodiscard]] bool hands_over_values() const;
  [[nodiscard]] bool stored(const llvm::AllocaInst* v) const;
  [[nodiscard]] bool read_before_written(const llvm::AllocaInst* v, llvm::BasicBlock* from,
                                         bool inside) const;

  // shown.cpp: for debuggers
  void add_shown(const llvm::SetVector<llvm::Value*>& used);
  void show_variables(llvm::Instruction* place);
  void show(llvm::Value* outer, llvm::Value* there, bool is_address, llvm::Instruction* place);
  void keep_variables_visible(llvm::Instruction* at);
  void adapt_debug_locations();

  llvm::CallBase* begin_ = nullptr;
  llvm::AllocaInst* mark_ = nullptr;
  llvm::Function& from_;
  llvm::BasicBlock* first_ = nullptr;
  llvm::BasicBlock* second_ = nullptr;
  llvm::SetVector<llvm::BasicBlock*> alone_;
  /// The block behind the instructions; nullptr if they never end.
  llvm::BasicBlock* after_ = nullptr;
  llvm::SetVector<llvm::BasicBlock*> blocks_;
  llvm::SmallVector<llvm::BasicBlock*, 4> exits_;
  llvm::SmallVector<llvm::BasicBlock*, 4> unmet_;
  llvm::SmallVector<input, 8> inputs_;
  llvm::SmallVector<llvm::AllocaInst*, 8> own_, shared_;

  llvm::Function* to_ = nullptr;
  llvm::ValueToValueMapTy map_;
  llvm::BasicBlock* done_ = nullptr;
  llvm::BasicBlock* threw_ = nullptr;
  llvm::DebugLoc end_;
  llvm::AllocaInst* exception_ = nullptr;
  llvm::SmallVector<llvm::LandingPadInst*, 4> pads_;
};

}  // namespace nopal_cilk
