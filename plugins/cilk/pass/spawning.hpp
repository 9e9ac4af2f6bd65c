// SPDX-License-Identifier: Apache-2.0
// Lowers a function that spawns.
#pragma once

#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/CycleAnalysis.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "outline.hpp"
#include "runtime/runtime.hpp"

namespace nopal_cilk {

class spawning {
 public:
  spawning(llvm::Function& f, runtime& r);

  /// Does nothing if the function does not spawn.
  void lower();

 private:
  void lower_by_frames(llvm::SmallVector<llvm::CallBase*, 8> begins);

  /// A body, a scope or a block of try: it has one frame_join.
  struct region {
    llvm::AllocaInst* frame = nullptr;
    llvm::SmallVector<llvm::CallBase*, 8> forks, joins;  ///< `joins` includes ends.
  };

  // helper.cpp
  void outline_spawn(llvm::CallBase* begin);
  llvm::Function* make_helper(outline& o, bool in_registers);
  void detach(llvm::Function& helper, llvm::Value* kept, llvm::Value* frame);
  void catch_all(outline& o, llvm::Value* kept, llvm::Value* frame);
  llvm::StructType* packed(const outline& o) const;
  llvm::SmallVector<llvm::Value*, 5> hand_over(outline& o, bool in_registers,
                                               llvm::Instruction* at);

  // spawning.cpp
  region& region_of(llvm::AllocaInst* mark);
  void add_regions(llvm::ArrayRef<llvm::CallBase*> begins);
  void lower_joins();
  void join_at_landing_pads(region& r);
  void join_at_landing_pad(region& r, llvm::LandingPadInst* pad);
  void leave_when_resuming(region& r);
  void enter_regions();
  void enter(region& r, llvm::DominatorTree& dominators, llvm::CycleInfo& cycles);
  void forget_lifetimes();
  [[nodiscard]] bool reached_from_fork(const region& r, const llvm::BasicBlock* b) const;
  llvm::SmallPtrSet<llvm::BasicBlock*, 16> reached(const region& r) const;
  llvm::DenseSet<llvm::BasicBlock*> outstanding_at_end(const region& r) const;

  llvm::Function& function_;
  runtime& runtime_;
  llvm::LLVMContext& context_;
  llvm::Type *void_, *word_;
  llvm::PointerType* pointer_;
  llvm::MapVector<llvm::AllocaInst*, region> regions_;
  llvm::SmallSetVector<llvm::AllocaInst*, 8> shared_;
};

}  // namespace nopal_cilk
