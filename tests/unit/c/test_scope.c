// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdatomic.h>

#include "check.h"
#include "nopal/nopal.h"

static const int64_t one_millisecond = 1000000;

static void add_to(void* argument) { atomic_fetch_add((atomic_int*)argument, 1); }

static void add_number_to(void* argument, unsigned number) {
  atomic_fetch_add((atomic_int*)argument, (int)number);
}

static void add_locally(void* block, void* argument) {
  (void)argument;
  *(int*)block += 1;
}

static void sum_up(void* block, void* all) { *(int*)all += *(int*)block; }

struct waits {
  nopal_countdown* go;
  int error;
};

static void wait_for_signal(void* argument) {
  struct waits* w = (struct waits*)argument;
  w->error = nopal_countdown_wait(w->go, NOPAL_FOREVER);
}

static void joins(void) {
  nopal_scope* s = NULL;
  atomic_int n = 0;
  CHECK_ERROR(0, nopal_scope_create(NULL, &s));
  for (int i = 0; i < 1000; ++i) CHECK_ERROR(0, nopal_scope_start(s, add_to, (void*)&n));
  CHECK_ERROR(0, nopal_scope_start_near(s, 0, add_to, (void*)&n));
  CHECK_ERROR(0, nopal_scope_start_many(s, 10, add_number_to, (void*)&n));
  CHECK_ERROR(0, nopal_scope_join(s, NOPAL_FOREVER));
  CHECK(n == 1046);
  CHECK_ERROR(EINVAL, nopal_scope_start_near(s, 100000, add_to, (void*)&n));
  CHECK_ERROR(EINVAL, nopal_scope_start(NULL, add_to, NULL));
  CHECK_ERROR(EINVAL, nopal_scope_start(s, NULL, NULL));
  CHECK_ERROR(EINVAL, nopal_scope_start_near(s, 0, NULL, NULL));
  CHECK_ERROR(EINVAL, nopal_scope_start_many(s, 1, NULL, NULL));
  CHECK_ERROR(EINVAL, nopal_scope_join(NULL, 0));
  CHECK_ERROR(EINVAL, nopal_scope_stop(NULL));
  CHECK_ERROR(EINVAL, nopal_scope_destroy(NULL));
  CHECK_ERROR(EINVAL, nopal_scope_create(NULL, NULL));
  CHECK_ERROR(EINVAL, nopal_scope_create_on(NULL, &s));
  CHECK_ERROR(0, nopal_scope_destroy(s));
}

static void joins_within_a_time_and_stops(void) {
  nopal_scope* s = NULL;
  nopal_countdown never;
  CHECK_ERROR(0, nopal_countdown_init(&never, 1));
  struct waits w = {&never, -1};
  CHECK_ERROR(0, nopal_scope_create(NULL, &s));
  CHECK_ERROR(0, nopal_scope_start(s, wait_for_signal, &w));
  CHECK_ERROR(ETIMEDOUT, nopal_scope_join(s, one_millisecond));
  CHECK_ERROR(0, nopal_scope_stop(s));
  CHECK_ERROR(0, nopal_scope_join(s, NOPAL_FOREVER));
  CHECK(w.error == ECANCELED);
  CHECK_ERROR(0, nopal_scope_destroy(s));
}

static void add_part_to(void* argument, int64_t begin, int64_t end) {
  atomic_fetch_add((atomic_int*)argument, (int)(end - begin));
}

/* What nobody steals runs to its end after a stop; a loop asks before each part. */
static void forks_after_a_stop(void* scope) {
  atomic_int n = 0;
  CHECK(!nopal_stop_requested());
  CHECK_ERROR(0, nopal_scope_stop((nopal_scope*)scope));
  CHECK(nopal_stop_requested());
  CHECK_ERROR(0, nopal_invoke(add_to, (void*)&n, add_to, (void*)&n));
  const nopal_ilet all[3] = {{add_to, (void*)&n}, {add_to, (void*)&n}, {add_to, (void*)&n}};
  CHECK_ERROR(0, nopal_invoke_all(all, 3));
  nopal_join_t j;
  CHECK_ERROR(0, nopal_fork(&j, add_to, (void*)&n));
  CHECK_ERROR(0, nopal_join(&j));
  CHECK(n == 6);
  CHECK_ERROR(ECANCELED, nopal_for(0, 10, 1, add_part_to, (void*)&n));
  CHECK(n == 6);
}

