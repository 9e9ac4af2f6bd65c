// SPDX-License-Identifier: Apache-2.0
// Memory that each worker has for itself.
#ifndef NOPAL_C_WORKER_LOCAL_H
#define NOPAL_C_WORKER_LOCAL_H

#include <stddef.h>

#include "nopal/c/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A block of memory for each worker, which no two strands use at a time. \see nopal::worker_local
typedef struct nopal_worker_local nopal_worker_local;

/// A function that is given the block of a worker.
typedef void (*nopal_local_function)(void* block, void* argument);

/// Makes memory of `bytes` bytes for each worker. A block is made when a worker first uses it; it
/// is 0, and aligned as malloc(3) aligns, or better.
/// \code
/// void add(void* sum, void* amount) { *(long*)sum += *(const long*)amount; }
///
/// long sum_of_one(void) {
///   nopal_worker_local* sums = NULL;
///   long one = 1, all = 0;
///   if (nopal_worker_local_create(sizeof(long), &sums) != 0) return -1;
///   nopal_worker_local_with(sums, add, &one);
///   nopal_worker_local_each(sums, add, &all);
///   nopal_worker_local_destroy(sums);
///   return all;
/// }
/// \endcode
/// \returns 0; EINVAL if `bytes` is 0 or `made` is NULL; ENOMEM.
/// Thread-safety: any thread may call it.
int nopal_worker_local_create(size_t bytes, nopal_worker_local** made);

/// Calls f(block, argument) with the block of the calling worker. f must not fork, join or wait.
/// All threads that are no workers share one block, and wait for each other.
/// Any thread may call this.
/// \returns 0; EINVAL if `l` or `f` is NULL; ENOMEM; NOPAL_E_EXCEPTION if f throws.
int nopal_worker_local_with(nopal_worker_local* l, nopal_local_function f, void* argument);

/// Calls f(block, argument) for each block that there is, one after the other. Nobody else uses `l`
/// meanwhile.
/// \returns 0; EINVAL if `l` or `f` is NULL; NOPAL_E_EXCEPTION if f throws, and the rest is left
/// out.
int nopal_worker_local_each(nopal_worker_local* l, nopal_local_function f, void* argument);

/// Frees all blocks. Nobody else uses `l` meanwhile.
/// \returns 0; EINVAL if `l` is NULL.
int nopal_worker_local_destroy(nopal_worker_local* l);

#ifdef __cplusplus
}
#endif

#endif
