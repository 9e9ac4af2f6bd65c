/* SPDX-License-Identifier: Apache-2.0 */
#include <cilk/cilk.h>
#include <stdio.h>

static int fib(int n) {
  if (n < 2) return n;
  int a = cilk_spawn fib(n - 1);
  int b = fib(n - 2);
  cilk_sync;
  return a + b;
}

int main(void) {
  const int result = fib(24);
  printf("%d\n", result);
  return result == 46368 ? 0 : 1;
}
