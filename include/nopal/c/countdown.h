// SPDX-License-Identifier: Apache-2.0
// Countdowns: one waits until a number of signals have come. The simple signal of OctoPOS.
#ifndef NOPAL_C_COUNTDOWN_H
#define NOPAL_C_COUNTDOWN_H

#include <stdbool.h>
#include <stdint.h>

#include "nopal/c/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Lets one strand or thread wait until a number of signals have come. Any number of strands and
/// threads signal. It lies where the program has it, on a stack, say, and is not copied.
/// \see nopal::countdown
typedef struct nopal_countdown {
  // The bytes are nopal's own.
  uint64_t bytes[4];
} nopal_countdown;

/// Makes a countdown of `c`, which waits for `signals` signals, and for those that
/// nopal_countdown_add() adds. It needs no end: when nobody waits for it and nobody will signal,
/// its memory may go.
/// \code
/// void compute(void* done) { nopal_countdown_signal_and_end((nopal_countdown*)done); }
///
/// void compute_elsewhere(void) {
///   nopal_countdown done;
///   nopal_countdown_init(&done, 1);
///   nopal_start(NULL, compute, &done, NULL);
///   nopal_countdown_wait(&done, NOPAL_FOREVER);
/// }
/// \endcode
/// \param signals  0 to INT64_MAX / 2.
/// \returns 0; EINVAL if `c` is NULL or `signals` is out of range.
/// Thread-safety: nobody uses `c` meanwhile.
/// Source: the simple signal of Schmaus 2015, section 2.4.3.3.
int nopal_countdown_init(nopal_countdown* c, int64_t signals);

/// Waits for `signals` more. The caller knows that nobody has gone on yet.
/// \returns 0; EINVAL, with nothing done, if `c` is NULL or `signals` is negative, or if more than
/// INT64_MAX / 2 would be to come.
int nopal_countdown_add(nopal_countdown* c, int64_t signals);

/// Gives `signals` signals. If these are the last ones, whoever waits goes on, and `c` may be gone
/// when this returns.
/// \returns 0; EINVAL, with nothing done, if `c` is NULL or `signals` is negative, or if more are
/// given than are to come. The caller knows that `c` is still there.
int nopal_countdown_signal(nopal_countdown* c, int64_t signals);

/// Gives one signal as the last act of the calling strand, when that has left its stack. If it is
/// the last signal, the strand's worker goes on with whoever waits, with no queue between. Call it
/// last: what the strand does afterwards delays the signal (Schmaus 2015, section 3.5.2).
/// \returns 0; EINVAL, with nothing done, if `c` is NULL or all signals have come already. If
/// others give the last ones until the strand has ended, a checking build ends the program.
int nopal_countdown_signal_and_end(nopal_countdown* c);

/// Returns when all signals have come. The calling strand is suspended meanwhile, and may go on on
/// another worker; a thread that is no worker sleeps. Afterwards `c` counts from 0 again.
/// \param within  the longest time to wait, in nanoseconds; NOPAL_FOREVER.
/// \returns 0; EINVAL if `c` is NULL; ETIMEDOUT when the time is over, and ECANCELED when a stop
/// comes to the caller's scope: `c` counts on as if nobody had waited.
/// One at a time waits; a second one ends the program with a message.
int nopal_countdown_wait(nopal_countdown* c, int64_t within);

/// Whether all signals have come. If so, what was done before them is seen. `c` is not NULL.
bool nopal_countdown_is_done(const nopal_countdown* c);

#ifdef __cplusplus
}
#endif

#endif
