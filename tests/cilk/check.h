/* SPDX-License-Identifier: Apache-2.0 */
/* Comparisons of the programs, in C and in C++. */
#pragma once

#include <stdio.h>

/** Comparisons that have failed since the program began. */
static int failures = 0;

static void check(const char* what, long got, long expected) {
  if (got == expected) return;
  printf("%s: %ld, expected %ld\n", what, got, expected);
  ++failures;
}
