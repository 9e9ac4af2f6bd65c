// SPDX-License-Identifier: Apache-2.0
// clang-format off: a message stands behind the line that it is about
// Where code is generated in a way of its own: blocks and OpenMP.
#include <cilk/cilk.h>

int f(int);
void g(void);

void block(void) {
  void (^b)(void) = ^{
    cilk_spawn g();
//! 5: error: a block cannot spawn; spawn in a function that it calls
    cilk_sync;
//! 5: error: a block cannot spawn; spawn in a function that it calls
    cilk_for (int i = 0; i < 3; ++i) f(i);
//! 5: error: a block cannot spawn; spawn in a function that it calls
  };
  b();
}

void openmp(void) {
#pragma omp parallel
  {
    int x = cilk_spawn f(1);
//! 13: error: an OpenMP region cannot spawn; spawn in a function that it calls
    cilk_scope { f(x); }
//! 5: error: an OpenMP region cannot spawn; spawn in a function that it calls
  }
}
