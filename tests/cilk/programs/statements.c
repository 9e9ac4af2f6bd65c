/* SPDX-License-Identifier: Apache-2.0 */
/* Spawns in every kind of statement, and in functions of many kinds. */
#include <cilk/cilk.h>
#include <stdio.h>

static int failures = 0;
static void check(const char* what, long got, long expected) {
  if (got == expected) return;
  printf("%s: %ld, expected %ld\n", what, got, expected);
  ++failures;
}

static long work(long n) {
  volatile long sum = 0;
  for (long i = 0; i < n * 37 % 500; ++i) sum = sum + i;
  return n;
}

static long sum_of(const long* v, long n) {
  long sum = 0;
  for (long i = 0; i < n; ++i) sum += v[i];
  return sum;
}

/* Without braces, behind labels, and where a variable is declared. */
static long without_braces(long n) {
  long a = 0, b = 0, c = 0, v[8] = {0};
  if (n > 5)
    a = cilk_spawn work(1);
  else
    a = cilk_spawn work(2);
  for (long i = 0; i < 4; ++i) v[i] = cilk_spawn work(i);
  long i = 3;
  while (++i < 7) v[i] = cilk_spawn work(i);
  do cilk_spawn work(3);
  while (++i < 10);
again:
  b += cilk_spawn work(4);
  cilk_sync;
  if (b < 12) goto again;
  switch (n) {
    case 1:
    case 3:
      c = cilk_spawn work(7);
      break;
    default:
      c = cilk_spawn work(8);
  }
  cilk_sync;
  return a + b + c + sum_of(v, 8);
}

/* The arguments of a spawned call may be statements, which may jump, but not out of it. */
static long statement_expressions(void) {
  long a = ({
    long x = cilk_spawn work(3);
    long y = work(4);
    cilk_sync;
    x + y;
  });
  cilk_spawn({
    work(3);
    work;
  })(4);
  long b = cilk_spawn work(({
    long t = 0;
    for (long i = 0; i < 5; ++i) {
      if (i == 3) continue;
      if (i == 4) break;
      t += i;
    }
    if (t > 100) goto out;
  out:
    t;
  }));
  ({
    cilk_spawn work(5);
    (void)0;
  });
  cilk_sync;
  return a + b;
}

/* An argument that spawns is evaluated before the call is, and what it spawns may outlive it. */
static long spawning_arguments(long n) {
  long total = 0, late = 0, v[4] = {0};
  for (long i = 0; i < n; ++i) {
    long a = cilk_spawn work(({
      long x = cilk_spawn work(i);
      long y = work(i + 1);
      cilk_sync;
      if (i == 3) break;
      x + y;
    }));
    v[i] = cilk_spawn work(work(({
      late = cilk_spawn work(7);
      long inner = cilk_spawn work(({
        long z = cilk_spawn work(i);
        cilk_sync;
        z;
      }));
      cilk_sync;
      (int)inner;
    })));
    cilk_sync;
    total += a;
  }
  return total + late + sum_of(v, 4);
}

/* Loops with more than one entry, into which the frame's own entry must not fall. */
static long device(long n) {
  long v[20] = {0}, i = 0;
  switch (n % 3) {
    case 0:
      do {
        v[i] = cilk_spawn work(i);
        ++i;
        __attribute__((fallthrough));
        case 2:
          v[i] = cilk_spawn work(i);
          ++i;
          __attribute__((fallthrough));
        case 1:
          v[i] = cilk_spawn work(i);
          ++i;
      } while ((n -= 3) > 0);
  }
  cilk_sync;
  return sum_of(v, 20) * 100 + i;
}

static long two_entries(long n) {
  long v[40] = {0}, i = 0;
  if (n & 1) goto second;
first:
  v[i] = cilk_spawn work(i);
  ++i;
  if (i == 7) cilk_sync;
second:
  work(2);
  ++i;
  if (--n > 0) goto first;
  cilk_sync;
  return sum_of(v, 40);
}

