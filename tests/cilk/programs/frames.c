/* SPDX-License-Identifier: Apache-2.0 */
/* What a spawning function keeps in its frame, while it may go on on another thread and stack. */
#include <alloca.h>
#include <cilk/cilk.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static int failures = 0;
static void check(const char* what, long got, long expected) {
  if (got == expected) return;
  printf("%s: %ld, expected %ld\n", what, got, expected);
  ++failures;
}

static long work(long n) {
  volatile long sum = 0;
  for (long i = 0; i < n * 53 % 400; ++i) sum = sum + i;
  return n;
}

static void fill(long* to, long n) {
  for (long i = 0; i < n; ++i) to[i] = work(i);
}

static long sum_of(const long* v, long n) {
  long sum = 0;
  for (long i = 0; i < n; ++i) sum += v[i];
  return sum;
}

/* Arrays that are made before, between and behind the spawns, and end before the function does. */
static long arrays(long n) {
  long before[n];
  memset(before, 0, sizeof before);
  cilk_spawn fill(before, n);
  long between[n + 1];
  memset(between, 0, sizeof between);
  cilk_spawn fill(between, n + 1);
  long total = 0;
  for (long i = 1; i < 4; ++i) {
    long in_loop[i * n];
    cilk_spawn fill(in_loop, i * n);
    fill(in_loop, 0);
    cilk_sync;
    total += sum_of(in_loop, i * n);
  }
  long behind[n];
  fill(behind, n);
  long late = cilk_spawn work(5);
  cilk_sync;
  return total + sum_of(before, n) + sum_of(between, n + 1) + sum_of(behind, n) + late;
}

static long allocated(long n) {
  long* before = alloca(sizeof(long) * n);
  cilk_spawn fill(before, n);
  long* behind = alloca(sizeof(long) * n);
  fill(behind, n);
  cilk_sync;
  long* last = alloca(sizeof(long) * n);
  fill(last, n);
  return sum_of(before, n) + sum_of(behind, n) + sum_of(last, n);
}

typedef struct {
  _Alignas(64) long value[8];
} line;

static void set(line* l, long n) {
  for (int i = 0; i < 8; ++i) l->value[i] = work(n);
}

static int aligned(const void* p) { return (uintptr_t)p % 64 == 0; }

static long over_aligned(long n) {
  line a, b;
  cilk_spawn set(&a, n);
  line c;
  set(&c, n + 1);
  cilk_spawn set(&b, n + 2);
  long dynamic[n];
  cilk_spawn fill(dynamic, n);
  if (!aligned(&a) || !aligned(&b) || !aligned(&c)) return -1;
  cilk_sync;
  return sum_of(a.value, 8) + sum_of(b.value, 8) + sum_of(c.value, 8) + sum_of(dynamic, n);
}

static _Thread_local long of_thread;
static long* address_of_thread(void) { return &of_thread; }
static int* address_of_errno(void) { return &errno; }
static pthread_t self(void) { return pthread_self(); }
/* Through these the compiler does not see what is called, and asks anew. */
static long* (*volatile fresh_address)(void) = address_of_thread;
static int* (*volatile fresh_errno)(void) = address_of_errno;
static pthread_t (*volatile fresh_self)(void) = self;

/* What belongs to the thread is that of another one when the function goes on. */
static long of_threads(void) {
  long wrong = 0;
  for (int i = 0; i < 20; ++i) {
    errno = 1;
    of_thread = pthread_self() != 0;
    cilk_spawn work(7);
    wrong += &of_thread != fresh_address();
    wrong += 100 * (&errno != fresh_errno());
    wrong += 10000 * (pthread_self() != fresh_self());
    work(7);
    cilk_sync;
    wrong += &of_thread != fresh_address();
    wrong += 100 * (&errno != fresh_errno());
    wrong += 10000 * (pthread_self() != fresh_self());
  }
  return wrong;
}

/* More variables than there are registers. */
static double many(double a, double b, double c, double d, long e, long f, long g, long h,
                   int depth) {
  if (depth == 0) return a + b + c + d + e + f + g + h;
  double left = cilk_spawn many(a + 1, b, c, d, e + 1, f, g, h, depth - 1);
  double right = many(a, b + 1, c, d, e, f + 1, g, h, depth - 1);
  double again = cilk_spawn many(a, b, c + 1, d, e, f, g + 1, h, 0);
  double last = many(a, b, c, d + 1, e, f, g, h + 1, 0);
  cilk_sync;
  return left + right + again + last - 2 * (a + b + c + d + e + f + g + h);
}

#ifndef REPEATS
#define REPEATS 50
#endif

int main(void) {
  for (int i = 0; i < REPEATS; ++i) {
    const long n = 9;
    check("arrays", arrays(n), 36 + 153 + 351 + 36 + 45 + 36 + 5);
    check("alloca", allocated(n), 3 * 36);
    check("alignment", over_aligned(n), 8 * (9 + 10 + 11) + 36);
    check("threads", of_threads(), 0);
    check("many", (long)many(1, 2, 3, 4, 5, 6, 7, 8, 4), 764);
    if (failures != 0) return 1;
  }
  return 0;
}
