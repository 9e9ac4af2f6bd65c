/* SPDX-License-Identifier: Apache-2.0 */
#include "foreign.h"

long foreign_sum(long (*f)(void* context, long i), void* context, long n) {
  /* Enough to fill the registers that calls preserve, and to need some in memory. */
  long sum = 0, up = 1, down = n, twice = 0, parity = 0;
  double half = 0;
  for (long i = 0; i < n; ++i) {
    sum += i * f(context, i);
    up += 3;
    down -= 1;
    twice += 2 * i;
    parity ^= i & 1;
    half += 0.5;
  }
  if (up != 1 + 3 * n || down != 0 || twice != n * (n - 1) || parity != (n / 2 & 1) ||
      half * 2 != (double)n)
    return -1;
  return sum;
}

long foreign_tree(long (*f)(void* context, long left, long right), void* context, int depth) {
  if (depth == 0) return f(context, 0, 0);
  long left = foreign_tree(f, context, depth - 1);
  long right = foreign_tree(f, context, depth - 1);
  return f(context, left, right);
}
