/* SPDX-License-Identifier: Apache-2.0 */
/* What the result of a spawned call is assigned to, and is made of. */
#include <cilk/cilk.h>
#include <complex.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static int failures = 0;
static void check(const char* what, int right) {
  if (right) return;
  printf("%s\n", what);
  ++failures;
}

static long work(long n) {
  volatile long sum = 0;
  for (long i = 0; i < n * 37 % 500; ++i) sum = sum + i;
  return n;
}
static int number(int n) { return (int)work(n); }
static float half(float f) {
  work(31);
  return f / 2;
}

struct bits {
  unsigned a : 3, b : 7;
  signed c : 5;
};

/* They have no address, but their structure has one, which is known before the spawn. */
static void bit_fields(void) {
  struct bits v[4], *p = v;
  memset(v, 0, sizeof v);
  int i = 0;
  p->b = cilk_spawn number(70);
  cilk_sync;
  p++->a = cilk_spawn number(5);
  p++->c = cilk_spawn number(-3);
  v[2 + i++].b = cilk_spawn number(100);
  v[2 + i++].b += cilk_spawn number(11);
  cilk_sync;
  check("bit-fields", v[0].b == 70 && v[0].a == 5 && v[1].c == -3 && v[2].b == 100 &&
                          v[3].b == 11 && i == 2 && p == v + 2);
}

typedef float vector __attribute__((vector_size(16)));
typedef float unaligned __attribute__((vector_size(16), aligned(4)));
typedef long wide __attribute__((vector_size(64)));
typedef float named __attribute__((ext_vector_type(4)));

static vector add(vector a, vector b) {
  work(77);
  return a + b;
}
static float sum(vector a) {
  work(5);
  return a[0] + a[1] + a[2] + a[3];
}

static void vectors(void) {
  vector a = {1, 2, 3, 4}, b = a * 2, c;
  c = cilk_spawn add(a, b);
  unaligned u = {4, 5, 6, 7};
  float s = cilk_spawn sum(u);
  wide w = {1, 2, 3, 4, 5, 6, 7, 8};
  long eighth = cilk_spawn work(w[7]);
  w = w - w;
  vector t = {0, 0, 0, 0};
  int i = 0;
  t[i++] = cilk_spawn half(2);
  cilk_sync;
  t[i++] = cilk_spawn half(4);
  named n = {0, 0, 0, 0}, *p = &n;
  p++->y = cilk_spawn half(6);
  cilk_sync;
  n.x += cilk_spawn half(8);
  cilk_sync;
  check("vectors", c[3] == 12 && s == 22 && eighth == 8 && w[7] == 0 && t[0] == 1 && t[1] == 2 &&
                       i == 2 && n.x == 4 && n.y == 3 && p == &n + 1);
}

static double complex twice(double complex z) {
  work(50);
  return z * 2;
}
static __int128 product(__int128 a, long b) {
  work(40);
  return a * b;
}
static long double third(long double a) {
  work(33);
  return a / 3;
}
static _Bool negation(_Bool a) {
  work(3);
  return !a;
}

/* Each is handed to the child as it was at the spawn. */
static void scalars(void) {
  double complex z = cilk_spawn twice(1 + 2 * I);
  float complex converted;
  converted = cilk_spawn twice(3);
  __int128 q = (__int128)1 << 100;
  __int128 r = cilk_spawn product(q, 5);
  q = 1;
  long double l = 6;
  long double m = cilk_spawn third(l);
  l = 100;
  _Bool b = 0, c = cilk_spawn negation(b);
  b = 1;
  cilk_sync;
  check("complex numbers", creal(z) == 2 && cimag(z) == 4 && crealf(converted) == 6);
  __imag__ z = cilk_spawn third(27);
  cilk_sync;
  check("scalars", cimag(z) == 9 && r == (__int128)5 << 100 && m == 2 && c && b && q == 1);
}

struct __attribute__((packed)) packed {
  char c;
  long l;
  vector v;
  double d[2];
  int i;
};
static volatile long of_file;
static _Atomic long sum_of_all;
static _Atomic int all_bits;

static void places(void) {
  struct packed s[3], *p = s;
  memset(s, 0, sizeof s);
  int k = 0;
  p++->l = cilk_spawn work(5);
  p->d[k++] = cilk_spawn half(5);
  p->d[k++] = cilk_spawn half(7);
  p->v = cilk_spawn add((vector){1, 2, 3, 4}, (vector){4, 3, 2, 1});
  p++->l = cilk_spawn work(6);
  p->i += cilk_spawn number(4);
  of_file = cilk_spawn work(3);
  volatile int v = cilk_spawn number(8);
  const int constant = cilk_spawn number(9);
  cilk_sync;
  check("packed", s[0].l == 5 && s[1].d[0] == 2.5 && s[1].d[1] == 3.5 && s[1].v[2] == 5 &&
                      s[1].l == 6 && s[2].i == 4);
  check("volatile", of_file == 3 && v == 8 && constant == 9);
  sum_of_all = 0;
  all_bits = 0;
  _Atomic int local = 0;
  for (int i = 0; i < 10; ++i) {
    sum_of_all += cilk_spawn work(i);
    all_bits |= cilk_spawn number(1 << i);
    local += cilk_spawn number(i);
  }
  cilk_sync;
  check("atomic", sum_of_all == 45 && all_bits == 1023 && local == 45);
}

static long sum_of(int n, va_list all) {
  long s = 0;
  while (n-- > 0) s += va_arg(all, long);
  return work(s);
}
static long sum_of_these(int n, ...) {
  va_list all;
  va_start(all, n);
  work(60);
  const long s = sum_of(n, all);
  va_end(all);
  return s;
}
static long variadic(int n, ...) {
  va_list a, b;
  va_start(a, n);
  va_copy(b, a);
  long all = cilk_spawn sum_of(n, b);
  long three = cilk_spawn sum_of_these(3, 1L, 2L, 3L);
  long nine = cilk_spawn sum_of_these(9, 1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L);
  long first = cilk_spawn work(va_arg(a, long));
  long rest = sum_of(n - 1, a);
  cilk_sync;
  va_end(a);
  va_end(b);
  return all + 10 * three + 100 * nine + 10000 * first + 100000 * rest;
}

#ifndef REPEATS
#define REPEATS 50
#endif

int main(void) {
  for (int i = 0; i < REPEATS; ++i) {
    bit_fields();
    vectors();
    scalars();
    places();
    check("variadic", variadic(3, 1L, 2L, 3L) == 6 + 60 + 4500 + 10000 + 500000);
    if (failures != 0) return 1;
  }
  return 0;
}
