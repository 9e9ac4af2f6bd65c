// SPDX-License-Identifier: Apache-2.0
// Lowers parallel loops.
#pragma once

#include "runtime/runtime.hpp"

namespace nopal_cilk {

/// Turns the bodies of parallel loops in `f` into functions, and returns these. If loops are
/// nested, only the body of the outermost is among them.
llvm::SmallVector<llvm::Function*, 4> lower_loops(llvm::Function& f, runtime& r);

}  // namespace nopal_cilk
