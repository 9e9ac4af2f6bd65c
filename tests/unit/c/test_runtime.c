// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "check.h"
#include "nopal/nopal.h"

static nopal_options options_with(unsigned workers) {
  nopal_options o;
  CHECK_ERROR(0, nopal_options_init(&o, sizeof o));
  o.workers = workers;
  return o;
}

static void set_to_one(void* argument) { *(int*)argument = 1; }

static void set_number(void* argument, unsigned number) { *(int*)argument = (int)number; }

static void call_again(void* argument) {
  nopal_runtime* r = (nopal_runtime*)argument;
  int called = 0;
  unsigned n = 0;
  unsigned index = 9;
  CHECK_ERROR(0, nopal_run(r, set_to_one, &called));  // a plain call
  CHECK(called == 1);
  CHECK_ERROR(0, nopal_run(NULL, set_to_one, &called));
  CHECK_ERROR(0, nopal_workers(NULL, &n));
  CHECK(n == 2);
  CHECK_ERROR(0, nopal_current_worker(&index));
  CHECK(index < 2);
  CHECK_ERROR(EDEADLK, nopal_runtime_destroy(r));
}

static void runs(void) {
  nopal_options o = options_with(2);
  o.caller_works = false;
  nopal_runtime* r = NULL;
  CHECK_ERROR(0, nopal_runtime_create(&o, &r));
  int called = 0;
  CHECK_ERROR(0, nopal_run(r, set_to_one, &called));
  CHECK(called == 1);
  CHECK_ERROR(0, nopal_run(r, call_again, r));
  unsigned n = 0;
  CHECK_ERROR(0, nopal_workers(r, &n));
  CHECK(n == 2);
  CHECK_ERROR(ESRCH, nopal_current_worker(&n));
  CHECK_ERROR(0, nopal_runtime_destroy(r));
}

static void runs_on_the_default_runtime(void) {
  int called = 0;
  CHECK_ERROR(0, nopal_run(NULL, set_to_one, &called));
  CHECK(called == 1);
  unsigned n = 0;
  CHECK_ERROR(0, nopal_workers(NULL, &n));
  CHECK(n > 0);
  CHECK(!nopal_stop_requested());
}

static void counts(void) {
  nopal_options o = options_with(2);
  o.caller_works = false;
  nopal_runtime* r = NULL;
  CHECK_ERROR(0, nopal_runtime_create(&o, &r));
  int called = 0;
  CHECK_ERROR(0, nopal_run(r, set_to_one, &called));
  nopal_statistics s;
  memset(&s, 0xff, sizeof s);
  CHECK_ERROR(0, nopal_runtime_statistics(r, &s, sizeof s));
  CHECK(s.total.stack_switches > 0);
  CHECK(s.peak_stacks_in_use > 0);
  CHECK(s.unpinned == 0);
  nopal_counts c[2];
  for (unsigned i = 0; i < 2; ++i) CHECK_ERROR(0, nopal_worker_counts(r, i, &c[i], sizeof c[i]));
  CHECK(c[0].stack_switches + c[1].stack_switches > 0);
  CHECK_ERROR(EINVAL, nopal_worker_counts(r, 2, &c[0], sizeof c[0]));
  CHECK_ERROR(EINVAL, nopal_worker_counts(r, 0, NULL, sizeof c[0]));
  CHECK_ERROR(EINVAL, nopal_worker_counts(NULL, 0, &c[0], sizeof c[0]));
  CHECK_ERROR(EINVAL, nopal_worker_counts(r, 0, &c[0], 1));
  CHECK_ERROR(EINVAL, nopal_runtime_statistics(NULL, &s, sizeof s));
  CHECK_ERROR(EINVAL, nopal_runtime_statistics(r, NULL, sizeof s));
  CHECK_ERROR(EINVAL, nopal_runtime_statistics(r, &s, sizeof s + 1));
  CHECK_ERROR(0, nopal_runtime_destroy(r));
}

