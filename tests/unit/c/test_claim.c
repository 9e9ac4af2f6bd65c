// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE  // sched_getcpu
#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#include "check.h"
#include "nopal/nopal.h"

static void add_to(void* argument) { atomic_fetch_add((atomic_int*)argument, 1); }

static void add_number_to(void* argument, unsigned number) {
  atomic_fetch_add((atomic_int*)argument, (int)number);
}

static void is_in_claim(void* claim) {
  CHECK(nopal_current_claim() == (nopal_claim*)claim);
  nopal_claim* nested = NULL;
  CHECK_ERROR(EPERM, nopal_invade(NULL, NULL, &nested));
  CHECK_ERROR(EDEADLK, nopal_retreat((nopal_claim*)claim));
  atomic_int n = 0;
  nopal_countdown done;
  CHECK_ERROR(0, nopal_countdown_init(&done, 1));
  CHECK_ERROR(0, nopal_start(NULL, add_to, (void*)&n, &done));  // here, in the claim
  CHECK_ERROR(0, nopal_countdown_wait(&done, NOPAL_FOREVER));
  CHECK(n == 1);
}

static void is_in_no_claim(void* argument) {
  (void)argument;
  CHECK(nopal_current_claim() == NULL);
}

static void is_in_a_claim(void* argument) {
  (void)argument;
  CHECK(nopal_current_claim() != NULL);
}

static void infects(nopal_runtime* r) {
  nopal_claim* c = NULL;
  nopal_claim_options o;
  CHECK_ERROR(0, nopal_claim_options_init(&o, sizeof o));
  o.at_least = 2;
  o.at_most = 2;
  CHECK_ERROR(0, nopal_invade(r, &o, &c));
  unsigned n = 0;
  CHECK_ERROR(0, nopal_claim_workers(c, &n));
  CHECK(n == 2);
  CHECK_ERROR(0, nopal_claim_run(c, is_in_claim, c));
  CHECK_ERROR(0, nopal_run(r, is_in_no_claim, NULL));
  CHECK(nopal_current_claim() == NULL);

  atomic_int sum = 0;
  nopal_ilet team[3] = {{add_to, (void*)&sum}, {add_to, (void*)&sum}, {add_to, (void*)&sum}};
  nopal_countdown done;
  CHECK_ERROR(0, nopal_countdown_init(&done, 3));
  CHECK_ERROR(0, nopal_infect(c, team, 3, &done));
  memset(team, 0, sizeof team);  // they have been copied
  CHECK_ERROR(0, nopal_countdown_wait(&done, NOPAL_FOREVER));
  CHECK(sum == 3);
  CHECK_ERROR(0, nopal_countdown_add(&done, 5));
  CHECK_ERROR(0, nopal_infect_with(c, 5, add_number_to, (void*)&sum, &done));
  CHECK_ERROR(0, nopal_countdown_wait(&done, NOPAL_FOREVER));
  CHECK(sum == 13);
  CHECK_ERROR(0, nopal_infect(c, NULL, 0, NULL));

  CHECK_ERROR(0, nopal_invade_more(c, 1));
  CHECK_ERROR(EBUSY, nopal_invade_more(c, 1));
  CHECK_ERROR(0, nopal_retreat_from(c, 2));
  CHECK_ERROR(EINVAL, nopal_retreat_from(c, 1));
  nopal_scope* s = NULL;
  CHECK_ERROR(0, nopal_scope_create(c, &s));
  CHECK_ERROR(0, nopal_scope_start(s, is_in_claim, c));
  CHECK_ERROR(0, nopal_scope_join(s, NOPAL_FOREVER));
  CHECK_ERROR(0, nopal_scope_destroy(s));
  nopal_statistics counts;
  CHECK_ERROR(0, nopal_claim_statistics(c, &counts, sizeof counts));
  CHECK(counts.total.stack_switches > 0);

  CHECK_ERROR(EINVAL, nopal_infect(c, NULL, 1, NULL));
  CHECK_ERROR(EINVAL, nopal_infect(c, team, 1, NULL));
  CHECK_ERROR(EINVAL, nopal_infect_with(c, 1, NULL, NULL, NULL));
  CHECK_ERROR(EINVAL, nopal_start(c, NULL, NULL, NULL));
  CHECK_ERROR(EINVAL, nopal_claim_run(c, NULL, NULL));
  CHECK_ERROR(EINVAL, nopal_claim_run(NULL, add_to, NULL));
  CHECK_ERROR(EINVAL, nopal_claim_workers(NULL, &n));
  CHECK_ERROR(EINVAL, nopal_claim_workers(c, NULL));
  CHECK_ERROR(EINVAL, nopal_claim_statistics(NULL, &counts, sizeof counts));
  CHECK_ERROR(EINVAL, nopal_claim_statistics(c, NULL, sizeof counts));
  CHECK_ERROR(EINVAL, nopal_claim_statistics(c, &counts, 0));
  CHECK_ERROR(0, nopal_retreat(c));
}

