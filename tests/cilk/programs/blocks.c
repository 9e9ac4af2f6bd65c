// SPDX-License-Identifier: Apache-2.0
// Statements that are spawned as a whole, and spawns in expressions.
#include <cilk/cilk.h>

#include "check.h"

#ifndef REPEATS
#define REPEATS 100
#endif

static long f(long n) {
  volatile long sum = 0;
  for (long i = 0; i < n; ++i) sum += i;
  return n * 3 + 1;
}
static long fold(long a, long b) { return a * 5 + b; }

static void expressions(long n) {
  long x = 0, i = n, a[4] = {0}, *p = &a[2];
  cilk_spawn x = f(3);
  cilk_spawn i++;
  cilk_spawn a[1] += f(n);
  cilk_spawn *p = f(2), a[3] = n;
  f(5);
  cilk_sync;
  check("assignment", x, 10);
  check("increment", i, n + 1);
  check("compound assignment", a[1], n * 3 + 1);
  check("comma", a[2] + a[3], 7 + n);
  cilk_spawn(void) f(3);
  int c = cilk_spawn(int) f(4);
  long ones = 0;
  cilk_spawn ones = __builtin_popcount(15);
  int of_builtin = cilk_spawn __builtin_popcount(7);
  cilk_spawn __builtin_prefetch(&c);
  cilk_spawn;
  f(2);
  cilk_sync;
  check("cast", c, 13);
  check("builtin", ones * 10 + of_builtin, 43);
}

static void blocks(long n) {
  long x = 0, y = 0, sum = 0, b[9], k = n;
  cilk_spawn {
    x = f(3);
    y = f(k);
  }
  k = 0;  // The block has the value of before.
  cilk_spawn for (int i = 0; i < 9; ++i) b[i] = f(i);
  cilk_spawn while (sum < 5) sum += f(0);
  cilk_sync;
  check("block", x + y, 10 + n * 3 + 1);
  check("for", b[0] + b[8], 26);
  check("while", sum, 5);
  if (n < 0) cilk_spawn {
      x = 2;
    }
  else
    x = 4;
  switch (n) {
    case 7:
      cilk_spawn { y = f(1); }
      break;
    default:
      y = 3;
  }
  cilk_spawn do sum += f(0);
  while (sum < 9);
  cilk_sync;
  check("else", x, 4);
  check("case", y, n == 7 ? 4 : 3);
  check("do", sum, 9);
}

static void in_loops(long n) {
  long a[40];
  for (int i = 0; i < 40; ++i) cilk_spawn {
      a[i] = f(i) + n;
    }
  cilk_sync;
  long sum = 0;
  for (int i = 0; i < 40; ++i) sum += a[i];
  check("turns", sum, 40 * 39 / 2 * 3 + 40 + 40 * n);
  for (int i = 0; i < 40; ++i) cilk_spawn {
      long t = cilk_spawn f(i);
      long u = f(1);
      cilk_sync;
      if (i == 7) {
        a[i] = 0;
      } else {
        cilk_spawn { a[i] = t + u + 2 * i; }
        f(3);
      }
    }
  cilk_sync;
  for (int i = 0; i < 40; ++i) check("nested", a[i], i == 7 ? 0 : i * 3 + 1 + 4 + 2 * i);
}

static void scopes(long n) {
  long x = 0, y = 0, a[9];
  cilk_spawn cilk_scope {
    x = cilk_spawn f(3);
    y = f(4);
  }
  cilk_spawn cilk_for (int i = 0; i < 9; ++i) a[i] = f(i) + n;
  f(2);
  cilk_sync;
  check("scope", x + y, 23);
  check("cilk_for", a[8], 25 + n);
  cilk_scope x = cilk_spawn f(n);
  check("scope of a statement", x, n * 3 + 1);
  cilk_scope for (int i = 0; i < 9; ++i) a[i] = cilk_spawn f(i + n);
  check("scope of a loop", a[8], (8 + n) * 3 + 1);
}

/* Jumps stay in what is spawned. */
static void jumps(long n) {
  long x = 0;
  cilk_spawn {
    for (int i = 0; i < 10; ++i) {
      if (i == 2) continue;
      if (i == n) break;
      cilk_scope {
        long y = cilk_spawn f(i);
        if (i == 5) goto out;
        cilk_sync;
        x += y;
      }
    }
  out:
    x += 1000;
  }
  f(n);
  cilk_sync;
  long right = 1000;
  for (int i = 0; i < 5 && (i == 2 || i != n); ++i) right += i == 2 ? 0 : i * 3 + 1;
  check("jumps", x, right);
}

/* The value of each is used at once, so they are calls. */
static long in_expressions(long n) {
  long x = n > 3 ? cilk_spawn f(n) : 1;
  x += fold(cilk_spawn f(n), f(3)) + cilk_spawn f(2);
  if (cilk_spawn f(n)) ++x;
  f(1), x += cilk_spawn fold(cilk_spawn f(1), ({ cilk_spawn f(n); }));
  cilk_sync;
  check("plain calls", x, (n > 3 ? f(n) : 1) + f(n) * 5 + f(3) + f(2) + 1 + 20 + f(n));
  return cilk_spawn f(n);
}

int main(void) {
  for (int i = 0; i < REPEATS; ++i) {
    expressions(i);
    blocks(i % 9);
    in_loops(i);
    scopes(i);
    jumps(i % 9);
    check("return", in_expressions(i % 9), i % 9 * 3 + 1);
  }
  return failures != 0;
}
