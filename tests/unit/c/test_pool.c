// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdint.h>

#include "check.h"
#include "nopal/nopal.h"

enum { many = 2000 };

static int elements[many];

static void produce(void* pool) {
  nopal_producer* in = NULL;
  CHECK_ERROR(0, nopal_producer_create((nopal_pool*)pool, &in));
  for (int i = 0; i < many; ++i) CHECK_ERROR(0, nopal_put(in, &elements[i]));
  CHECK_ERROR(0, nopal_pool_close((nopal_pool*)pool));
  CHECK_ERROR(EPIPE, nopal_put(in, &elements[0]));
  CHECK_ERROR(0, nopal_producer_destroy(in));
}

static void consume(void* pool) {
  nopal_consumer* out = NULL;
  void* got = NULL;
  int error = 0;
  CHECK_ERROR(0, nopal_consumer_create((nopal_pool*)pool, &out));
  while ((error = nopal_get_wait(out, NOPAL_FOREVER, &got)) == 0) ++*(int*)got;
  CHECK_ERROR(EPIPE, error);
  CHECK_ERROR(0, nopal_consumer_destroy(out));
}

static void hands_over(void) {
  nopal_pool* p = NULL;
  for (int i = 0; i < many; ++i) elements[i] = 0;
  CHECK_ERROR(0, nopal_pool_create(1, 2, 64, &p));
  nopal_ilet all[3] = {{produce, p}, {consume, p}, {consume, p}};
  CHECK_ERROR(0, nopal_invoke_all(all, 3));
  for (int i = 0; i < many; ++i) CHECK(elements[i] == 1);
  CHECK_ERROR(0, nopal_pool_destroy(p));
}

static void refuses(void) {
  nopal_pool* p = NULL;
  nopal_producer* in = NULL;
  nopal_consumer* out = NULL;
  nopal_consumer* second = NULL;
  void* got = NULL;
  int x = 0;
  CHECK_ERROR(EINVAL, nopal_pool_create(0, 1, 0, &p));
  CHECK_ERROR(EINVAL, nopal_pool_create(1, 1, 0, NULL));
  CHECK_ERROR(0, nopal_pool_create(1, 1, 0, &p));
  CHECK_ERROR(EINVAL, nopal_producer_create(NULL, &in));
  CHECK_ERROR(EINVAL, nopal_producer_create(p, NULL));
  CHECK_ERROR(EINVAL, nopal_consumer_create(NULL, &out));
  CHECK_ERROR(EINVAL, nopal_consumer_create(p, NULL));
  CHECK_ERROR(0, nopal_producer_create(p, &in));
  CHECK_ERROR(0, nopal_consumer_create(p, &out));
  CHECK_ERROR(EAGAIN, nopal_consumer_create(p, &second));
  CHECK_ERROR(EBUSY, nopal_pool_destroy(p));
  CHECK_ERROR(EAGAIN, nopal_get(out, &got));
  CHECK_ERROR(ETIMEDOUT, nopal_get_wait(out, 1000000, &got));
  CHECK_ERROR(0, nopal_put(in, &x));
  CHECK_ERROR(0, nopal_put(in, NULL));
  CHECK_ERROR(0, nopal_get(out, &got));
  CHECK(got == &x || got == NULL);
  CHECK_ERROR(0, nopal_get_wait(out, NOPAL_FOREVER, &got));
  CHECK_ERROR(EINVAL, nopal_put(in, (void*)(uintptr_t)0x8000000000000001));
  CHECK_ERROR(EINVAL, nopal_put(NULL, &x));
  CHECK_ERROR(EINVAL, nopal_get(NULL, &got));
  CHECK_ERROR(EINVAL, nopal_get(out, NULL));
  CHECK_ERROR(EINVAL, nopal_get_wait(NULL, 0, &got));
  CHECK_ERROR(EINVAL, nopal_get_wait(out, 0, NULL));
  CHECK_ERROR(EINVAL, nopal_producer_destroy(NULL));
  CHECK_ERROR(EINVAL, nopal_consumer_destroy(NULL));
  CHECK_ERROR(EINVAL, nopal_pool_close(NULL));
  CHECK_ERROR(EINVAL, nopal_pool_destroy(NULL));
  CHECK_ERROR(0, nopal_producer_destroy(in));
  CHECK_ERROR(0, nopal_consumer_destroy(out));
  CHECK_ERROR(0, nopal_pool_destroy(p));
}

int main(void) {
  for (int i = 0; i < 20; ++i) hands_over();
  refuses();
  return 0;
}