static void refuses(void) {
  nopal_options o = options_with(0);
  nopal_runtime* r = NULL;
  int called = 0;
  CHECK_ERROR(EINVAL, nopal_options_init(NULL, sizeof o));
  CHECK_ERROR(EINVAL, nopal_options_init(&o, 3));
  CHECK_ERROR(EINVAL, nopal_options_init(&o, sizeof o + 1));
  CHECK_ERROR(EINVAL, nopal_runtime_create(&o, NULL));
  CHECK_ERROR(EINVAL, nopal_runtime_destroy(NULL));
  CHECK_ERROR(EINVAL, nopal_run(NULL, NULL, &called));
  CHECK_ERROR(EINVAL, nopal_workers(NULL, NULL));
  CHECK_ERROR(EINVAL, nopal_current_worker(NULL));
  o.workers = 5000;
  CHECK_ERROR(EINVAL, nopal_runtime_create(&o, &r));
  CHECK(strstr(nopal_last_error(), "5000") != NULL);
  o = options_with(1);
  o.stack_bytes = 1;
  CHECK_ERROR(EINVAL, nopal_runtime_create(&o, &r));
  o = options_with(1);
  o.size = 0;
  CHECK_ERROR(EINVAL, nopal_runtime_create(&o, &r));
  o = options_with(1);
  o.unused[1] = 1;
  CHECK_ERROR(EINVAL, nopal_runtime_create(&o, &r));
  o = options_with(1);
  o.idle = 2;
  CHECK_ERROR(EINVAL, nopal_runtime_create(&o, &r));
  o = options_with(1);
  o.reclaim = -1;
  CHECK_ERROR(EINVAL, nopal_runtime_create(&o, &r));
  CHECK(r == NULL);
  CHECK(called == 0);
}

static void* no_error_yet(void* argument) {
  (void)argument;
  CHECK(nopal_last_error()[0] == '\0');
  CHECK_ERROR(EINVAL, nopal_run(NULL, NULL, NULL));
  CHECK(nopal_last_error()[0] != '\0');
  return NULL;
}

static void each_thread_has_its_own_error(void) {
  CHECK_ERROR(EINVAL, nopal_run(NULL, NULL, NULL));
  pthread_t t;
  CHECK(pthread_create(&t, NULL, no_error_yet, NULL) == 0);
  CHECK(pthread_join(t, NULL) == 0);
}

/* The default runtime starts at the first use, and tells everyone why it cannot. */
static void needs_a_default_runtime(void) {
  int called = 0;
  unsigned n = 0;
  nopal_scope* s = NULL;
  nopal_claim* c = NULL;
  const nopal_ilet team[1] = {{set_to_one, &called}};
  CHECK(setenv("NOPAL_WORKERS", "several", 1) == 0);
  CHECK_ERROR(EINVAL, nopal_run(NULL, set_to_one, &called));
  CHECK(strstr(nopal_last_error(), "several") != NULL);
  CHECK_ERROR(EINVAL, nopal_invoke(set_to_one, &called, set_to_one, &called));
  CHECK_ERROR(EINVAL, nopal_start(NULL, set_to_one, &called, NULL));
  CHECK_ERROR(EINVAL, nopal_infect(NULL, team, 1, NULL));
  CHECK_ERROR(EINVAL, nopal_infect_with(NULL, 1, set_number, &called, NULL));
  CHECK_ERROR(EINVAL, nopal_invade(NULL, NULL, &c));
  CHECK_ERROR(EINVAL, nopal_scope_create(NULL, &s));
  CHECK_ERROR(EINVAL, nopal_workers(NULL, &n));
  CHECK(called == 0);
  CHECK(unsetenv("NOPAL_WORKERS") == 0);
  CHECK_ERROR(0, nopal_run(NULL, set_to_one, &called));
  CHECK(called == 1);
}

int main(void) {
  each_thread_has_its_own_error();
  needs_a_default_runtime();
  runs();
  runs_on_the_default_runtime();
  counts();
  refuses();
  return 0;
}