/* What no path reaches is left out, keywords and all. */
static long unreached(int n) {
  long r = work(n);
  if (n >= 0) return r;
  if (0) {
  never:
    r = cilk_spawn work(3);
    cilk_sync;
  }
  while (0) cilk_spawn work(1);
  return r;
  goto never;
}

static void clear(long* p) { *p = -1; }
static long cleaned_up(long n) {
  long total = 0;
  for (long i = 0; i < n; ++i) {
    long x __attribute__((cleanup(clear))) = cilk_spawn work(i);
    cilk_sync;
    if (i == 3) continue;
    total += x;
  }
  return total;
}

/* What the compiler knows of a function does not lead it astray. */
__attribute__((pure)) static long pure(long n) {
  if (n < 2) return n;
  long a = cilk_spawn pure(n - 1), b = pure(n - 2);
  cilk_sync;
  return a + b;
}
__attribute__((const)) static long constant(long n) {
  if (n < 2) return n;
  long a = cilk_spawn constant(n - 1), b = constant(n - 2);
  cilk_sync;
  return a + b;
}
__attribute__((always_inline)) static inline long inlined(long n) {
  long a = cilk_spawn work(n), b = work(n + 1);
  cilk_sync;
  return a + b;
}
/* It has variables of its own, of variable length too, and inlines all that it calls. */
__attribute__((flatten)) static long flat(long n) {
  long total = 0;
  for (long i = 0; i < 3; ++i) {
    long v[n];
    _Alignas(64) long w[2] = {inlined(n - i), i};
    v[n - 1] = inlined(n + i) + w[1];
    total += v[n - 1] + w[0];
  }
  return total;
}
__attribute__((noinline, preserve_most)) static long preserves_most(long n) {
  long a = cilk_spawn work(n), b = work(n + 1);
  cilk_sync;
  return a + b;
}
_Noreturn static void never_returns(long* to) {
  *to = cilk_spawn work(5);
  cilk_sync;
  for (;;) {
    if (work(*to) == 5) __builtin_trap();
  }
}

static long calls(long n) {
  if (n < 0) never_returns(&n);
  long a = cilk_spawn preserves_most(n), b = flat(n);
  cilk_sync;
  return a + b + inlined(n) + pure(9) + constant(9);
}

#define TWICE(a, b) \
  do {              \
    a;              \
    b;              \
  } while (0)
#define SPAWN cilk_spawn
#define ASSIGN(x, call) x = cilk_spawn call
#define SAME(...) __VA_ARGS__
#define TEXT(x) #x

static long macros(void) {
  long a, b, c, d = 0;
  TWICE(a = cilk_spawn work(1), b = SPAWN work(2));
  SAME(SAME(c = SPAWN work(3)));
  ASSIGN(d, work(4));
  SAME(cilk_sync;)
  SAME(cilk_scope { a += cilk_spawn work(5); })
  SAME(cilk_for (int i = 0; i < 3; ++i) __atomic_add_fetch(&d, i, __ATOMIC_RELAXED);)
  return a + b + c + d + (long)sizeof(TEXT(cilk_spawn f()));
}

#ifndef REPEATS
#define REPEATS 50
#endif

int main(void) {
  for (int i = 0; i < REPEATS; ++i) {
    check("without braces", without_braces(4), 2 + 12 + 8 + 21);
    check("statement expressions", statement_expressions(), 7 + 3);
    check("spawning arguments", spawning_arguments(5), 1 + 3 + 5 + 7 + 3);
    check("device", device(8) + device(9) + device(7), 2808 + 3609 + 2107);
    check("two entries", two_entries(5) * 100 + two_entries(8), 16 * 100 + 56);
    check("unreached", unreached(1), 1);
    check("cleaned up", cleaned_up(6), 12);
    check("calls", calls(4), 9 + 9 + 11 + 13 + 3 + 9 + 7 + 5 + 9 + 34 + 34);
    check("macros", macros(), 6 + 2 + 3 + 7 + 15);
    if (failures != 0) return 1;
  }
  return 0;
}
