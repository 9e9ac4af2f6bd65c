// SPDX-License-Identifier: Apache-2.0
// clang-format off: a message stands behind the line that it is about
// The same in C.
#include <cilk/cilk.h>

int f(int);
void g(void);

int spawns(int n) {
  int x = cilk_spawn n;
//! 11: error: cilk_spawn must stand before the call of a function
  int y = cilk_spawn f(1) + 1;
//! 11: error: cilk_spawn has no place here; spawn in a statement, initialization or assignment
  if (cilk_spawn f(1)) g();
//! 7: error: cilk_spawn has no place here; spawn in a statement, initialization or assignment
  static int s = cilk_spawn f(1);
//! 29: error: initializer element is not a compile-time constant
//! 18: error: cilk_spawn cannot initialize a variable with static storage
  cilk_for (int i = 0; i < 10; ++i) return i;
//! 37: error: cilk_for cannot be left by return, break or goto
  cilk_for (double d = 0; d < 10; ++d) g();
//! 20: error: cilk_for needs an integer, a pointer or an iterator with random access
  return cilk_spawn f(x + y + s);
//! 10: error: cilk_spawn has no place here; spawn in a statement, initialization or assignment
}

void identity(void*);
void reduce(void*, void*);
int cilk_reducer(identity, reduce) total;
//! 5: error: cilk_reducer is not supported; use nopal::reducer, or in C the calls of cilk/reducer.h
