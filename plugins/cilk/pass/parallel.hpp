// SPDX-License-Identifier: Apache-2.0
// Lowers parallel loops and spawned blocks.
#pragma once

#include "runtime/runtime.hpp"

namespace nopal_cilk {

/// Functions that were a part of another one.
struct bodies {
  llvm::SmallVector<llvm::Function*, 4> turns, blocks;
};

/// Turns the bodies of parallel loops and the spawned blocks in `f` into functions, and returns
/// these. If they are nested, only the outermost is among them.
bodies take_out_bodies(llvm::Function& f, runtime& r);

}  // namespace nopal_cilk
