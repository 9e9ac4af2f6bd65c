/* SPDX-License-Identifier: Apache-2.0 */
/*
 * These are the reducers for C, to which compilers lower as well. See docs/reducer.md.
 *
 * A variable becomes a reducer when it is registered. Its value is then the leftmost view. A strand
 * finds its view by nopal_reducer_lookup(), and updates that. When the variable is unregistered,
 * after a join, it has the value that the serial program would have computed.
 */
#ifndef NOPAL_REDUCER_C_REDUCER_H
#define NOPAL_REDUCER_C_REDUCER_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Makes an identity in uninitialized memory of the size of the variable, aligned to 64 bytes. */
typedef void (*nopal_reducer_identity)(void* view);
/* Makes *left what left · right is, and ends *right. */
typedef void (*nopal_reducer_reduce)(void* left, void* right);

/* Neither function may use a reducer, fork, join or wait; reduce must not throw. */
struct nopal_reducer_type {
  size_t size;
  nopal_reducer_identity identity;
  nopal_reducer_reduce reduce;
};

/*
 * Makes `variable` a reducer, in the segment of the calling strand. `type` must live as long as the
 * reducer. In C++ it throws std::bad_alloc; in C the program ends if there is no memory.
 */
void nopal_reducer_register(void* variable, const struct nopal_reducer_type* type);

/*
 * Returns the view of the calling strand: the variable itself, or what the identity has made. The
 * view is the same until the next fork, join, or wait. If there is no memory, it does what
 * nopal_reducer_register() does.
 */
void* nopal_reducer_lookup(void* variable, const struct nopal_reducer_type* type);

/*
 * Makes `variable` a variable again. Everything that was forked meanwhile must have been joined;
 * otherwise the program ends with a message.
 */
void nopal_reducer_unregister(void* variable);

/*
 * Does what nopal_reducer_lookup() does, for a variable of static storage, which is not registered.
 * In the segment that the program has begun with, and on a thread that runs no strand, the view is
 * the variable itself. What strands of another thread's call have updated reaches the variable with
 * the program's own segment only, so call from the thread that runs main().
 */
void* nopal_reducer_lookup_static(void* variable, const struct nopal_reducer_type* type);

/*
 * Makes the calling thread's segment the one that the program has begun with. It precedes any
 * look-up of a variable of static storage: the compiler has the program call it before main().
 */
void nopal_reducer_begin_program(void);

#ifdef __cplusplus
}
#endif

#endif
