// SPDX-License-Identifier: Apache-2.0
// clang-format off: a message stands behind the line that it is about
// Loops whose turns cannot be numbered.
#include <cilk/cilk.h>

#include <list>

int f(int);
void g();

void control() {
  int k;
  cilk_for (k = 0; k < 10; ++k) g();
//! 3: error: cilk_for must declare and initialize one control variable
  cilk_for (int i = 0, j = i; i < 10; ++i) f(j);
//! 3: error: what cilk_for declares cannot depend on its control variable
  cilk_for (int i = 0, j = 0; i < 10; ++i, ++j) f(j);
//! 3: error: cilk_for must declare and initialize one control variable
  cilk_for (int i; i < 10; ++i) g();
//! 3: error: cilk_for must declare and initialize one control variable
  cilk_for (;;) g();
//! 3: error: cilk_for must declare and initialize one control variable
  cilk_for (float x = 0; x < 10; ++x) g();
//! 19: error: cilk_for needs an integer, a pointer or an iterator with random access
  cilk_for (__int128 i = 0; i < 10; ++i) g();
//! 22: error: the control variable of cilk_for can have at most 64 bits
}

void condition() {
  cilk_for (int i = 0;; ++i) g();
//! 3: error: the condition of cilk_for must compare its control variable by <, <=, >, >= or !=
  cilk_for (int i = 0; i == 10; ++i) g();
//! 24: error: the condition of cilk_for must compare its control variable by <, <=, >, >= or !=
  cilk_for (int i = 0; f(i); ++i) g();
//! 24: error: the condition of cilk_for must compare its control variable by <, <=, >, >= or !=
  cilk_for (int i = 0; i < 10 && f(i); ++i) g();
//! 24: error: the condition of cilk_for must compare its control variable by <, <=, >, >= or !=
}

void step() {
  cilk_for (int i = 0; i < 10;) g();
//! 3: error: cilk_for must change its control variable by ++, --, += or -=
  cilk_for (int i = 1; i < 10; i *= 2) g();
//! 32: error: cilk_for must change its control variable by ++, --, += or -=
  cilk_for (int i = 1; i < 10; i = i * 2) g();
//! 32: error: cilk_for must change its control variable by ++, --, += or -=
  cilk_for (int i = 1; i < 10; i = 20 - i) g();
//! 32: error: cilk_for must change its control variable by ++, --, += or -=
}

void iterators(std::list<int>& l) {
  cilk_for (auto i = l.begin(); i != l.end(); ++i) g();
//! 18: error: cilk_for needs an integer, a pointer or an iterator with random access
  cilk_for (int& x : l) f(x);
//! 20: error: cilk_for needs an integer, a pointer or an iterator with random access
}

void body() {
  cilk_for (int i = 0; i < 10; ++i) {
    i += 2;
//! 5: error: the body of cilk_for cannot change its control variable
  }
}

void grain() {
#pragma cilk grainsize
//! 1: error: expected a grain size
  cilk_for (int i = 0; i < 10; ++i) g();
#pragma cilk grainsize 4
//! 1: error: a grain size must be followed by cilk_for
  for (int i = 0; i < 10; ++i) g();
}
