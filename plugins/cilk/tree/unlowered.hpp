// SPDX-License-Identifier: Apache-2.0
// The guard behind the rewriters: no cilk_spawn is silently a plain call.
#pragma once

#include "clang/Sema/Sema.h"
#include "rewriter.hpp"

namespace nopal_cilk {

/// Reports each cilk_spawn that the preprocessor has met and that is nowhere in `seen`, and each in
/// `seen` that `keywords`, which may be nullptr, has not lowered. Those in a template itself may
/// remain.
void report_unlowered(clang::Sema& s, llvm::ArrayRef<clang::Decl*> seen, const rewriter* keywords);

}  // namespace nopal_cilk
