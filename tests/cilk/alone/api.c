// SPDX-License-Identifier: Apache-2.0
// The calls of cilk_api.h, and the keywords by the names that need no header.
#include <cilk/cilk_api.h>
#include <cilk/cilksan.h>
#include <cilk/cilkscale.h>
#include <stdlib.h>

#include "check.h"

#define HOLDS(condition) check(#condition, (condition) != 0, 1)

static int started;
static void first_call(void) { started = started * 2 + 1; }
static void second_call(void) { started = started * 2; }

static long fib(long n) {
  if (n < 2) return n;
  long a = _Cilk_spawn fib(n - 1);
  long b = fib(n - 2);
  _Cilk_sync;
  return a + b;
}

static void zero(void* view) { *(long*)view = 0; }
static void plus(void* left, void* right) { *(long*)left += *(long*)right; }

static void add(long* sum, long n) {
  *(long*)__cilkrts_reducer_lookup(sum, sizeof *sum, (void*)zero, (void*)plus) += n;
}

static void sums(void) {
  long sum = 5;
  __cilkrts_reducer_register(&sum, sizeof sum, zero, plus);
  _Cilk_for(int i = 0; i < 1000; ++i) add(&sum, i);
  __cilkrts_reducer_unregister(&sum);
  HOLDS(sum == 5 + 499500);
  long _Hyperobject(zero, plus) other = 1;
  _Cilk_for(int i = 0; i < 1000; ++i) other += i;
  HOLDS(other == 499501);
  long a = 0;
  _Cilk_scope { a = _Cilk_spawn fib(5); }
  HOLDS(a == 5);
}

/* What Cilk Plus allows between two runtimes. */
static void set_number(void) {
  HOLDS(__cilkrts_set_param("nworkers", "0x3") == __CILKRTS_SET_PARAM_LATE);
  __cilkrts_end_cilk();
  HOLDS(!__cilkrts_is_initialized());
  HOLDS(__cilkrts_set_param("nworkers", "three") == __CILKRTS_SET_PARAM_INVALID);
  HOLDS(__cilkrts_set_param("nworkers", "100000") == __CILKRTS_SET_PARAM_XRANGE);
  HOLDS(__cilkrts_set_param("stack size", "100000") == __CILKRTS_SET_PARAM_UNIMP);
  HOLDS(__cilkrts_set_param("nworkers", "0x3") == __CILKRTS_SET_PARAM_SUCCESS);
  __cilkrts_init();
  HOLDS(__cilkrts_is_initialized());
  HOLDS(__cilkrts_get_nworkers() == 3 && __cilkrts_get_total_workers() == 3);
  HOLDS(fib(10) == 55);
}

/* The status of the program is that of this call, so the program fails without it. */
static void at_exit(void) { _Exit(failures); }

int main(void) {
  HOLDS(__cilkrts_atinit(first_call) == 0);
  HOLDS(__cilkrts_atinit(second_call) == 0);
  HOLDS(__cilkrts_atexit(at_exit) == 0);
  HOLDS(fib(12) == 144);
  HOLDS(started == 2);
  HOLDS(__cilkrts_atinit(first_call) == -1);
  HOLDS(__cilkrts_get_worker_number() < __cilkrts_get_nworkers());
  sums();
  __cilksan_disable_checking();
  HOLDS(!__cilksan_is_checking_enabled() && __cilksan_error_count() == 0);
  wsp_dump(wsp_sub(wsp_getworkspan(), wsp_zero()), "nothing");
  set_number();
  return 1;
}
