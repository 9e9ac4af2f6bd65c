// SPDX-License-Identifier: Apache-2.0
// Claims: workers that are set apart. OctoPOS's invade, infect and retreat.
#ifndef NOPAL_C_CLAIM_H
#define NOPAL_C_CLAIM_H

#include <stddef.h>

#include "nopal/c/countdown.h"
#include "nopal/c/error.h"
#include "nopal/c/fork.h"
#include "nopal/c/runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Workers of a runtime that run what is given to the claim and nothing else. As an argument NULL
/// means, if nothing else is said, where the caller runs: its claim, or its runtime if it is in
/// none, or the default runtime if it is no worker. \see nopal::claim
typedef struct nopal_claim nopal_claim;

/// Which workers a claim is to have. Later versions may add fields at the end.
typedef struct nopal_claim_options {
  size_t size;           ///< sizeof(nopal_claim_options); nopal_claim_options_init() sets it.
  unsigned at_least;     ///< The claim is refused if fewer workers are free. At least 1.
  unsigned at_most;      ///< The claim gets as many as are free, up to this number.
  int package;           ///< If not -1: only workers whose CPU is in this package, from 0.
  int numa_node;         ///< If not -1: only workers whose CPU is at this NUMA node, from 0.
  const unsigned* cpus;  ///< If not NULL: only workers whose CPU, as the system counts, is here.
  size_t cpu_count;      ///< The length of `cpus`.
} nopal_claim_options;

/// Sets the fields of `o` so that a claim gets all workers that are free, of any place.
/// \code
/// nopal_claim_options o;
/// nopal_claim_options_init(&o, sizeof o);
/// o.at_least = 2;
/// o.numa_node = 0;
/// \endcode
/// \param size  sizeof(nopal_claim_options), as the program was compiled.
/// \returns 0; EINVAL if `o` is NULL or `size` is none that a version had.
/// Thread-safety: any thread may call it.
int nopal_claim_options_init(nopal_claim_options* o, size_t size);

/// Invades workers of `r`: takes them out of the runtime, for a claim of their own. They arrive
/// when what they run has ended. One worker stays in the runtime always.
/// \code
/// void work(void* argument) { (void)argument; }
///
/// void work_in_a_claim(nopal_runtime* r) {
///   nopal_claim* c = NULL;
///   if (nopal_invade(r, NULL, &c) != 0) return;
///   nopal_claim_run(c, work, NULL);
///   nopal_retreat(c);
/// }
/// \endcode
/// \param o  NULL: all that are free, at least one.
/// \returns 0; EINVAL if an option is out of range, or if `made` is NULL; EBUSY if too few workers
/// are free there; EPERM in a claim of the same runtime, since claims are not nested; ECHILD in a
/// child of fork(2); ENOMEM; also what nopal_run() returns if the default runtime is meant and
/// cannot start.
/// Thread-safety: any thread may call it.
/// Source: Schmaus 2015, section 2.4.3.1.
int nopal_invade(nopal_runtime* r, const nopal_claim_options* o, nopal_claim** made);

/// Invades `n` more workers, of the same place.
/// \returns 0; EINVAL if `c` is NULL; EBUSY if fewer are free; ECHILD.
int nopal_invade_more(nopal_claim* c, unsigned n);

/// Retreats from `n` workers. Each goes back when what it runs has ended.
/// \returns 0; EINVAL if `c` is NULL, or if no worker would stay; ECHILD.
int nopal_retreat_from(nopal_claim* c, unsigned n);

/// Retreats from all workers, and ends the claim: waits for all its work in flight first.
/// \returns 0; EINVAL if `c` is NULL; EDEADLK, with nothing done, if a worker of the claim calls
/// it. A function for which a strand of the claim waits in nopal_run(), on other workers, must not
/// call it either: that is not seen, and waits for ever.
int nopal_retreat(nopal_claim* c);

/// Returns the claim that the caller runs in, or NULL if it is in none: then it runs in a runtime,
/// or on a thread that is no worker. A claim that C++ has made has no handle here. This is
/// get_claim() of Schmaus 2015, section 3.2.2.
nopal_claim* nopal_current_claim(void);

/// Puts the number of workers that are promised to `c`, which is not NULL, into `n`.
/// \returns 0; EINVAL if a pointer is NULL; ECHILD.
int nopal_claim_workers(const nopal_claim* c, unsigned* n);

/// Runs f(argument) in `c`, which is not NULL, and waits for it. On a worker of `c` this is a plain
/// call.
/// \returns as nopal_run(); EINVAL also if `c` is NULL.
int nopal_claim_run(nopal_claim* c, nopal_function f, void* argument);

/// Starts an i-let: has a worker of `c` run f(argument), and goes on. Nobody joins it;
/// nopal_retreat() and nopal_runtime_destroy() wait for it.
/// \param done  if not NULL: it gets a signal when the i-let has ended, as its last act. The caller
/// has counted that signal.
/// \returns 0; EINVAL if `f` is NULL; ENOMEM or ECHILD, and nothing is started; if `c` is NULL on a
/// thread that is no worker, also what nopal_run() returns if the default runtime cannot start. An
/// exception of f, which nobody could get, ends the program with a message.
int nopal_start(nopal_claim* c, nopal_function f, void* argument, nopal_countdown* done);

/// Infects `c` with a team of `n` i-lets, which are copied: starts each of them.
/// \code
/// void part(void* argument) { (void)argument; }
///
/// void two_parts(nopal_claim* c) {
///   nopal_ilet team[2] = {{part, NULL}, {part, NULL}};
///   nopal_countdown done;
///   nopal_countdown_init(&done, 2);
///   if (nopal_infect(c, team, 2, &done) == 0) nopal_countdown_wait(&done, NOPAL_FOREVER);
/// }
/// \endcode
/// \param done  if not NULL: it gets a signal for each i-let that has ended.
/// \returns 0; EINVAL if `team` is NULL and `n` is not 0, or if a function is NULL; ENOMEM or
/// ECHILD; also what nopal_run() returns if the default runtime is meant and cannot start. After an
/// error nothing is started.
/// Thread-safety: any thread may call it.
/// Source: Schmaus 2015, section 2.4.3.2.
int nopal_infect(nopal_claim* c, const nopal_ilet* team, unsigned n, nopal_countdown* done);

/// Infects `c` with a team of `n` that has one function: starts f(argument, 0) to
/// f(argument, n - 1).
/// \returns as nopal_infect().
int nopal_infect_with(nopal_claim* c, unsigned n, nopal_numbered_function f, void* argument,
                      nopal_countdown* done);

/// Puts the counts since the claim was made into the first `size` bytes of `s`.
/// \returns as nopal_runtime_statistics().
int nopal_claim_statistics(const nopal_claim* c, nopal_statistics* s, size_t size);

#ifdef __cplusplus
}
#endif

#endif
