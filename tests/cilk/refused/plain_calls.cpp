// SPDX-License-Identifier: Apache-2.0
// clang-format off: a message stands behind the line that it is about
// Spawns in the middle of an expression, which are plain calls.
#include <cilk/cilk.h>

#include <initializer_list>

int f(int);
void g();
struct point {
  int x, y;
};
int n;

void part_of_an_expression(bool b) {
  int x = cilk_spawn f(1) + f(2);
//! 11: warning: this cilk_spawn is a plain call: its value is used at once
  int y = 1 + cilk_spawn f(1);
//! 15: warning: this cilk_spawn is a plain call: its value is used at once
  f(cilk_spawn f(1));
//! 5: warning: this cilk_spawn is a plain call: its value is used at once
  b ? cilk_spawn g() : g();
//! 7: warning: this cilk_spawn is a plain call: its value is used at once
  b && cilk_spawn f(1);
//! 8: warning: this cilk_spawn is a plain call: its value is used at once
  g(), cilk_spawn g();
//! 8: warning: this cilk_spawn is a plain call: its value is used at once
  int z = cilk_spawn f(cilk_spawn f(1));
//! 24: warning: this cilk_spawn is a plain call: its value is used at once
  int a[] = {cilk_spawn f(1), 2};
//! 14: warning: this cilk_spawn is a plain call: its value is used at once
  point both = {cilk_spawn f(1), 2};
//! 17: warning: this cilk_spawn is a plain call: its value is used at once
}

int control_of_a_statement() {
  if (cilk_spawn f(1)) g();
//! 7: warning: this cilk_spawn is a plain call: its value is used at once
  while (int i = cilk_spawn f(1)) f(i);
//! 18: warning: this cilk_spawn is a plain call: its value is used at once
  do {
  } while (cilk_spawn f(1));
//! 12: warning: this cilk_spawn is a plain call: its value is used at once
  for (int i = 0; i < 3; cilk_spawn f(1)) g();
//! 26: warning: this cilk_spawn is a plain call: its value is used at once
  for (int x : {cilk_spawn f(1)}) f(x);
//! 17: warning: this cilk_spawn is a plain call: its value is used at once
  switch (cilk_spawn f(1)) {
//! 11: warning: this cilk_spawn is a plain call: its value is used at once
    default:
      g();
  }
  if (n == 1) throw cilk_spawn f(1);
//! 21: warning: this cilk_spawn is a plain call: its value is used at once
  return cilk_spawn f(1);  // Nothing is said: it is waited for in any case.
}

struct member {
  int y;
  member() : y(cilk_spawn f(2)) {}
//! 16: warning: this cilk_spawn is a plain call: its value is used at once
};

template <class T>
void instantiated(T t) {
  T x = 1 + cilk_spawn f(t);
//! 13: warning: this cilk_spawn is a plain call: its value is used at once
}
template void instantiated<int>(int);

// The check wants an error, besides all these warnings.
int global = cilk_spawn f(1);
//! 14: error: cilk_spawn has no place here; spawn in the body of a function
