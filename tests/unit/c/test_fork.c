// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdatomic.h>
#include <string.h>

#include "check.h"
#include "nopal/nopal.h"

struct number {
  int n;
  long value;
};

static void fib_by_invoke(void* argument) {
  struct number* x = (struct number*)argument;
  if (x->n < 2) {
    x->value = x->n;
    return;
  }
  struct number a = {x->n - 1, 0};
  struct number b = {x->n - 2, 0};
  CHECK_ERROR(0, nopal_invoke(fib_by_invoke, &a, fib_by_invoke, &b));
  x->value = a.value + b.value;
}

static void fib_by_fork(void* argument) {
  struct number* x = (struct number*)argument;
  if (x->n < 2) {
    x->value = x->n;
    return;
  }
  struct number a = {x->n - 1, 0};
  struct number b = {x->n - 2, 0};
  nopal_join_t j;
  CHECK_ERROR(0, nopal_fork(&j, fib_by_fork, &a));
  fib_by_fork(&b);
  CHECK_ERROR(0, nopal_join(&j));
  x->value = a.value + b.value;
}

/* Two children at a time, and a join that is used again. */
static void fib_of_three(void* argument) {
  struct number* x = (struct number*)argument;
  if (x->n < 3) {
    x->value = x->n == 0 ? 0 : 1;
    return;
  }
  struct number parts[3] = {{x->n - 2, 0}, {x->n - 3, 0}, {x->n - 2, 0}};
  nopal_join_t first;
  nopal_join_t second;
  CHECK_ERROR(0, nopal_fork(&first, fib_of_three, &parts[0]));
  CHECK_ERROR(0, nopal_fork(&second, fib_of_three, &parts[1]));
  fib_of_three(&parts[2]);
  CHECK_ERROR(0, nopal_join(&second));
  CHECK_ERROR(0, nopal_join(&first));
  x->value = parts[0].value + parts[1].value + parts[2].value;
  parts[0].value = 0;
  CHECK_ERROR(0, nopal_fork(&first, fib_by_fork, &(struct number){5, 0}));
  CHECK_ERROR(0, nopal_join(&first));
}

static void computes(nopal_runtime* r) {
  for (int turn = 0; turn < 20; ++turn) {
    struct number a = {20, 0};
    struct number b = {20, 0};
    struct number c = {18, 0};
    CHECK_ERROR(0, nopal_run(r, fib_by_invoke, &a));
    CHECK_ERROR(0, nopal_run(r, fib_by_fork, &b));
    CHECK_ERROR(0, nopal_run(r, fib_of_three, &c));
    CHECK(a.value == 6765);
    CHECK(b.value == 6765);
    CHECK(c.value == 2584);
  }
}

static void nothing(void* argument) { (void)argument; }

static atomic_int began;

static void set_began(void* argument) {
  atomic_store(&began, 1);
  (void)argument;
}

/* A child that another worker has while the function goes on. */
static void waits_for_its_child(void* argument) {
  (void)argument;
  nopal_join_t j;
  atomic_store(&began, 0);
  CHECK_ERROR(0, nopal_fork(&j, set_began, NULL));
  while (!atomic_load(&began)) CHECK_ERROR(0, nopal_sleep(1000));  // suspends, and hands j over
  CHECK_ERROR(0, nopal_join(&j));
}

static void refuses_what_does_not_nest(void* argument) {
  (void)argument;
  nopal_join_t a;
  nopal_join_t b;
  CHECK_ERROR(0, nopal_fork(&a, nothing, NULL));
  CHECK_ERROR(0, nopal_join(&a));
  CHECK_ERROR(EINVAL, nopal_join(&a));
  CHECK_ERROR(EINVAL, nopal_fork(NULL, nothing, NULL));
  CHECK_ERROR(EINVAL, nopal_fork(&a, NULL, NULL));
  CHECK_ERROR(EINVAL, nopal_join(NULL));
  CHECK_ERROR(0, nopal_fork(&a, nothing, NULL));
  CHECK_ERROR(0, nopal_fork(&b, nothing, NULL));
  CHECK_ERROR(EINVAL, nopal_join(&a));  // b is to be joined first: there is one worker
  CHECK(strstr(nopal_last_error(), "first") != NULL);
  CHECK_ERROR(0, nopal_join(&b));
  CHECK_ERROR(0, nopal_join(&a));
}

static void note(void* argument) { **(int**)argument = 1; }

