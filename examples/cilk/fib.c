/* SPDX-License-Identifier: Apache-2.0 */
/* The keywords in C: a call that is spawned, and the place where its result is there. */
#include <cilk/cilk.h>
#include <stdio.h>

static long fib(int n) {
  if (n < 2) return n;
  long a = cilk_spawn fib(n - 1); /* may run while the rest of this function does */
  long b = fib(n - 2);
  cilk_sync; /* from here on a is there */
  return a + b;
}

int main(void) {
  const long result = fib(30);
  printf("fib(30) = %ld\n", result);
  return result == 832040 ? 0 : 1;
}
