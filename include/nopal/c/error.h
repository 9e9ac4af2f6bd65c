// SPDX-License-Identifier: Apache-2.0
// What every function of nopal/nopal.h has in common: functions that it calls, and its errors.
#ifndef NOPAL_C_ERROR_H
#define NOPAL_C_ERROR_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A function that nopal calls, with an argument of the caller's. The memory that `argument` points
/// to is not copied.
typedef void (*nopal_function)(void* argument);

/// A function that is called n times, with a number from 0 to n - 1.
typedef void (*nopal_numbered_function)(void* argument, unsigned number);

enum {
  /// An error that no errno has: a function that was called, and is written in C++, has thrown an
  /// exception. nopal_last_error() has its text, and nopal_rethrow() throws it again.
  NOPAL_E_EXCEPTION = 4096
};

/// As a time in nanoseconds that a call may wait: for ever.
#define NOPAL_FOREVER (-INT64_C(1))

/// Says what went wrong in the last call of nopal on this thread that has failed: what happened,
/// with which value, what is allowed, and what to do. A call that succeeds leaves the text as it
/// is.
/// \code
/// nopal_runtime* r = NULL;
/// nopal_options o;
/// nopal_options_init(&o, sizeof o);
/// o.workers = 1000000;
/// if (nopal_runtime_create(&o, &r) != 0) fprintf(stderr, "%s\n", nopal_last_error());
/// \endcode
/// \returns a text, which is empty before any failure. It is good until the next call of nopal that
/// fails on this thread. A strand may go on on another thread after each call that forks, joins or
/// waits, so it asks at once.
/// Thread-safety: each thread has its own text.
/// Complexity: a call and some loads.
const char* nopal_last_error(void);

#ifdef __cplusplus
}

/// For C++ alone: throws what `error`, which the last failing call on this thread has returned,
/// stands for: the very exception that a function has thrown, or the one that nopal::runtime and
/// its like throw. Otherwise a std::system_error. Returns if `error` is 0.
void nopal_rethrow(int error);
#endif

#endif
