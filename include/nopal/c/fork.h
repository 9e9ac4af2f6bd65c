// SPDX-License-Identifier: Apache-2.0
// Forks and joins: what a function begins and waits for itself.
#ifndef NOPAL_C_FORK_H
#define NOPAL_C_FORK_H

#include <stdalign.h>
#include <stddef.h>
#include <stdint.h>

#include "nopal/c/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A function and its argument: an i-let, as OctoPOS calls it.
typedef struct nopal_ilet {
  nopal_function function;
  void* argument;
} nopal_ilet;

/// A child that is forked and not joined yet. It lies on the stack of the function that forks, and
/// is not initialized before: zeros would cost more than the fork.
typedef struct nopal_join_t {
  // The bytes are nopal's own.
  alignas(16) uint64_t bytes[16];
} nopal_join_t;

/// Calls f(a) and g(b), perhaps at the same time, and returns when both have ended. On one worker
/// they run in this order, and a call whose g nobody steals costs about as much as two calls.
/// \code
/// struct number {
///   int n;
///   long value;
/// };
///
/// void fib(void* argument) {
///   struct number* x = (struct number*)argument;
///   if (x->n < 2) {
///     x->value = x->n;
///     return;
///   }
///   struct number a = {x->n - 1, 0}, b = {x->n - 2, 0};
///   nopal_invoke(fib, &a, fib, &b);
///   x->value = a.value + b.value;
/// }
/// \endcode
/// \returns 0; EINVAL if a function is NULL, with nothing called; NOPAL_E_EXCEPTION if one throws:
/// if that is f, g may not have been called; ECANCELED if a thief has taken g, and did not call it
/// because a stop had come. On a thread that is no worker also what nopal_run() returns.
///
/// Nobody else asks for a stop here: a function that is called runs to its end, and asks
/// nopal_stop_requested() itself.
/// Thread-safety: any thread may call it. The code after the call may run on another thread than
/// the code before it.
/// Complexity: O(1), no allocation.
int nopal_invoke(nopal_function f, void* a, nopal_function g, void* b);

/// Does the same for `n` functions, in this order on one worker. After ECANCELED some of them have
/// not been called.
/// \returns also EINVAL if `n` is not 0 and `all` is NULL.
/// Complexity: O(n) work, O(log n) span, no allocation.
int nopal_invoke_all(const nopal_ilet* all, size_t n);

/// Lets another worker run f(argument) beside what follows. nopal_join() waits for it; if nobody
/// has taken f until then, it runs there.
///
/// Forks and joins nest as parentheses do, and are made by one function: what was forked last is
/// joined first. Each fork has a nopal_join_t of its own, which lies there until the join.
/// \code
/// void say(void* text) { puts((const char*)text); }
///
/// void say_both(void) {
///   nopal_join_t j;
///   if (nopal_fork(&j, say, "This may run beside what follows.") != 0) return;
///   puts("This follows.");
///   nopal_join(&j);
/// }
/// \endcode
/// \param j  a new one, or one that has been joined.
/// \returns 0; EINVAL if `j` or `f` is NULL and, in a checking build, if `j` has a child that has
/// not been joined.
/// Thread-safety: any thread may call it; on a thread that is no worker f runs at the join.
/// Complexity: O(1), no allocation, no locked instruction.
/// Source: docs/c.md says why this is not the fork of a compiler's keyword.
int nopal_fork(nopal_join_t* j, nopal_function f, void* argument);

/// Returns when the child of `j` has ended. Afterwards `j` may be used again.
/// \returns 0; EINVAL if `j` is NULL, or has no child, or if what was forked after it has not been
/// joined: then nothing is done; NOPAL_E_EXCEPTION if the child has thrown; ECANCELED if a thief
/// has taken the child, and did not call it because a stop had come. A child that nobody has taken
/// is called nevertheless.
int nopal_join(nopal_join_t* j);

/// A function that runs the turns [begin, end) of a loop, one after the other.
typedef void (*nopal_loop_body)(void* argument, int64_t begin, int64_t end);

/// Calls `f` for parts of the turns [first, last), perhaps at the same time, and returns when all
/// have ended.
/// \code
/// void add_one(void* array, int64_t begin, int64_t end) {
///   for (int64_t i = begin; i < end; ++i) ((double*)array)[i] += 1;
/// }
///
/// void add_one_to_all(double* array, int64_t n) { nopal_for(0, n, 0, add_one, array); }
/// \endcode
/// \param grain  the most turns of a part. 0 means min(2048, n / 8P), at least 1, for n turns and P
/// workers.
/// \returns 0; EINVAL if `f` is NULL or `grain` is negative; nothing is called and 0 returned if
/// `last` is not above `first`; NOPAL_E_EXCEPTION if f throws: later turns may not have been run;
/// ECANCELED if a stop has come before one of the parts: that is not called, nor may be later ones.
/// On a thread that is no worker also what nopal_run() returns.
/// Thread-safety: any thread may call it.
/// Complexity: O(n / grain) calls of f.
int nopal_for(int64_t first, int64_t last, int64_t grain, nopal_loop_body f, void* argument);

#ifdef __cplusplus
}
#endif

#endif
