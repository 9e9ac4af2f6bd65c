// SPDX-License-Identifier: Apache-2.0
// clang-format off: a message stands behind the line that it is about
// The same in C.
#include <cilk/cilk.h>

int f(int);
void g(void);

int spawns(int n) {
  int x = cilk_spawn n;
//! 11: error: cilk_spawn must stand before the call of a function
  int y = 1;
  static int s = cilk_spawn f(1);
//! 29: error: initializer element is not a compile-time constant
//! 18: error: cilk_spawn cannot initialize a variable with static storage
  cilk_for (int i = 0; i < 10; ++i) return i;
//! 37: error: cilk_for cannot be left by return, break or goto
  cilk_for (double d = 0; d < 10; ++d) g();
//! 20: error: cilk_for needs an integer, a pointer or an iterator with random access
  return x + y + s;
}

int jumps_out(int n) {
  for (int i = 0; i < n; ++i) {
    cilk_spawn f(({ if (i == 3) continue; i; }));
//! 33: error: a spawned statement cannot be left by a jump
    cilk_spawn f(({ if (i == 4) break; i; }));
//! 33: error: a spawned statement cannot be left by a jump
    cilk_spawn f(({ if (i == 5) goto out; i; }));
//! 33: error: a spawned statement cannot be left by a jump
    cilk_spawn f(({ if (i == 6) return i; i; }));
//! 33: error: a spawned statement cannot be left by a jump
  }
out:
  return 0;
}

int leaves(int n) {
  cilk_spawn g();
  __attribute__((musttail)) return spawns(n);
//! 18: error: a function that spawns cannot end with a call by musttail
}

void enters(int n) {
  switch (n) {
    case 1:
      cilk_scope {
    case 2:
//! 5: error: this case label is in a scope of spawned calls or a parallel loop, and its switch is not
        cilk_spawn g();
      }
      cilk_for (int i = 0; i < n; ++i) {
    default:
//! 5: error: this case label is in a scope of spawned calls or a parallel loop, and its switch is not
        g();
      }
  }
}

int setjmp(int*) __attribute__((returns_twice));
int returns_twice(int* buffer) {
  cilk_spawn g();
  return setjmp(buffer);
//! 10: error: a function that spawns cannot call 'setjmp'; call it in a function of its own
}

int computed(void) {
  cilk_spawn g();
  __asm__ goto("" : : : : out);
//! 3: error: asm goto has no place in a function that spawns
out:
  return 0;
}
