// SPDX-License-Identifier: Apache-2.0
// clang-format off: a message stands behind the line that it is about
// Places that no function's code is made of: the plugin lowers nothing there, and says so.
#include <cilk/cilk.h>

int f();

decltype(cilk_spawn f()) never_called;
//! 10: error: cilk_spawn cannot be lowered here; spawn in the body of a function
const int size = sizeof(cilk_spawn f());
//! 25: error: cilk_spawn cannot be lowered here; spawn in the body of a function

template <class T>
concept c = requires { cilk_spawn f(); };

// Templates that are never instantiated are nobody's code.
template <class T>
void never_instantiated(T t) {
  cilk_spawn t();
  f();
}