static void runs_in_order_on_one_worker(void* argument) {
  (void)argument;
  int called = 0;
  int* at = &called;
  nopal_join_t j;
  CHECK_ERROR(0, nopal_fork(&j, note, &at));
  CHECK(called == 0);
  CHECK_ERROR(0, nopal_join(&j));
  CHECK(called == 1);
}

static void add_to(void* argument) { atomic_fetch_add((atomic_int*)argument, 1); }

static void invokes_many(void) {
  enum { many = 1000 };
  nopal_ilet all[many];
  atomic_int n = 0;
  for (int i = 0; i < many; ++i) all[i] = (nopal_ilet){add_to, &n};
  CHECK_ERROR(0, nopal_invoke_all(all, many));
  CHECK(n == many);
  CHECK_ERROR(0, nopal_invoke_all(all, 1));
  CHECK(n == many + 1);
  CHECK_ERROR(0, nopal_invoke_all(NULL, 0));
  CHECK_ERROR(EINVAL, nopal_invoke_all(NULL, 1));
  all[many - 1].function = NULL;
  CHECK_ERROR(EINVAL, nopal_invoke_all(all, many));
  CHECK_ERROR(EINVAL, nopal_invoke(NULL, &n, add_to, &n));
  CHECK_ERROR(EINVAL, nopal_invoke(add_to, &n, NULL, &n));
  CHECK(n == many + 1);
  CHECK_ERROR(0, nopal_invoke(add_to, &n, add_to, &n));
  CHECK(n == many + 3);
}

static void add_one(void* array, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i) ((int*)array)[i + 500] += 1;
}

static void at_most_seven(void* parts, int64_t begin, int64_t end) {
  CHECK(begin < end);
  CHECK(end - begin <= 7);
  atomic_fetch_add((atomic_int*)parts, (int)(end - begin));
}

static void at_the_ends(void* parts, int64_t begin, int64_t end) {
  CHECK(begin >= INT64_MAX - 100);
  CHECK(begin < end);
  atomic_fetch_add((atomic_int*)parts, (int)(end - begin));
}

static void loops(void) {
  static int array[1000];
  atomic_int turns = 0;
  CHECK_ERROR(0, nopal_for(-500, 500, 0, add_one, array));
  for (int i = 0; i < 1000; ++i) CHECK(array[i] == 1);
  CHECK_ERROR(0, nopal_for(3, 1000, 7, at_most_seven, &turns));
  CHECK(turns == 997);
  CHECK_ERROR(0, nopal_for(INT64_MAX - 100, INT64_MAX, 3, at_the_ends, &turns));
  CHECK(turns == 1097);
  CHECK_ERROR(0, nopal_for(5, 5, 1, at_most_seven, &turns));
  CHECK_ERROR(0, nopal_for(5, -5, 1, at_most_seven, &turns));
  CHECK_ERROR(EINVAL, nopal_for(0, 5, -1, at_most_seven, &turns));
  CHECK_ERROR(EINVAL, nopal_for(0, 5, 1, NULL, &turns));
  CHECK(turns == 1097);
}

int main(void) {
  struct number x = {15, 0};
  fib_by_fork(&x);  // no worker: the children run at the joins
  CHECK(x.value == 610);
  fib_by_invoke(&x);  // the default runtime
  CHECK(x.value == 610);
  loops();
  invokes_many();
  nopal_options o;
  CHECK_ERROR(0, nopal_options_init(&o, sizeof o));
  for (unsigned workers = 1; workers <= 8; workers *= 2) {
    nopal_runtime* r = NULL;
    o.workers = workers;
    CHECK_ERROR(0, nopal_runtime_create(&o, &r));
    computes(r);
    if (workers > 1) CHECK_ERROR(0, nopal_run(r, waits_for_its_child, NULL));
    if (workers == 1) {
      o.caller_works = false;
      nopal_runtime* alone = NULL;
      CHECK_ERROR(0, nopal_runtime_create(&o, &alone));
      CHECK_ERROR(0, nopal_run(alone, refuses_what_does_not_nest, NULL));
      CHECK_ERROR(0, nopal_run(alone, runs_in_order_on_one_worker, NULL));
      CHECK_ERROR(0, nopal_runtime_destroy(alone));
      o.caller_works = true;
    }
    CHECK_ERROR(0, nopal_runtime_destroy(r));
  }
  return 0;
}
