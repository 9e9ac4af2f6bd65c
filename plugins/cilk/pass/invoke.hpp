// SPDX-License-Identifier: Apache-2.0
// Lowers spawns to what parallel_invoke does, if the rest of the region can be a closure.
#pragma once

#include <deque>
#include <memory>

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Instructions.h"
#include "outline.hpp"
#include "runtime/runtime.hpp"

namespace nopal_cilk {

/// A spawn, and what follows it until its region joins: the *rest*.
struct spawn_and_rest {
  explicit spawn_and_rest(llvm::CallBase* spawn_begin) : begin(spawn_begin) {}

  llvm::CallBase* begin;
  llvm::AllocaInst* mark = nullptr;
  llvm::AllocaInst* region = nullptr;
  llvm::CallBase* call = nullptr;     ///< The call of what is spawned.
  llvm::BasicBlock* rest = nullptr;   ///< The first block of the rest.
  llvm::BasicBlock* after = nullptr;  ///< The block that begins with the region's join.
  // The blocks to which exceptions go; nullptr if they leave the function without a landing pad.
  llvm::BasicBlock* unwound = nullptr;            ///< Exceptions of the join.
  llvm::BasicBlock* threw = nullptr;              ///< Exceptions of the statement.
  llvm::SmallVector<llvm::BasicBlock*, 4> exits;  ///< Exceptions of spawned statements in the rest.
  llvm::SmallVector<llvm::BasicBlock*, 4> pads;   ///< All other exceptions of the rest.
  llvm::SetVector<llvm::BasicBlock*> statement, blocks;
  /// The blocks of the statement that have the call or are executed after it without an exception.
  llvm::SetVector<llvm::BasicBlock*> late;
  /// The blocks of the rest that clean up after spawned statements in it. Other code may come there
  /// as well.
  llvm::SmallPtrSet<const llvm::BasicBlock*, 8> cleanups;
  bool is_empty = false;  ///< The region joins at once.
  bool repeats = false;   ///< The rest comes back to the spawn.
};

/// Lowers the spawns of one function.
class invoking {
 public:
  invoking(llvm::Function& f, runtime& r) : function_(f), runtime_(r) {}

  /// Lowers as many as it can of the spawns that begin at `begins`, and returns the others.
  llvm::SmallVector<llvm::CallBase*, 8> lower(llvm::SmallVector<llvm::CallBase*, 8> begins);

  /// The functions that lower() has made and whose spawns are still to be lowered, by frames.
  [[nodiscard]] llvm::ArrayRef<llvm::Function*> by_frames() const { return by_frames_; }

 private:
  /// A spawn that is to be lowered, and the function for a thief, which is made before the function
  /// itself changes.
  struct chosen {
    llvm::CallBase* begin;
    llvm::AllocaInst* mark;
    llvm::SmallVector<const llvm::BasicBlock*, 4> pads;  ///< The statement's landing pads.
    std::unique_ptr<outline> rest;
    llvm::StructType* captured;
    llvm::Function* made;
  };
  /// A spawn that has been lowered.
  struct lowered {
    llvm::AllocaInst* mark;
    /// The branch on whether the thread is no worker; nullptr if it is known to be one.
    llvm::BranchInst* outside;
    llvm::Function* both;  ///< What a thread runs that is no worker.
  };

  // rest.cpp
  bool find(spawn_and_rest& s);
  bool find_statement(spawn_and_rest& s);
  bool find_rest(spawn_and_rest& s);
  bool find_unwinding(spawn_and_rest& s);
  bool is_closed(const spawn_and_rest& s) const;
  bool can_be_copied(const spawn_and_rest& s, const llvm::Instruction& i) const;
  static bool is_of_region_around(const spawn_and_rest& s, const llvm::Instruction& i);
  bool may_throw_unseen(const spawn_and_rest& s) const;
  bool add_statement_of_rest(spawn_and_rest& s, llvm::BasicBlock* pad);
  llvm::CallBase* join_in(llvm::BasicBlock* b, const llvm::AllocaInst* region) const;
  [[nodiscard]] bool is_lowered(const llvm::AllocaInst* mark) const;
  [[nodiscard]] bool is_chosen(const llvm::AllocaInst* mark) const;
  [[nodiscard]] bool is_pad_of_chosen(const llvm::BasicBlock* b) const;

  // repeated.cpp
  static void begin_turn(spawn_and_rest& s);
  static bool has_two_ways_in(const spawn_and_rest& s);
  void choose_repeated(const spawn_and_rest& s, chosen& c);
  void lower_repeated(spawn_and_rest& s, const chosen& c);
  llvm::Function* make_turns(outline& o, const spawn_and_rest& s, llvm::StructType* captured);

  // invoke.cpp
  void choose(llvm::SmallVector<llvm::CallBase*, 8>& begins);
  void choose(const spawn_and_rest& s);
  void lower(spawn_and_rest& s, const chosen& c);
  void spawn_by_frames(llvm::Function* made, const outline& o, const llvm::AllocaInst* region);
  static llvm::BasicBlock* begin_call(spawn_and_rest& s);
  llvm::CallInst* ask_for_worker(const spawn_and_rest& s, llvm::Instruction* place);
  llvm::AllocaInst* fork(spawn_and_rest& s, const outline& rest, llvm::StructType* captured,
                         llvm::Function* made, llvm::Value* worker);
  llvm::Instruction* go_outside(spawn_and_rest& s, llvm::CallInst* worker, llvm::Function* made,
                                llvm::AllocaInst* there);
  void erase_marks(spawn_and_rest& s);
  static void forget(llvm::Value* v);
  static void forget_lifetimes(const spawn_and_rest& s);
  llvm::Function* make(outline& o, const llvm::Twine& name, llvm::StructType* captured,
                       llvm::Value* worker);
  llvm::Function* make_continuation(llvm::Function* rest);
  llvm::StructType* captured_by(const outline& o, const llvm::Value* worker, bool of_join) const;
  void capture(const outline& o, llvm::StructType* captured, llvm::Value* there,
               const llvm::Value* worker, llvm::Instruction* at);
  static void read_again(const spawn_and_rest& s, const outline& rest, llvm::StructType* captured,
                         llvm::Value* join, llvm::BasicBlock* b);
  llvm::BasicBlock* take_back(spawn_and_rest& s, llvm::Value* join, llvm::Value* position);
  llvm::AllocaInst* common_place(llvm::AllocaInst* join, llvm::StructType* other);
  void abandon(spawn_and_rest& s, llvm::Value* join);
  void stay_inside(const spawn_and_rest& s);
  llvm::CallBase* call_or_invoke(llvm::FunctionCallee callee,
                                 llvm::ArrayRef<llvm::Value*> arguments, llvm::BasicBlock* b,
                                 llvm::BasicBlock* next, llvm::BasicBlock* unwound);

  llvm::Function& function_;
  runtime& runtime_;
  std::deque<chosen> chosen_;
  llvm::SmallVector<lowered, 8> lowered_;
  llvm::SmallVector<llvm::Function*, 4> by_frames_;
};

}  // namespace nopal_cilk
