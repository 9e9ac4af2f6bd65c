/* SPDX-License-Identifier: Apache-2.0 */
/* Every form of a parallel loop in C: each visits the same values as its serial elision. */
#include <cilk/cilk.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { size = 5000 };
static unsigned char seen[size];
static long visited(long expected_count, long expected_sum) {
  long count = 0, sum = 0;
  for (int i = 0; i < size; ++i) {
    count += seen[i];
    sum += (long)i * seen[i];
  }
  memset(seen, 0, sizeof seen);
  if (count == expected_count && sum == expected_sum) return 0;
  printf("%ld turns, sum %ld, expected %ld, %ld\n", count, sum, expected_count, expected_sum);
  return 1;
}

static long failures;

/* The step as a sum, more than one declaration, and hints for the compiler. */
static void forms(int n) {
  cilk_for (int i = 0; i < n; i = i + 3) seen[i]++;
  failures += visited((n + 2) / 3, 3L * ((n + 2) / 3) * ((n + 2) / 3 - 1) / 2);
  cilk_for (long i = n - 1; i >= 0; i = i - 1) seen[i]++;
  failures += visited(n, (long)n * (n - 1) / 2);
  cilk_for (unsigned char i = 0; i < 200; i = 1 + i) seen[i]++;
  failures += visited(200, 199 * 100);
  cilk_for (int first = 2, i = first * 0, e = n; i < e; ++i) seen[i] += first;
  failures += visited(2L * n, (long)n * (n - 1));
  int turns = 0;
  cilk_for (int i = 0; i < INT_MAX - (1 << 21); i = i + (1 << 21))
    __atomic_add_fetch(&turns, 1, __ATOMIC_RELAXED);
  failures += turns != 1023;
#pragma clang loop unroll(enable)
  cilk_for (int i = 0; i < n; ++i) seen[i]++;
  failures += visited(n, (long)n * (n - 1) / 2);
#pragma cilk grainsize 100
#pragma unroll 4
  cilk_for (int i = 0; i < n; ++i) seen[i]++;
  failures += visited(n, (long)n * (n - 1) / 2);
#pragma unroll 2
#pragma cilk grainsize 100
  cilk_for (int i = 0; i < n; ++i) seen[i]++;
  failures += visited(n, (long)n * (n - 1) / 2);
}

static void integers(int n, int step) {
  cilk_for (int i = 0; i < n; ++i) seen[i]++;
  failures += visited(n, (long)n * (n - 1) / 2);
  cilk_for (unsigned i = 0; i <= (unsigned)n; i += 7) seen[i]++;
  failures += visited(n / 7 + 1, 7L * (n / 7) * (n / 7 + 1) / 2);
  cilk_for (long i = n - 1; i >= 0; --i) seen[i]++;
  failures += visited(n, (long)n * (n - 1) / 2);
  cilk_for (short i = (short)(n - 1); i > 3; i -= 2) seen[i]++;
  {
    long c = 0, s = 0;
    for (short i = (short)(n - 1); i > 3; i -= 2) ++c, s += i;
    failures += visited(c, s);
  }
  cilk_for (int i = n; 0 < i; i += -step) seen[i - 1]++;
  {
    long c = 0, s = 0;
    for (int i = n; 0 < i; i += -step) ++c, s += i - 1;
    failures += visited(c, s);
  }
  cilk_for (int i = 0; i != n * step; i += step) seen[i / step]++;
  failures += visited(n, (long)n * (n - 1) / 2);
  cilk_for (unsigned long i = (unsigned long)n; i != 0; i--) seen[i - 1]++;
  failures += visited(n, (long)n * (n - 1) / 2);
  cilk_for (int i = INT_MAX - 5; i < INT_MAX; ++i) seen[INT_MAX - i]++;
  failures += visited(5, 15);
  cilk_for (int i = INT_MIN; i < INT_MIN + 4; i++) seen[i - INT_MIN]++;
  failures += visited(4, 6);
  cilk_for (int i = INT_MIN; i < INT_MAX; i += 1 << 30) seen[i / (1 << 30) + 2]++;
  failures += visited(4, 6);
  cilk_for (unsigned char i = 250; i < 255; ++i) seen[i]++;
  failures += visited(5, 250 + 251 + 252 + 253 + 254);
  cilk_for (int i = 5; i < n - n; ++i) seen[i]++;
  failures += visited(0, 0);
}

static void pointers(int n) {
  cilk_for (unsigned char* p = seen; p < seen + n; p += 3) ++*p;
  failures += visited((n + 2) / 3, 3L * ((n + 2) / 3) * ((n + 2) / 3 - 1) / 2);
  cilk_for (unsigned char* p = seen + n - 1; p >= seen; --p) ++*p;
  failures += visited(n, (long)n * (n - 1) / 2);
}

static long inner(long n) { return n * 2; }

static void nested(int n) {
  long rows[40];
  int grain = 3;
#pragma cilk grainsize grain
  cilk_for (int i = 0; i < 40; ++i) {
    long row[40];
#pragma cilk grainsize = 1
    cilk_for (int j = 0; j < 40; ++j) {
      long a = cilk_spawn inner(i);
      long b = inner(j);
      if (j % 5 == 0) continue;
      cilk_sync;
      row[j] = a + b;
    }
    rows[i] = 0;
    for (int j = 0; j < 40; ++j) {
      if (j % 5 == 0) continue;
      if (j == n) break;
      rows[i] += row[j];
    }
  }
  for (int i = 0; i < 40; ++i) {
    long expected = 0;
    for (int j = 0; j < 40 && j != n; ++j)
      if (j % 5 != 0) expected += 2 * i + 2 * j;
    if (rows[i] != expected) ++failures;
  }
}

#ifndef REPEATS
#define REPEATS 100
#endif

int main(void) {
  for (int i = 0; i < REPEATS; ++i) {
    integers(3001, 3);
    forms(1000 + i);
    pointers(4000);
    nested(33);
  }
  return failures != 0;
}
