// SPDX-License-Identifier: Apache-2.0
// clang-format off: a message stands behind the line that it is about
// Places where a call cannot be spawned.
#include <cilk/cilk.h>

#include <coroutine>
#include <string>

int f(int);
void g();
struct point {
  int x, y;
};
point make(int);
int n;

void not_a_call() {
  int x = cilk_spawn n;
//! 11: error: cilk_spawn must stand before the call of a function
  int y = cilk_spawn n + 1;
//! 11: error: cilk_spawn must stand before the call of a function
}

void default_argument(int x = cilk_spawn f(1));
//! 31: error: cilk_spawn has no place here; spawn in the body of a function
void default_argument_of_a_lambda() {
  auto l = [](int x = cilk_spawn f(1)) { return x; };
//! 23: error: cilk_spawn has no place here; spawn in the body of a function
  l();
}
int global = cilk_spawn f(1);
//! 14: error: cilk_spawn has no place here; spawn in the body of a function
struct member {
  int x = cilk_spawn f(1);
//! 11: error: cilk_spawn has no place here; spawn in the body of a function
};

void variables() {
  auto [x, y] = cilk_spawn make(1);
//! 17: error: cilk_spawn cannot initialize a structured binding; bind a variable after cilk_sync
  static int s = cilk_spawn f(1);
//! 18: error: cilk_spawn cannot initialize a variable with static storage
}

struct task {
  struct promise_type {
    task get_return_object();
    std::suspend_never initial_suspend();
    std::suspend_never final_suspend() noexcept;
    void return_void();
    void unhandled_exception();
  };
};
task coroutine() {
  cilk_spawn g();
//! 3: error: a coroutine cannot spawn; spawn in a function that it calls
  cilk_sync;
//! 3: error: a coroutine cannot spawn; spawn in a function that it calls
  cilk_for (int i = 0; i < 3; ++i) g();
//! 3: error: a coroutine cannot spawn; spawn in a function that it calls
  co_return;
}

void sync() { int x = (cilk_sync, 1); }
//! 24: error: cilk_sync must be a statement
cilk_sync;
//! 1: error: a type specifier is required for all declarations
