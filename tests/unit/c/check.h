/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests in C check by: they end with a message at the first thing that is wrong. */
#ifndef NOPAL_TESTS_UNIT_C_CHECK_H
#define NOPAL_TESTS_UNIT_C_CHECK_H

#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition)                                                                      \
  do {                                                                                        \
    if (!(condition)) {                                                                       \
      fprintf(stderr, "%s:%d: %s is not true; the last error of nopal is \"%s\"\n", __FILE__, \
              __LINE__, #condition, nopal_last_error());                                      \
      exit(1);                                                                                \
    }                                                                                         \
  } while (0)

/* Checks that a call returns an error, which is 0 if it is to succeed. */
#define CHECK_ERROR(expected, call)                                                           \
  do {                                                                                        \
    const int wanted_ = (expected);                                                           \
    const int error_ = (call);                                                                \
    if (error_ != wanted_) {                                                                  \
      fprintf(stderr, "%s:%d: %s returns %d and not %d; the last error of nopal is \"%s\"\n", \
              __FILE__, __LINE__, #call, error_, wanted_, nopal_last_error());                \
      exit(1);                                                                                \
    }                                                                                         \
  } while (0)

#endif
