/* SPDX-License-Identifier: Apache-2.0 */
/* Every form of a spawn in C. */
#include <cilk/cilk.h>
#include <stdio.h>
#include <string.h>

struct large {
  long v[20];
};
struct pair {
  int a;
  double b;
};

static long work(long n) {
  volatile long sum = 0;
  for (long i = 0; i < n % 700; ++i) sum = sum + i;
  return n;
}
static struct large filled(long n) {
  struct large l;
  for (int i = 0; i < 20; ++i) l.v[i] = work(n) + i;
  return l;
}
static struct pair paired(struct pair p, float f) {
  work(400);
  p.a += 1;
  p.b += f;
  return p;
}
static long total(struct large l) {
  work(500);
  long all = 0;
  for (int i = 0; i < 20; ++i) all += l.v[i];
  return all;
}
static long many(int a, long b, short c, char d, long e, int f, long g, double h, float i) {
  work(300);
  return a + b + c + d + e + f + g + (long)h + (long)i;
}

static long structs(void) {
  struct large l = cilk_spawn filled(3);
  struct pair p = {1, 2.5};
  p = cilk_spawn paired(p, 1.5f);
  struct large kept;
  memset(&kept, 0, sizeof kept);
  long sums[4];
  for (int i = 0; i < 4; ++i) {
    kept.v[0] = i;
    sums[i] = cilk_spawn total(kept);
  }
  kept.v[0] = 1000;
  cilk_sync;
  return l.v[19] + p.a + (long)p.b + sums[0] + sums[1] + sums[2] + sums[3];
}

static long places(void) {
  long a[8], *p = a, i = 0;
  struct {
    struct pair inner[3];
    int bits : 5;
  } s;
  memset(&s, 0, sizeof s);
  while (i < 8) {
    *p++ = cilk_spawn work(i);
    ++i;
  }
  for (int k = 0; k < 3; ++k) s.inner[k].a = cilk_spawn work(k + 1);
  s.bits = cilk_spawn work(7);
  long m = cilk_spawn many(1, 2, 3, 4, 5, 6, 7, 8.5, 9.5f);
  cilk_sync;
  long all = m;
  for (int k = 0; k < 8; ++k) all += a[k];
  return all + s.inner[0].a + s.inner[1].a + s.inner[2].a + s.bits;
}

static long through_pointer(long (*f)(long), long n) {
  long a, b, other = 0;
  a = cilk_spawn f(n);
  b = cilk_spawn(*f)(n + 1);
  if (n > 5)
    cilk_spawn work(n);
  else
    cilk_spawn work(n + 1);
  switch (n) {
    case 3:
      cilk_spawn work(3);
      break;
    default:
      other = cilk_spawn work(12);
  }
  cilk_sync;
  return a + b + other;
}

static void store(long* to, long n) {
  work(600);
  *to = n;
}

static int implicit(long* to, int n) {
  cilk_spawn store(to, n);
  if (n == 0) return 5;
  cilk_spawn store(to + 1, n);
  if (n == 1) goto out;
  cilk_scope {
    cilk_spawn store(to + 2, n);
    if (n == 2) goto out;
  }
  to[2] += 1;
out:
  return 6;
}

/* The place that is assigned to is known before the call is spawned. */
static long targets(void) {
  long v[4] = {0, 0, 0, 0}, *p = v;
  *p++ = cilk_spawn work(1);
  *p++ = cilk_spawn work(2);
  int i = 2;
  v[i++] = cilk_spawn work(3);
  v[i] += cilk_spawn work(4);
  i = 0;
  cilk_sync;
  return v[0] + 10 * v[1] + 100 * v[2] + 1000 * v[3];
}

#ifndef REPEATS
#define REPEATS 100
#endif

int main(void) {
  for (int i = 0; i < REPEATS; ++i) {
    long a = structs(), b = places(), c = through_pointer(work, 4), d = through_pointer(work, 3);
    long to[3] = {0, 0, 0}, e = 0;
    for (int n = 0; n < 4; ++n) {
      e += implicit(to, n);
      e += 100 * (to[0] + to[1] + to[2]);
    }
    if (targets() != 4321) {
      printf("targets: %ld\n", targets());
      return 1;
    }
    if (a != 22 + 2 + 4 + 6 || b != 45 + 28 + 6 + 7 || c != 21 || d != 7 || e != 23 + 100 * 18) {
      printf("%ld %ld %ld %ld %ld\n", a, b, c, d, e);
      return 1;
    }
  }
  return 0;
}
