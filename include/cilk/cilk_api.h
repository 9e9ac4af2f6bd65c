/* SPDX-License-Identifier: Apache-2.0 */
/* What a program with Cilk's keywords may ask the runtime, under the names that OpenCilk and Cilk
 * Plus give it. */
#ifndef CILK_API_H
#define CILK_API_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What __cilkrts_set_param returns. */
enum {
  __CILKRTS_SET_PARAM_SUCCESS = 0,
  __CILKRTS_SET_PARAM_UNIMP = 1,   /**< nopal has no such parameter. */
  __CILKRTS_SET_PARAM_XRANGE = 2,  /**< The value is not allowed. */
  __CILKRTS_SET_PARAM_INVALID = 3, /**< The value is no number. */
  __CILKRTS_SET_PARAM_LATE = 4     /**< The default runtime has started. */
};

typedef void (*__cilk_identity_fn)(void* view);
typedef void (*__cilk_reduce_fn)(void* left, void* right);

#ifdef CILK_SERIAL

/* The serial elision needs no library. */
#include <stdlib.h>
static inline int __cilkrts_is_initialized(void) { return 1; }
static inline int __cilkrts_atinit(void (*callback)(void)) {
  (void)callback;
  return -1;
}
static inline int __cilkrts_atexit(void (*callback)(void)) { return atexit(callback); }
static inline unsigned __cilkrts_get_nworkers(void) { return 1; }
static inline unsigned __cilkrts_get_total_workers(void) { return 1; }
static inline unsigned __cilkrts_get_worker_number(void) { return 0; }
static inline int __cilkrts_running_on_workers(void) { return 0; }
static inline void __cilkrts_reducer_register(void* key, size_t size, __cilk_identity_fn identity,
                                              __cilk_reduce_fn reduce) {
  (void)key;
  (void)size;
  (void)identity;
  (void)reduce;
}
static inline void __cilkrts_reducer_unregister(void* key) { (void)key; }
static inline void* __cilkrts_reducer_lookup(void* key, size_t size, void* identity, void* reduce) {
  (void)size;
  (void)identity;
  (void)reduce;
  return key;
}
static inline void __cilkrts_init(void) {}
static inline void __cilkrts_end_cilk(void) {}
static inline int __cilkrts_set_param(const char* name, const char* value) {
  (void)name;
  (void)value;
  return __CILKRTS_SET_PARAM_SUCCESS;
}

#else

/** Whether the default runtime is running. Thread-safe. */
int __cilkrts_is_initialized(void);

/** Has `callback` called by the thread that starts the default runtime, before that thread forks,
 * in the order of the calls. Returns 0, or -1 if the default runtime has been started before.
 * Thread-safe. */
int __cilkrts_atinit(void (*callback)(void));

/** Has `callback` called by exit(3), before the default runtime ends if that has been started
 * before; the last one first. Returns 0, or another number if there is no memory. Thread-safe. */
int __cilkrts_atexit(void (*callback)(void));

/** The number of workers of the runtime that the caller runs on; on a thread that is no worker, of
 * the default runtime, which this call starts. Thread-safe. */
unsigned __cilkrts_get_nworkers(void);

/** The caller's worker, from 0 to __cilkrts_get_nworkers() - 1; 0 on a thread that is no worker.
 * It may be another one after each spawn and each sync: prefer a reducer. Thread-safe. */
unsigned __cilkrts_get_worker_number(void);

/** Whether the caller is a worker. Thread-safe. */
int __cilkrts_running_on_workers(void);

/** Makes the variable at `key` a reducer: see nopal/reducer/c_reducer.h. The keyword cilk_reducer
 * does this for a variable of a block. The program ends if there is no memory. */
void __cilkrts_reducer_register(void* key, size_t size, __cilk_identity_fn identity,
                                __cilk_reduce_fn reduce);

/** Makes the variable a variable again, behind a sync. */
void __cilkrts_reducer_unregister(void* key);

/** The calling strand's view of a variable that was registered with the same size and functions. It
 * is the same until the next spawn or sync. */
void* __cilkrts_reducer_lookup(void* key, size_t size, void* identity, void* reduce);

/* Of Cilk Plus. */

/** Starts the default runtime, which the first spawn does otherwise. Thread-safe. */
void __cilkrts_init(void);

/** Ends the default runtime, after all calls that it runs. The next spawn starts another one. No
 * worker may call it, since it would wait for itself; a worker's call does nothing. */
void __cilkrts_end_cilk(void);

/** Sets a parameter of the default runtime before that starts: of "nworkers" the number of workers,
 * which goes before that of NOPAL_WORKERS; 0 is the number of CPUs. Other parameters are not there.
 * Returns one of the numbers above. */
int __cilkrts_set_param(const char* name, const char* value);

/** The same as __cilkrts_get_nworkers(): nopal has no workers in reserve. */
unsigned __cilkrts_get_total_workers(void);

#endif

#ifdef __cplusplus
}
#endif

#endif
