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
//! 11: warning: this cilk_spawn is a plain call, because its value is used at once; spawn in a statement, initialization or assignment
  int y = 1 + cilk_spawn f(1);
//! 15: warning: this cilk_spawn is a plain call, because its value is used at once; spawn in a statement, initialization or assignment
  f(cilk_spawn f(1));
//! 5: warning: this cilk_spawn is a plain call, because its value is used at once; spawn in a statement, initialization or assignment
  b ? cilk_spawn g() : g();
//! 7: warning: this cilk_spawn is a plain call, because its value is used at once; spawn in a statement, initialization or assignment
  b && cilk_spawn f(1);
//! 8: warning: this cilk_spawn is a plain call, because its value is used at once; spawn in a statement, initialization or assignment
  g(), cilk_spawn g();
//! 8: warning: this cilk_spawn is a plain call, because its value is used at once; spawn in a statement, initialization or assignment
  int z = cilk_spawn f(cilk_spawn f(1));
//! 24: warning: this cilk_spawn is a plain call, because its value is used at once; spawn in a statement, initialization or assignment
  int a[] = {cilk_spawn f(1), 2};
//! 14: warning: this cilk_spawn is a plain call, because its value is used at once; spawn in a statement, initialization or assignment
  point both = {cilk_spawn f(1), 2};
//! 17: warning: this cilk_spawn is a plain call, because its value is used at once; spawn in a statement, initialization or assignment
}

int control_of_a_statement() {
  if (cilk_spawn f(1)) g();
//! 7: warning: this cilk_spawn is a plain call, because its value is used at once; spawn in a statement, initialization or assignment
  while (int i = cilk_spawn f(1)) f(i);
//! 18: warning: this cilk_spawn is a plain call, because its value is used at once; spawn in a statement, initialization or assignment
  do {
  } while (cilk_spawn f(1));
//! 12: warning: this cilk_spawn is a plain call, because its value is used at once; spawn in a statement, initialization or assignment
  for (int i = 0; i < 3; cilk_spawn f(1)) g();
//! 26: warning: this cilk_spawn is a plain call, because its value is used at once; spawn in a statement, initialization or assignment
  for (int x : {cilk_spawn f(1)}) f(x);
//! 17: warning: this cilk_spawn is a plain call, because its value is used at once; spawn in a statement, initialization or assignment
  switch (cilk_spawn f(1)) {
//! 11: warning: this cilk_spawn is a plain call, because its value is used at once; spawn in a statement, initialization or assignment
    default:
      g();
  }
  if (n == 1) throw cilk_spawn f(1);
//! 21: warning: this cilk_spawn is a plain call, because its value is used at once; spawn in a statement, initialization or assignment
  return cilk_spawn f(1);  // Nothing is said: it is waited for in any case.
}

struct member {
  int y;
  member() : y(cilk_spawn f(2)) {}
//! 16: warning: this cilk_spawn is a plain call, because its value is used at once; spawn in a statement, initialization or assignment
};

template <class T>
void instantiated(T t) {
  T x = 1 + cilk_spawn f(t);
//! 13: warning: this cilk_spawn is a plain call, because its value is used at once; spawn in a statement, initialization or assignment
}
template void instantiated<int>(int);

// The check wants an error, besides all these warnings.
int global = cilk_spawn f(1);
//! 14: error: cilk_spawn has no place here; spawn in the body of a function
