/* SPDX-License-Identifier: Apache-2.0 */
/* Spawns in loops: a thief that steals a turn's rest runs all turns that are left. */
#include <cilk/cilk.h>

#include "check.h"

enum { most = 12 };

struct large {
  long v[20];
};

static long work(long n) {
  volatile long sum = 0;
  for (long i = 0; i < n * 97 % 700; ++i) sum = sum + i;
  return n;
}
static long total(struct large l) {
  work(l.v[0]);
  long all = 0;
  for (int i = 0; i < 20; ++i) all += l.v[i];
  return all;
}
static long add_up(const long* v, long n) {
  long all = 0;
  for (long i = 0; i < n; ++i) all = all * 3 + v[i];
  return all;
}
static void add_to(long* to, long n) { *to += work(n); }

/* With work behind the loop, and the whole as a recursion. */
static long tree(long first, long leaves) {
  if (leaves == 1) return work(first);
  leaves /= 3;
  long sums[3];
  cilk_scope {
    for (int i = 0; i < 2; ++i) sums[i] = cilk_spawn tree(first + i * leaves, leaves);
    sums[2] = tree(first + 2 * leaves, leaves);
  }
  return sums[0] + sums[1] + sums[2];
}

/* What the body declares and changes on both sides of the spawn. */
static long both_sides(long n) {
  long v[most], sum = 0, last = 0;
  for (long i = 0; i < n; ++i) {
    const long before = work(i * 5 + 1);
    long there[3] = {before, i, 7};
    v[i] = cilk_spawn work(before + 2);
    sum += before * add_up(there, 3);
    there[2] = sum;
    last = add_up(there, 3);
  }
  cilk_sync;
  return add_up(v, n) + sum * 11 + last;
}

/* Arguments are those at the spawn, though the loop goes on to change them. */
static long changed_behind(long n) {
  struct large l = {{1}};
  long v[most], at = 0;
  cilk_scope {
    while (at < n) {
      v[at] = cilk_spawn total(l);
      l.v[at] += at;
      ++at;
      l.v[19] = at * 100;
    }
  }
  return add_up(v, n) + l.v[19];
}

static long nested(long n) {
  long v[most][most] = {{0}};
  for (long i = 0; i < n; ++i) {
    long factor = i + 1;
    for (long k = i; k < n; ++k) {
      if ((i + k) % 3 == 0) continue;
      v[i][k] = cilk_spawn work(factor * k);
      factor += work(2);
    }
    v[i][0] += factor;
  }
  cilk_sync;
  long all = 0;
  for (long i = 0; i < n; ++i) all += add_up(v[i], n) * (i + 1);
  return all;
}

/* Loops that are left in the middle, or have two spawns. */
static long left(long n) {
  long v[2 * most] = {0}, i = 0;
  do {
    v[2 * i] = cilk_spawn work(i);
    if (i == n - 2) break;
    v[2 * i + 1] = cilk_spawn work(i + 50);
  } while (++i < n);
  v[2 * i + 1] = work(9);
  cilk_sync;
  return add_up(v, 2 * n);
}
static long returned(long n) {
  long* const none = 0;
  long v[most] = {0}, *found = none;
  for (long* p = v; p < v + n; ++p) {
    *p = cilk_spawn work(p - v);
    if (p - v == n / 2) {
      found = p;
      goto out;
    }
  }
out:
  cilk_sync;
  return add_up(v, n) + (found != none ? *found : 0);
}
static long returns_early(long n) {
  long v[most] = {0};
  for (long i = 0; i < n; ++i) {
    v[i] = cilk_spawn work(i);
    if (i == 4) return 4;
  }
  cilk_sync;
  return add_up(v, n);
}

/* By goto; entered in the middle. */
static long by_goto(long n) {
  long v[most] = {0}, i = 0;
  if (n % 2 == 0) goto inside;
again:
  v[i] = cilk_spawn work(i * 3);
inside:
  ++i;
  if (i < n) goto again;
  cilk_sync;
  return add_up(v, n);
}

/* A loop behind a spawn, and one before a spawn. */
static long between(long n) {
  long v[most], first, last;
  cilk_scope {
    first = cilk_spawn work(n + 40);
    for (long i = 0; i < n; ++i) v[i] = cilk_spawn work(i + n);
    last = cilk_spawn work(n + 60);
    work(3);
  }
  return add_up(v, n) + first * 1000 + last;
}

/* Each loop is a region of its own. */
static long regions(long n) {
  long v[most] = {0}, all = 0;
  for (long i = 0; i < 3; ++i) {
    cilk_scope {
      for (long k = 0; k < n; ++k) cilk_spawn add_to(&v[k], i + k);
      work(i);
    }
    all += add_up(v, n);
  }
  return all;
}

#ifndef REPEATS
#define REPEATS 60
#endif

int main(void) {
  failures = 0;
  for (int i = 0; i < REPEATS; ++i) {
    check("tree", tree(0, 81), 3240);
    check("both sides", both_sides(5), 103574);
    check("changed behind", changed_behind(6), 18946);
    check("nested", nested(6), 43391);
    check("left", left(6), 3354237);
    check("returned", returned(7), 489);
    check("returns early", returns_early(8), 4);
    check("returns late", returns_early(3), 5);
    check("goto", by_goto(7), 1629);
    check("goto inside", by_goto(8), 4908);
    check("between", between(5), 45728);
    check("regions", regions(5), 832);
    if (failures != 0) return 1;
  }
  return 0;
}
