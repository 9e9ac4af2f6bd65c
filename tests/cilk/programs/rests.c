/* SPDX-License-Identifier: Apache-2.0 */
/* Spawns whose rest, up to the join, is a piece of the function by itself: a thief runs it as a
 * closure. */
#include <cilk/cilk.h>

#include "check.h"

struct large {
  long v[20];
};

static long work(long n) {
  volatile long sum = 0;
  for (long i = 0; i < n * 97 % 700; ++i) sum = sum + i;
  return n;
}
static long total(struct large l) {
  work(500);
  long all = 0;
  for (int i = 0; i < 20; ++i) all += l.v[i];
  return all;
}
static void store(long* to, long n) { *to = work(n); }

static long chain(void) {
  long a = cilk_spawn work(1);
  long b = cilk_spawn work(20);
  long c = cilk_spawn work(300);
  long d = work(4000);
  cilk_sync;
  return a + b + c + d;
}

/* The last one has nothing behind it. */
static long nothing_behind(void) {
  long a, b, c;
  cilk_scope {
    a = cilk_spawn work(5);
    b = cilk_spawn work(60);
    c = cilk_spawn work(700);
  }
  return a + b + c;
}

/* The arguments are those at the spawn. */
static long changed_behind(void) {
  struct large l = {{0}};
  l.v[3] = 7;
  long i = 1;
  long a = cilk_spawn total(l);
  l.v[3] = 1000;
  long b = cilk_spawn work(i++);
  i *= 10;
  long c = work(i);
  cilk_sync;
  return a + b * 10 + c * 100 + i * 10000 + l.v[3] * 1000000;
}

/* What the rest reads is what the arguments have made of it. */
static long changed_by_arguments(long n) {
  long i = n, a, b;
  cilk_scope {
    a = cilk_spawn work(i += 3);
    b = work(i);
  }
  return a + 100 * b;
}

/* Variables of the rest live on behind the join. */
static long declared_behind(long n) {
  long a = cilk_spawn work(n);
  long b[30];
  for (int i = 0; i < 30; ++i) b[i] = work(i);
  long later[30];
  cilk_sync;
  for (int i = 0; i < 30; ++i) later[i] = b[i] + 1;
  long all = a;
  for (int i = 0; i < 30; ++i) all += later[i] * b[i];
  return all;
}

/* The rest reads what the spawned function writes there only behind the join. */
static long written_twice(void) {
  long x = 5;
  cilk_spawn store(&x, 77);
  long y = work(9);
  cilk_sync;
  x += y;
  cilk_spawn store(&y, 3);
  long z = work(x);
  cilk_sync;
  return x + y * 1000 + z * 10000;
}

static long with_more_inside(int n) {
  long sum = 0, a = 0;
  if (n > 2) a = cilk_spawn work(n);
  if (n > 2) {
    long x, y;
    cilk_scope {
      x = cilk_spawn work(3);
      y = n % 2 ? work(4) : work(5);
    }
    sum = x * y;
    for (int i = 0; i < n; ++i) sum += work(i);
  }
  cilk_sync;
  return sum + a;
}

static long early_return(long n) {
  long a = 0;
  cilk_spawn store(&a, n);
  return work(2 * n);
}

static long in_loop(long n) {
  long sum = 0;
  for (long i = 0; i < n; ++i) {
    long a = cilk_spawn work(i);
    long b = work(i + 1);
    cilk_sync;
    sum += a * b;
  }
  return sum;
}

/* One spawn in a loop, which a frame joins, and one whose rest is a closure. */
static long both_kinds(long n) {
  long each[8], a, b;
  for (long i = 0; i < n; ++i) each[i] = cilk_spawn work(i);
  a = cilk_spawn work(50);
  b = work(60);
  cilk_sync;
  long sum = a * b;
  for (long i = 0; i < n; ++i) sum += each[i];
  return sum;
}

#ifndef REPEATS
#define REPEATS 100
#endif

int main(void) {
  failures = 0;
  for (int i = 0; i < REPEATS; ++i) {
    check("chain", chain(), 4321);
    check("nothing behind", nothing_behind(), 765);
    check("changed behind", changed_behind(), 7 + 10 + 2000 + 200000 + 1000000000);
    check("changed by arguments", changed_by_arguments(4), 707);
    check("declared behind", declared_behind(6), 6 + 8555 + 435);
    check("written twice", written_twice(), 86 + 3000 + 860000);
    check("more inside", with_more_inside(3), 12 + 3 + 3);
    check("more inside, even", with_more_inside(4), 15 + 6 + 4);
    check("more inside, none", with_more_inside(1), 0);
    check("early return", early_return(21), 42);
    check("in a loop", in_loop(6), 0 + 2 + 6 + 12 + 20 + 30);
    check("both kinds", both_kinds(8), 3000 + 28);
    if (failures != 0) return 1;
  }
  return 0;
}
