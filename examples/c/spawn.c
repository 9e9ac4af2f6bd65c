// SPDX-License-Identifier: Apache-2.0
// What CilkO makes of a function that spawns (Schmaus 2015, listings 3.6 to 3.9), by hand: an i-let
// with a helper function, and a signal that the function waits for.
//
//   void bar() {
//     int i = 10;
//     long l = 7;
//     char c = cilk_spawn foo(i, l);
//     cilk_sync;
//   }
#include <nopal/nopal.h>
#include <stdio.h>

static char foo(int i, long l) { return (char)('0' + (i - l)); }

// Listing 3.7: what the helper needs.
struct ilet_of_foo {
  nopal_countdown* signal;
  int i;
  long l;
  char* result;
};

// Listing 3.8. The signal is the last act: whoever waits goes on on this worker.
static void call_foo(void* argument) {
  const struct ilet_of_foo* x = argument;
  *x->result = foo(x->i, x->l);
  nopal_countdown_signal_and_end(x->signal);
}

static void bar(void* argument) {
  char c = 0;
  nopal_countdown signal;  // one in each function that spawns
  nopal_countdown_init(&signal, 0);

  // Listing 3.9. The i-let infects the claim that the caller runs in.
  nopal_countdown_add(&signal, 1);
  struct ilet_of_foo x = {&signal, 10, 7, &c};
  const nopal_ilet ilet = {call_foo, &x};
  if (nopal_infect(nopal_current_claim(), &ilet, 1, NULL) != 0) call_foo(&x);

  // cilk_sync: the strand is suspended, and its worker runs something else.
  nopal_countdown_wait(&signal, NOPAL_FOREVER);
  *(char*)argument = c;
}

int main(void) {
  char c = 0;
  if (nopal_run(NULL, bar, &c) != 0) {
    fprintf(stderr, "%s\n", nopal_last_error());
    return 1;
  }
  printf("foo(10, 7) = %c\n", c);
  return c == '3' ? 0 : 1;
}
