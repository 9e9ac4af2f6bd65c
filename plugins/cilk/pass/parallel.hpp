// SPDX-License-Identifier: Apache-2.0
// Lowers parallel loops.
#pragma once

#include "runtime/runtime.hpp"

namespace nopal_cilk {

/// Makes functions of their own of the bodies of parallel loops in `f`, and returns them: of loops
/// one within the other, only the outermost's.
llvm::SmallVector<llvm::Function*, 4> lower_loops(llvm::Function& f, runtime& r);

}  // namespace nopal_cilk
