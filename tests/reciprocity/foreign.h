/* SPDX-License-Identifier: Apache-2.0 */
/* A library of somebody else's. */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/* The sum of i * f(context, i) for i from 0 to n - 1, with a few checksums kept beside it: returns
 * -1 where one is wrong. */
long foreign_sum(long (*f)(void* context, long i), void* context, long n);

/* Calls f for every node of a complete binary tree of this depth, inner nodes after their children;
 * returns the sum. */
long foreign_tree(long (*f)(void* context, long left, long right), void* context, int depth);

#ifdef __cplusplus
}
#endif
