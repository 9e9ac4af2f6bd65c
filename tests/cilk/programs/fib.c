/* SPDX-License-Identifier: Apache-2.0 */
#include <cilk/cilk.h>

static long fib(long n) {
  if (n < 2) return n;
  long a = cilk_spawn fib(n - 1);
  long b = fib(n - 2);
  cilk_sync;
  return a + b;
}

/* The adversary has a say at every fork. */
#ifdef REPEATS
int main(void) { return fib(12) == 144 ? 0 : 1; }
#else
int main(void) { return fib(27) == 196418 ? 0 : 1; }
#endif
