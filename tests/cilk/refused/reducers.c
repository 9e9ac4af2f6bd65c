// SPDX-License-Identifier: Apache-2.0
// clang-format off: a message stands behind the line that it is about
// Reducers that there cannot be, in C.
#include <cilk/cilk.h>

void identity(void*);
void reduce(void*, void*);
extern void (*variable)(void*);
int number;

int cilk_reducer(identity) one;
//! 5: error: cilk_reducer needs two functions, the identity and the reduction
int cilk_reducer(reduce, identity) exchanged;
//! 18: error: the identity of a reducer must be a function of type 'void (void *)'
//! 26: error: the reduction of a reducer must be a function of type 'void (void *, void *)'
int cilk_reducer(identity, 0) nothing;
//! 28: error: the reduction of a reducer must be a function of type 'void (void *, void *)'
int cilk_reducer(variable, reduce) not_constant;
//! 18: error: 'annotate_type' attribute requires parameter 1 to be a constant expression
int cilk_reducer(unknown, reduce) undeclared;
//! 18: error: use of undeclared identifier 'unknown'
void cilk_reducer(identity, reduce) incomplete;
//! 37: error: variable has incomplete type 'void [[clang::annotate_type(...)]]'
const int cilk_reducer(identity, reduce) constant = 1;
//! 11: error: a reducer cannot be const, volatile or restrict
_Thread_local int cilk_reducer(identity, reduce) of_thread;
//! 19: error: a reducer cannot be thread-local
_Alignas(128) int cilk_reducer(identity, reduce) aligned;
//! 19: error: a reducer can be aligned to 64 bytes at most
int cilk_reducer(identity, reduce) * pointer;
//! 5: error: only a variable can be a reducer; no pointer, array, member or parameter
int cilk_reducer(identity, reduce) array[10];
//! 5: error: only a variable can be a reducer; no pointer, array, member or parameter
int cilk_reducer(identity, reduce) result(void);
//! 5: error: only a variable can be a reducer; no pointer, array, member or parameter
int parameter(int cilk_reducer(identity, reduce) x);
//! 19: error: only a variable can be a reducer; no pointer, array, member or parameter
struct with_member { int cilk_reducer(identity, reduce) member; };
//! 26: error: only a variable can be a reducer; no pointer, array, member or parameter
typedef int cilk_reducer(identity, reduce) sum;
sum* pointer_by_name;
//! 1: error: only a variable can be a reducer; no pointer, array, member or parameter
struct with_name { sum member; };
//! 20: error: only a variable can be a reducer; no pointer, array, member or parameter
sum global;
int* constant_address = &global;
//! 25: error: the view of a reducer is not a constant
extern int otherwise;
sum otherwise;
//! 5: error: another declaration of this variable is of another reducer, or of none
typedef sum cilk_reducer(identity, reduce) twice;
//! 9: error: only a variable can be a reducer; no pointer, array, member or parameter
S cilk_reducer bare;
//! 1: error: unknown type name 'S'
//! 15: error: expected ';' after top level declarator

int functions(int n) {
  sum x = 0;
  __typeof__(x) y = 0;
//! 3: error: only a variable can be a reducer; no pointer, array, member or parameter
  int cast = (sum)n;
//! 15: error: only a variable can be a reducer; no pointer, array, member or parameter
  for (sum i = 0; i < n; ++i) x += i;
//! 8: error: a reducer must be declared in a block
  sum vla[n];
//! 3: error: only a variable can be a reducer; no pointer, array, member or parameter
  typedef int numbers[n];
  numbers cilk_reducer(identity, reduce) variable_size;
//! 11: error: a reducer cannot be of variable size
  static int* kept = &x;
//! 22: error: initializer element is not a compile-time constant
//! 22: error: the view of a reducer is not a constant
//! 15: error: this refers to one strand's view, but is used in others; name the reducer there
  goto over;
//! 3: error: this goto jumps past the declaration of a reducer
  {
    sum z = 1;
over:
    x += z;
  }
  switch (n) {
    sum w;
    case 1: w = 1;
//! 5: error: this case is behind the declaration of a reducer
  }
  sum spawned = cilk_spawn functions(1);
//! 17: error: cilk_spawn cannot initialize a reducer; assign to it
  return sizeof(sum) + y + cast + *kept + spawned;
}