/* A thief does not begin after a stop. */
static void is_stolen_after_a_stop(void* scope) {
  CHECK_ERROR(0, nopal_scope_stop((nopal_scope*)scope));
  for (int error = 0; error == 0;) {
    atomic_int n = 0;
    nopal_join_t j;
    CHECK_ERROR(0, nopal_fork(&j, add_to, (void*)&n));
    for (volatile int i = 0; i < 10000; ++i) {
    }
    error = nopal_join(&j);
    CHECK(error == 0 || error == ECANCELED);
    CHECK(n == (error == 0 ? 1 : 0));
  }
}

static void cancels_what_has_not_begun(unsigned workers, nopal_function f) {
  nopal_options o;
  nopal_runtime* r = NULL;
  nopal_scope* s = NULL;
  CHECK_ERROR(0, nopal_options_init(&o, sizeof o));
  o.workers = workers;
  CHECK_ERROR(0, nopal_runtime_create(&o, &r));
  CHECK_ERROR(0, nopal_scope_create_on(r, &s));
  CHECK_ERROR(0, nopal_scope_start(s, f, s));
  CHECK_ERROR(0, nopal_scope_join(s, NOPAL_FOREVER));
  CHECK_ERROR(0, nopal_scope_destroy(s));
  CHECK_ERROR(0, nopal_runtime_destroy(r));
}

static void signal_last(void* c) {
  CHECK_ERROR(0, nopal_countdown_signal_and_end((nopal_countdown*)c));
}

static void counts_down(void) {
  nopal_countdown c;
  CHECK_ERROR(0, nopal_countdown_init(&c, 1));
  CHECK(!nopal_countdown_is_done(&c));
  CHECK_ERROR(ETIMEDOUT, nopal_countdown_wait(&c, one_millisecond));
  CHECK_ERROR(0, nopal_countdown_add(&c, 2));
  CHECK_ERROR(0, nopal_countdown_signal(&c, 1));
  for (int i = 0; i < 2; ++i) CHECK_ERROR(0, nopal_start(NULL, signal_last, &c, NULL));
  CHECK_ERROR(0, nopal_countdown_wait(&c, NOPAL_FOREVER));
  CHECK(nopal_countdown_is_done(&c));
  CHECK_ERROR(EINVAL, nopal_countdown_signal(&c, 1));
  CHECK_ERROR(EINVAL, nopal_countdown_signal_and_end(&c));
  CHECK_ERROR(EINVAL, nopal_countdown_signal(&c, -1));
  CHECK_ERROR(EINVAL, nopal_countdown_add(&c, -1));
  CHECK_ERROR(EINVAL, nopal_countdown_init(&c, -1));
  CHECK_ERROR(EINVAL, nopal_countdown_init(NULL, 1));
  CHECK_ERROR(EINVAL, nopal_countdown_add(NULL, 1));
  CHECK_ERROR(EINVAL, nopal_countdown_signal(NULL, 1));
  CHECK_ERROR(EINVAL, nopal_countdown_signal_and_end(NULL));
  CHECK_ERROR(EINVAL, nopal_countdown_wait(NULL, 1));
  CHECK_ERROR(0, nopal_countdown_wait(&c, NOPAL_FOREVER));
}

struct signals {
  nopal_countdown* to;
  atomic_int given;
};

static void signal_each(void* argument, int64_t begin, int64_t end) {
  struct signals* s = (struct signals*)argument;
  for (int64_t i = begin; i < end; ++i)
    if (nopal_countdown_signal(s->to, 1) == 0) atomic_fetch_add(&s->given, 1);
}

