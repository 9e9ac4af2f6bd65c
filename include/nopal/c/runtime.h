// SPDX-License-Identifier: Apache-2.0
// Runtimes: workers, and what runs on them.
#ifndef NOPAL_C_RUNTIME_H
#define NOPAL_C_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nopal/c/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A set of workers. As an argument NULL means, if nothing else is said, the runtime that the
/// caller runs on; on a thread that is no worker it is the default runtime, which starts at its
/// first use and is set up by the environment.
typedef struct nopal_runtime nopal_runtime;

/// What workers do when they find no work. \see nopal::idle_policy
enum { NOPAL_IDLE_LAZY = 0, NOPAL_IDLE_BUSY = 1 };

/// When stale pages of stacks go back to the system. \see nopal::reclaim_policy
enum {
  NOPAL_RECLAIM_NONE = 0,
  NOPAL_RECLAIM_FREE = 1,
  NOPAL_RECLAIM_DONTNEED = 2,
  NOPAL_RECLAIM_ADAPTIVE = 3
};

/// How a runtime is set up. The fields are those of nopal::options. Later versions of nopal may add
/// fields at the end; `size` says which of them the program knows.
typedef struct nopal_options {
  size_t size;              ///< sizeof(nopal_options); nopal_options_init() sets it.
  size_t stack_bytes;       ///< Virtual size of a strand's stack in bytes, 16 KiB to 1 GiB.
  uint64_t seed;            ///< Seed of victim selection; 0 draws one.
  unsigned workers;         ///< 1 to 1024; 0: one for each CPU that this process may use.
  int idle;                 ///< NOPAL_IDLE_LAZY or NOPAL_IDLE_BUSY.
  int reclaim;              ///< One of NOPAL_RECLAIM_...
  bool pin;                 ///< Whether each worker is bound to one CPU.
  bool caller_works;        ///< Whether a thread that is no worker runs its own call.
  unsigned char unused[2];  ///< 0; for later versions.
} nopal_options;

/// Counts of one worker, or summed over all. Later versions may add some at the end.
/// \see nopal::counts
typedef struct nopal_counts {
  uint64_t forks;  ///< 0 unless the library was built with NOPAL_COUNT_FORKS.
  uint64_t spawns;
  uint64_t steals;
  uint64_t failed_steals;
  uint64_t suspensions;
  uint64_t foreign_resumptions;
  uint64_t sent_home;
  uint64_t stack_switches;
  uint64_t stacks_mapped;
  uint64_t stacks_stolen;
  uint64_t unmaps;
  uint64_t pages_given_back;
  uint64_t sleeps;
  uint64_t wake_ups;
} nopal_counts;

/// A snapshot of a runtime or a claim. \see nopal::statistics
typedef struct nopal_statistics {
  uint64_t stacks_in_use;
  uint64_t peak_stacks_in_use;
  uint64_t unpinned;
  bool asymmetric_fences;
  unsigned char unused[7];  ///< 0; for later versions.
  uint64_t more_unused[4];  ///< Likewise.
  nopal_counts total;       ///< The last one, so that it can grow.
} nopal_statistics;

/// Sets the fields of `o` to the defaults, overridden by what the environment sets (NOPAL_WORKERS
/// and others).
/// \code
/// nopal_options o;
/// nopal_options_init(&o, sizeof o);
/// o.workers = 4;
/// \endcode
/// \param size  sizeof(nopal_options), as the program was compiled.
/// \returns 0; EINVAL if `o` is NULL, if `size` is none that a version had, or if a variable of the
/// environment has a value that is not allowed.
/// Thread-safety: any thread may call it.
int nopal_options_init(nopal_options* o, size_t size);

/// Starts a runtime.
/// \code
/// nopal_runtime* r = NULL;
/// if (nopal_runtime_create(NULL, &r) == 0) nopal_runtime_destroy(r);
/// \endcode
/// \param o  NULL: as the environment says.
/// \param made  where the runtime is put. It is not written in case of an error.
/// \returns 0; EINVAL if an option is out of range, ENOMEM, or EAGAIN if a thread cannot be
/// started.
/// Thread-safety: any thread may call it.
int nopal_runtime_create(const nopal_options* o, nopal_runtime** made);

/// Waits for all work in flight, and ends the workers. All claims and scopes of the runtime have
/// been destroyed before.
/// \returns 0; EINVAL if `r` is NULL; EDEADLK, with nothing done, if one of its own workers calls
/// it; EBUSY, with nothing done, if a claim of it lives.
int nopal_runtime_destroy(nopal_runtime* r);

/// Runs f(argument) on the workers of `r`, and waits for it. On a worker of `r` this is a plain
/// call; so it is on a worker of any runtime, if `r` is NULL.
/// \code
/// void say(void* text) { puts((const char*)text); }
///
/// int say_hello(void) { return nopal_run(NULL, say, "hello"); }
/// \endcode
/// \returns 0; EINVAL if `f` is NULL; NOPAL_E_EXCEPTION if f throws; ECHILD in a child of fork(2),
/// which does not have the workers of `r`. If the default runtime cannot start: EINVAL if a
/// variable of the environment (NOPAL_WORKERS and others) has a value that is not allowed, EAGAIN
/// if a thread cannot be started, ENOMEM.
/// Thread-safety: any thread may call it.
int nopal_run(nopal_runtime* r, nopal_function f, void* argument);

/// Puts the number of workers of `r` into `n`. If `r` is NULL and the caller is no worker, this
/// does not start the default runtime.
/// \returns 0; EINVAL if `n` is NULL, or as nopal_options_init().
int nopal_workers(const nopal_runtime* r, unsigned* n);

/// Puts the index of the calling worker, which is below nopal_workers(), into `index`. A strand may
/// be on another worker after each fork, join and wait.
/// \returns 0; ESRCH if the caller is no worker; EINVAL if `index` is NULL.
int nopal_current_worker(unsigned* index);

/// Puts the counts since the start of `r`, which is not NULL, into the first `size` bytes of `s`.
/// \code
/// nopal_runtime* r = NULL;
/// nopal_statistics s;
/// if (nopal_runtime_create(NULL, &r) == 0) {
///   nopal_runtime_statistics(r, &s, sizeof s);
///   printf("%llu steals\n", (unsigned long long)s.total.steals);
///   nopal_runtime_destroy(r);
/// }
/// \endcode
/// \param size  sizeof(nopal_statistics), as the program was compiled.
/// \returns 0; EINVAL if a pointer is NULL or `size` is none that a version had; ENOMEM.
/// Thread-safety: any thread may call it.
int nopal_runtime_statistics(const nopal_runtime* r, nopal_statistics* s, size_t size);

/// Does the same for one worker of `r`.
/// \returns also EINVAL if there is no worker `index`.
int nopal_worker_counts(const nopal_runtime* r, unsigned index, nopal_counts* c, size_t size);

/// Whether a stop has come to what the caller is a part of: to the nopal_scope around it, see
/// nopal_scope_stop(), or to a nopal::with_stop of C++.
bool nopal_stop_requested(void);

#ifdef __cplusplus
}
#endif

#endif
