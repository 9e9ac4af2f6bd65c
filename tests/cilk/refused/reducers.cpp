// SPDX-License-Identifier: Apache-2.0
// clang-format off: a message stands behind the line that it is about
// The same in C++.
#include <cilk/cilk.h>
#include <cilk/reducer.h>
#include <vector>

void identity(void*);
void reduce(void*, void*);
template <class T> void zero(void*);
template <class T> void plus(void*, void*);
using sum = int cilk_reducer(identity, reduce);

int cilk_reducer(zero<int>) one;
//! 5: error: no matching function for call to '__nopal_callbacks'
int cilk_reducer(plus<int>, zero<int>) exchanged;
//! 5: error: no matching function for call to '__nopal_callbacks'
int cilk_reducer(nullptr, nullptr) nothing;
//! 18: error: the identity of a reducer must be a function of type 'void (void *)'
//! 27: error: the reduction of a reducer must be a function of type 'void (void *, void *)'
std::vector<sum> elements;
//! 13: error: only a variable can be a reducer; no pointer, array, member or parameter
std::vector<cilk::opadd_reducer<int>> named_elements;
//! 19: error: only a variable can be a reducer; no pointer, array, member or parameter
void parameter(sum& x);
//! 16: error: only a variable can be a reducer; no pointer, array, member or parameter
sum result();
//! 1: error: only a variable can be a reducer; no pointer, array, member or parameter
struct member { sum x; };
//! 17: error: only a variable can be a reducer; no pointer, array, member or parameter
sum global;
int* address = &global;
//! 16: error: the view of a reducer is not a constant
int& reference = global;
//! 18: error: the view of a reducer is not a constant
sum& to_reducer = global;
//! 1: error: only a variable can be a reducer; no pointer, array, member or parameter
//! 19: error: the view of a reducer is not a constant
template <class T> struct holder { T cilk_reducer(zero<T>, plus<T>) x; };
//! 38: error: only a variable can be a reducer; no pointer, array, member or parameter
template <class T> T variable_in_template(T n) {
  const T cilk_reducer(zero<T>, plus<T>) x = n;
//! 11: error: a reducer cannot be const, volatile or restrict
  return x;
}
int instance = variable_in_template(1);
struct refers {
  refers() : to(global) {}
//! 17: error: a reference cannot be bound to a reducer here
  int& to;
};

void functions() {
  sum x = 0;
  decltype(x) y = 0;
//! 3: error: only a variable can be a reducer; no pointer, array, member or parameter
  new sum;
//! 7: error: only a variable can be a reducer; no pointer, array, member or parameter
  if (sum z = 1) x += z;
//! 7: error: a reducer must be declared in a block
  sum w(cilk_spawn instance);
//! 9: error: cilk_spawn cannot initialize a reducer; assign to it
//! 9: error: cilk_spawn must stand before the call of a function
  constexpr sum c = 1;
//! 13: error: a reducer cannot be const, volatile or restrict
  x += y + w + c;
}