static void refuses_signals_that_nobody_counts(void) {
  nopal_countdown c;
  CHECK_ERROR(0, nopal_countdown_init(&c, 1));
  CHECK_ERROR(EINVAL, nopal_countdown_signal(&c, 5));
  CHECK_ERROR(EINVAL, nopal_countdown_signal(&c, INT64_MAX));
  CHECK(!nopal_countdown_is_done(&c));
  CHECK_ERROR(0, nopal_countdown_signal(&c, 0));
  CHECK_ERROR(0, nopal_countdown_signal(&c, 1));
  CHECK_ERROR(0, nopal_countdown_wait(&c, NOPAL_FOREVER));

  CHECK_ERROR(0, nopal_countdown_add(&c, 7));
  struct signals s = {&c, 0};
  CHECK_ERROR(0, nopal_for(0, 100, 1, signal_each, &s));
  CHECK(s.given == 7);
  CHECK_ERROR(0, nopal_countdown_wait(&c, NOPAL_FOREVER));
}

static void counts_as_far_as_it_can(void) {
  const int64_t most = INT64_MAX / 2;
  nopal_countdown c;
  CHECK_ERROR(EINVAL, nopal_countdown_init(&c, most + 1));
  CHECK_ERROR(EINVAL, nopal_countdown_init(&c, INT64_MAX));
  CHECK_ERROR(0, nopal_countdown_init(&c, most - 1));
  CHECK_ERROR(EINVAL, nopal_countdown_add(&c, 2));
  CHECK_ERROR(EINVAL, nopal_countdown_add(&c, INT64_MAX));
  CHECK_ERROR(0, nopal_countdown_add(&c, 1));
  CHECK_ERROR(EINVAL, nopal_countdown_add(&c, 1));
  CHECK_ERROR(ETIMEDOUT, nopal_countdown_wait(&c, one_millisecond));
  CHECK_ERROR(EINVAL, nopal_countdown_signal(&c, most + 1));
  CHECK_ERROR(0, nopal_countdown_signal(&c, most));
  CHECK(nopal_countdown_is_done(&c));
}

static void use_local(void* argument, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i)
    CHECK_ERROR(0, nopal_worker_local_with((nopal_worker_local*)argument, add_locally, NULL));
}

static void has_a_block_for_each_worker(void) {
  nopal_worker_local* l = NULL;
  int all = 0;
  CHECK_ERROR(0, nopal_worker_local_create(sizeof(int), &l));
  CHECK_ERROR(0, nopal_worker_local_with(l, add_locally, NULL));  // outside
  CHECK_ERROR(0, nopal_for(0, 1000, 10, use_local, l));
  CHECK_ERROR(0, nopal_worker_local_each(l, sum_up, &all));
  CHECK(all == 1001);
  CHECK_ERROR(EINVAL, nopal_worker_local_with(NULL, add_locally, NULL));
  CHECK_ERROR(EINVAL, nopal_worker_local_with(l, NULL, NULL));
  CHECK_ERROR(EINVAL, nopal_worker_local_each(NULL, sum_up, NULL));
  CHECK_ERROR(EINVAL, nopal_worker_local_each(l, NULL, NULL));
  CHECK_ERROR(0, nopal_worker_local_destroy(l));
  CHECK_ERROR(EINVAL, nopal_worker_local_destroy(NULL));
  CHECK_ERROR(EINVAL, nopal_worker_local_create(0, &l));
  CHECK_ERROR(EINVAL, nopal_worker_local_create(1, NULL));
  CHECK_ERROR(0, nopal_worker_local_create(SIZE_MAX, &l));
  CHECK_ERROR(ENOMEM, nopal_worker_local_with(l, add_locally, NULL));
  CHECK_ERROR(0, nopal_worker_local_destroy(l));
}

int main(void) {
  for (int i = 0; i < 10; ++i) {
    joins();
    joins_within_a_time_and_stops();
    cancels_what_has_not_begun(1, forks_after_a_stop);
    cancels_what_has_not_begun(2, is_stolen_after_a_stop);
    counts_down();
    refuses_signals_that_nobody_counts();
    counts_as_far_as_it_can();
    has_a_block_for_each_worker();
  }
  return 0;
}
