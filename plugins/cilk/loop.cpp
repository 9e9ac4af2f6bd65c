// SPDX-License-Identifier: Apache-2.0
// The parallel loop.
#include "keywords.hpp"
#include "rewriter.hpp"

using namespace clang;

namespace nopal_cilk {

Stmt* rewriter::parallel_loop(Stmt* s, Expr*) {
  make_.error(s->getBeginLoc(), "cilk_for is not supported");
  return s;
}

}  // namespace nopal_cilk
