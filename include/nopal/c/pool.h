// SPDX-License-Identifier: Apache-2.0
// A pool of pointers between producers and consumers.
#ifndef NOPAL_C_POOL_H
#define NOPAL_C_POOL_H

#include <stddef.h>
#include <stdint.h>

#include "nopal/c/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Takes pointers from producers and hands each to one of its consumers, in no order.
/// \see nopal::pool
typedef struct nopal_pool nopal_pool;

/// A handle for putting, and one for getting. One strand or thread at a time uses a handle.
typedef struct nopal_producer nopal_producer;
typedef struct nopal_consumer nopal_consumer;

/// Makes a pool.
/// \code
/// void through_a_pool(void) {
///   nopal_pool* p = NULL;
///   nopal_producer* in = NULL;
///   nopal_consumer* out = NULL;
///   void* text = NULL;
///   if (nopal_pool_create(1, 1, 0, &p) != 0) return;
///   if (nopal_producer_create(p, &in) == 0 && nopal_consumer_create(p, &out) == 0 &&
///       nopal_put(in, "some text") == 0 && nopal_get(out, &text) == 0)
///     puts((const char*)text);
///   nopal_producer_destroy(in);
///   nopal_consumer_destroy(out);
///   nopal_pool_destroy(p);
/// }
/// \endcode
/// \param producers, consumers  how many handles of each may exist at a time, 1 to 1024.
/// \param chunk  how many pointers move from hand to hand together, 1 to 1048576; 0 means 512.
/// \returns 0; EINVAL if a number is out of range or `made` is NULL; ENOMEM.
/// Thread-safety: any thread may call it.
int nopal_pool_create(unsigned producers, unsigned consumers, uint32_t chunk, nopal_pool** made);

/// Ends a pool. What the pointers in it point to stays as it is.
/// \returns 0; EINVAL if `p` is NULL; EBUSY, with nothing done, if there are handles left.
int nopal_pool_destroy(nopal_pool* p);

/// Lets no put in any more. Consumers that wait return when all that was put has been taken.
/// \returns 0; EINVAL if `p` is NULL.
int nopal_pool_close(nopal_pool* p);

/// Makes a handle for putting.
/// \returns 0; EINVAL if a pointer is NULL; EAGAIN if as many exist as may; ENOMEM.
int nopal_producer_create(nopal_pool* p, nopal_producer** made);

/// Ends a handle.
/// \returns 0; EINVAL if `in` is NULL.
int nopal_producer_destroy(nopal_producer* in);

/// Makes a handle for getting.
/// \returns 0; EINVAL if a pointer is NULL; EAGAIN if as many exist as may; ENOMEM.
int nopal_consumer_create(nopal_pool* p, nopal_consumer** made);

/// Ends a handle.
/// \returns 0; EINVAL if `out` is NULL.
int nopal_consumer_destroy(nopal_consumer* out);

/// Puts a pointer. The pool is never full.
/// \returns 0; EPIPE if the pool is closed; ENOMEM; EINVAL if `in` is NULL, or if `element` is
/// 0x8000000000000001 or 0x8000000000000003, which no object has as its address.
int nopal_put(nopal_producer* in, void* element);

/// Gets a pointer, without waiting.
/// \returns 0; EAGAIN if the pool was empty at some moment during the call; EINVAL if a pointer is
/// NULL; ENOMEM.
int nopal_get(nopal_consumer* out, void** element);

/// Waits until there is a pointer, and gets it. The calling strand is suspended meanwhile; a thread
/// that is no worker sleeps.
/// \param within  the longest time to wait, in nanoseconds; NOPAL_FOREVER.
/// \returns 0; EPIPE if the pool is closed and empty; EINVAL if a pointer is NULL; ETIMEDOUT, or
/// ECANCELED when a stop comes to the caller's scope; ENOMEM.
int nopal_get_wait(nopal_consumer* out, int64_t within, void** element);

#ifdef __cplusplus
}
#endif

#endif
