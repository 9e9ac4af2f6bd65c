// SPDX-License-Identifier: Apache-2.0
// clang-format off: a message stands behind the line that it is about
// Jumps and scopes.
#include <cilk/cilk.h>

int f(int);
void g();

void into_a_scope() {
  goto in;
//! 3: error: this goto jumps into a scope of spawned calls or a parallel loop
  cilk_scope {
  in:
    cilk_spawn g();
  }
}

void into_a_loop() {
  goto in;
//! 3: error: cannot jump from this goto statement to its label
//! 3: error: this goto jumps into a scope of spawned calls or a parallel loop
  cilk_for (int i = 0; i < 10; ++i) {
  in:
    g();
  }
}

void computed(void* to) {
  void* all[] = {&&here, to};
  cilk_spawn g();
  goto* all[0];
//! 3: error: a computed goto has no place in a function that spawns
here:
  cilk_sync;
}

void into_a_block() {
  goto in;
//! 3: error: this goto jumps into a scope of spawned calls or a parallel loop
  cilk_spawn {
  in:
    g();
  }
}

int out_of_a_block(int n) {
  for (int i = 0; i < n; ++i) {
    cilk_spawn {
      if (i == 3) continue;
//! 19: error: a spawned statement cannot be left by a jump
      if (i == 4) break;
//! 19: error: a spawned statement cannot be left by a jump
      if (i == 5) goto out;
//! 19: error: a spawned statement cannot be left by a jump
      for (;;) break;
      if (i == 6) return i;
//! 19: error: a spawned statement cannot be left by a jump
    }
    cilk_spawn return 1;
//! 16: error: a spawned statement cannot be left by a jump
  }
out:
  return 0;
}

void out_of_a_loop() {
  cilk_for (int i = 0; i < 10; ++i) {
    if (i == 3) return;
//! 17: error: cilk_for cannot be left by return, break or goto
    if (i == 4) break;
//! 17: error: cilk_for cannot be left by return, break or goto
    if (i == 5) goto out;
//! 17: error: cilk_for cannot be left by return, break or goto
    for (;;) break;
    switch (i) {
      case 6:
        break;
      default:
        continue;
    }
  }
out:
  g();
}
