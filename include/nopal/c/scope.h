// SPDX-License-Identifier: Apache-2.0
// Scopes: functions that run beside the one that starts them, until somebody joins them all.
#ifndef NOPAL_C_SCOPE_H
#define NOPAL_C_SCOPE_H

#include <stdint.h>

#include "nopal/c/error.h"
#include "nopal/c/runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

struct nopal_claim;

/// Functions that run beside the one that starts them. Any thread may start functions in it, one at
/// a time joins, and the destruction comes last. \see nopal::task_scope
typedef struct nopal_scope nopal_scope;

/// Makes a scope. Its functions run on the workers of `in`, a claim; if that is NULL, where the
/// caller runs, in a claim or a runtime; if the caller is no worker, on the default runtime.
/// \code
/// void hello(void* text) { puts((const char*)text); }
///
/// void say_twice(void) {
///   nopal_scope* s = NULL;
///   if (nopal_scope_create(NULL, &s) != 0) return;
///   nopal_scope_start(s, hello, "once");
///   nopal_scope_start(s, hello, "twice");
///   nopal_scope_join(s, NOPAL_FOREVER);
///   nopal_scope_destroy(s);
/// }
/// \endcode
/// \returns 0; EINVAL if `made` is NULL; ENOMEM; ECHILD in a child of fork(2); also what
/// nopal_run() returns if the default runtime is meant and cannot start.
/// Thread-safety: any thread may call it.
/// Source: i-lets, Schmaus 2015, section 2.4.
int nopal_scope_create(struct nopal_claim* in, nopal_scope** made);

/// Makes a scope whose functions run on the workers of `r`, which lives longer than the scope.
/// \returns as nopal_scope_create(); EINVAL also if `r` is NULL.
int nopal_scope_create_on(nopal_runtime* r, nopal_scope** made);

/// Has a worker run f(argument), and goes on.
/// \returns 0; EINVAL if `s` or `f` is NULL; ENOMEM or ECHILD, and nothing is started.
int nopal_scope_start(nopal_scope* s, nopal_function f, void* argument);

/// Does the same, with a hint: f is to run on the worker `index`, if that is free soon.
/// \returns also EINVAL if there is no worker `index`.
int nopal_scope_start_near(nopal_scope* s, unsigned index, nopal_function f, void* argument);

/// Starts f(argument, 0) to f(argument, n - 1), each as a function of its own: on `n` workers, if
/// that many are free.
/// \returns as nopal_scope_start(); ENOMEM may come when some are started, which are joined as all
/// others.
int nopal_scope_start_many(nopal_scope* s, unsigned n, nopal_numbered_function f, void* argument);

/// Asks all functions of the scope, and what they have forked, to stop: nopal_stop_requested() is
/// true there, and calls that wait return ECANCELED. Functions that have not begun run all the
/// same.
/// \returns 0; EINVAL if `s` is NULL.
int nopal_scope_stop(nopal_scope* s);

/// Returns when all functions have ended. The calling strand is suspended meanwhile; a thread that
/// is no worker sleeps. Afterwards the scope may be used again. A function that joins its own scope
/// waits for itself.
/// \param within  the longest time to wait, in nanoseconds; NOPAL_FOREVER.
/// \returns 0; EINVAL if `s` is NULL; NOPAL_E_EXCEPTION if a function has thrown, and the exception
/// is that of the first; ETIMEDOUT, or ECANCELED when a stop comes to the caller's scope: then the
/// functions run on, and the scope is as if nobody had joined it.
int nopal_scope_join(nopal_scope* s, int64_t within);

/// Asks all functions to stop, waits for them, and ends the scope.
/// \returns 0; EINVAL if `s` is NULL.
int nopal_scope_destroy(nopal_scope* s);

#ifdef __cplusplus
}
#endif

#endif
