// SPDX-License-Identifier: Apache-2.0
// Fibonacci numbers in C, by nopal_invoke() and by nopal_fork() and nopal_join(). Usage: fib [n]
#include <nopal/nopal.h>
#include <stdio.h>
#include <stdlib.h>

struct number {
  int n;
  long fib;
};

static void invoke_fib(void* argument) {
  struct number* x = argument;
  if (x->n < 2) {
    x->fib = x->n;
    return;
  }
  struct number a = {x->n - 1, 0};
  struct number b = {x->n - 2, 0};
  nopal_invoke(invoke_fib, &a, invoke_fib, &b);
  x->fib = a.fib + b.fib;
}

// The child may run beside what stands between the fork and the join.
static void fork_fib(void* argument) {
  struct number* x = argument;
  if (x->n < 2) {
    x->fib = x->n;
    return;
  }
  struct number a = {x->n - 1, 0};
  struct number b = {x->n - 2, 0};
  nopal_join_t j;
  nopal_fork(&j, fork_fib, &a);
  fork_fib(&b);
  nopal_join(&j);
  x->fib = a.fib + b.fib;
}

static long serial_fib(int n) { return n < 2 ? n : serial_fib(n - 1) + serial_fib(n - 2); }

int main(int argc, char** argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 27;
  struct number by_invoke = {n, 0};
  struct number by_fork = {n, 0};
  if (nopal_run(NULL, invoke_fib, &by_invoke) != 0 || nopal_run(NULL, fork_fib, &by_fork) != 0) {
    fprintf(stderr, "%s\n", nopal_last_error());
    return 1;
  }
  printf("fib(%d) = %ld\n", n, by_invoke.fib);
  return by_invoke.fib == serial_fib(n) && by_fork.fib == by_invoke.fib ? 0 : 1;
}