static void refuses(nopal_runtime* r) {
  nopal_claim* c = NULL;
  nopal_claim_options o;
  CHECK_ERROR(EINVAL, nopal_claim_options_init(NULL, sizeof o));
  CHECK_ERROR(EINVAL, nopal_claim_options_init(&o, 1));
  CHECK_ERROR(0, nopal_claim_options_init(&o, sizeof o));
  CHECK_ERROR(EINVAL, nopal_invade(r, &o, NULL));
  CHECK_ERROR(EINVAL, nopal_retreat(NULL));
  CHECK_ERROR(EINVAL, nopal_retreat_from(NULL, 1));
  CHECK_ERROR(EINVAL, nopal_invade_more(NULL, 1));
  o.at_least = 0;
  CHECK_ERROR(EINVAL, nopal_invade(r, &o, &c));
  o.at_least = 4;
  CHECK_ERROR(EBUSY, nopal_invade(r, &o, &c));
  CHECK(strstr(nopal_last_error(), "4 workers are claimed") != NULL);
  CHECK_ERROR(0, nopal_claim_options_init(&o, sizeof o));
  o.package = -7;
  CHECK_ERROR(EINVAL, nopal_invade(r, &o, &c));
  CHECK_ERROR(0, nopal_claim_options_init(&o, sizeof o));
  o.numa_node = -2;
  CHECK_ERROR(EINVAL, nopal_invade(r, &o, &c));
  CHECK_ERROR(0, nopal_claim_options_init(&o, sizeof o));
  o.cpu_count = 1;
  CHECK_ERROR(EINVAL, nopal_invade(r, &o, &c));
  CHECK_ERROR(0, nopal_claim_options_init(&o, sizeof o));
  o.package = 77;
  CHECK_ERROR(EINVAL, nopal_invade(r, &o, &c));
  CHECK(strstr(nopal_last_error(), "package has 77") != NULL);
  CHECK_ERROR(0, nopal_claim_options_init(&o, sizeof o));
  o.numa_node = 99;
  CHECK_ERROR(EINVAL, nopal_invade(r, &o, &c));
  CHECK(strstr(nopal_last_error(), "numa_node has 99") != NULL);
  const unsigned cpus[1] = {88888};
  CHECK_ERROR(0, nopal_claim_options_init(&o, sizeof o));
  o.cpus = cpus;
  CHECK_ERROR(EINVAL, nopal_invade(r, &o, &c));
  o.cpu_count = 1;
  CHECK_ERROR(EINVAL, nopal_invade(r, &o, &c));
  o.size = 0;
  CHECK_ERROR(EINVAL, nopal_invade(r, &o, &c));
  CHECK(c == NULL);
}

static void is_on_cpu(void* cpu) { CHECK(sched_getcpu() == (int)*(unsigned*)cpu); }

/* Returns the first number of where workers are, after a claim of a place without any. */
static unsigned known_place(nopal_runtime* r, const nopal_claim_options* nowhere) {
  nopal_claim* c = NULL;
  CHECK_ERROR(EINVAL, nopal_invade(r, nowhere, &c));
  const char* const known = strstr(nopal_last_error(), "they are at ");
  CHECK(known != NULL);
  return (unsigned)strtoul(known + strlen("they are at "), NULL, 10);
}

static void invades_place(nopal_runtime* r, const nopal_claim_options* o, nopal_function f,
                          void* argument) {
  nopal_claim* c = NULL;
  CHECK_ERROR(0, nopal_invade(r, o, &c));
  unsigned n = 0;
  CHECK_ERROR(0, nopal_claim_workers(c, &n));
  CHECK(n == 1);
  for (int i = 0; i < 20; ++i) {
    CHECK_ERROR(0, nopal_claim_run(c, is_in_claim, c));
    CHECK_ERROR(0, nopal_claim_run(c, f, argument));
  }
  CHECK_ERROR(0, nopal_retreat(c));
}

static void invades_places(void) {
  nopal_options o;
  nopal_runtime* r = NULL;
  CHECK_ERROR(0, nopal_options_init(&o, sizeof o));
  o.workers = 3;
  o.pin = true;
  CHECK_ERROR(0, nopal_runtime_create(&o, &r));
  nopal_statistics counts;
  CHECK_ERROR(0, nopal_runtime_statistics(r, &counts, sizeof counts));
  nopal_claim_options place;
  CHECK_ERROR(0, nopal_claim_options_init(&place, sizeof place));
  place.at_most = 1;
  unsigned cpu = 88888;
  place.cpus = &cpu;
  place.cpu_count = 1;
  cpu = known_place(r, &place);
  // A system that refuses to bind threads leaves them where it likes.
  invades_place(r, &place, counts.unpinned == 0 ? is_on_cpu : is_in_a_claim, &cpu);
  place.cpus = NULL;
  place.cpu_count = 0;
  place.package = 8888;
  place.package = (int)known_place(r, &place);
  invades_place(r, &place, is_in_a_claim, NULL);
  place.package = -1;
  place.numa_node = 8888;
  place.numa_node = (int)known_place(r, &place);
  invades_place(r, &place, is_in_a_claim, NULL);
  CHECK_ERROR(0, nopal_runtime_destroy(r));
}

int main(void) {
  invades_places();
  nopal_options o;
  nopal_runtime* r = NULL;
  CHECK_ERROR(0, nopal_options_init(&o, sizeof o));
  o.workers = 4;
  CHECK_ERROR(0, nopal_runtime_create(&o, &r));
  for (int i = 0; i < 20; ++i) infects(r);
  refuses(r);
  nopal_claim* c = NULL;
  CHECK_ERROR(0, nopal_invade(r, NULL, &c));
  CHECK_ERROR(EBUSY, nopal_runtime_destroy(r));
  CHECK_ERROR(0, nopal_claim_run(c, is_in_claim, c));  // both go on
  CHECK_ERROR(0, nopal_run(r, is_in_no_claim, NULL));
  CHECK_ERROR(0, nopal_retreat(c));
  CHECK_ERROR(0, nopal_runtime_destroy(r));
  return 0;
}
