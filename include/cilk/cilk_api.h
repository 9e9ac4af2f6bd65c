/* SPDX-License-Identifier: Apache-2.0 */
/* What a program with Cilk's keywords may ask the runtime, under the names that OpenCilk gives it.
 */
#ifndef CILK_API_H
#define CILK_API_H

#ifdef __cplusplus
extern "C" {
#endif

/** The number of workers of the runtime that the caller runs on; on a thread that is no worker, of
 * the default runtime, which this call starts. Thread-safe. */
unsigned __cilkrts_get_nworkers(void);

/** The caller's worker, from 0 to __cilkrts_get_nworkers() - 1; 0 on a thread that is no worker.
 * It may be another one after each spawn and each sync: prefer a reducer. Thread-safe. */
unsigned __cilkrts_get_worker_number(void);

/** Whether the caller is a worker. Thread-safe. */
int __cilkrts_running_on_workers(void);

#ifdef __cplusplus
}
#endif

#endif
