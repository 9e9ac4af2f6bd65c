// SPDX-License-Identifier: Apache-2.0
// What a user of nopal writes first in C.
#include <nopal/nopal.h>
#include <stdio.h>

static void add_one(void* array, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i) ((int*)array)[i] += 1;
}

int main(void) {
  static int numbers[100000];
  long sum = 0;
  if (nopal_for(0, 100000, 0, add_one, numbers) != 0) {
    fprintf(stderr, "%s\n", nopal_last_error());
    return 1;
  }
  for (int i = 0; i < 100000; ++i) sum += numbers[i];
  return sum == 100000 ? 0 : 1;
}
