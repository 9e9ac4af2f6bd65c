// SPDX-License-Identifier: Apache-2.0
// Invasive computing (Schmaus 2015, section 2.4.1): a program invades workers, infects them with a
// team, and retreats. Here the team adds up parts of an array, beside the rest of the program.
#include <nopal/nopal.h>
#include <stdio.h>

enum { length = 1 << 20, most_parts = 64 };

struct sum {
  const int* array;
  unsigned parts;
  long of_part[most_parts];
};

// The member of the team with this number. It may use all workers of the claim, and no other.
static void add_part(void* argument, unsigned number) {
  struct sum* s = argument;
  const long begin = (long)length * number / s->parts;
  const long end = (long)length * (number + 1) / s->parts;
  long all = 0;
  for (long i = begin; i < end; ++i) all += s->array[i];
  s->of_part[number] = all;
}

static int fail(void) {
  fprintf(stderr, "%s\n", nopal_last_error());
  return 1;
}

int main(void) {
  static int array[length];
  for (int i = 0; i < length; ++i) array[i] = i % 10;

  nopal_options o;
  nopal_runtime* r = NULL;
  if (nopal_options_init(&o, sizeof o) != 0) return fail();
  o.workers = 4;
  if (nopal_runtime_create(&o, &r) != 0) return fail();

  // invade: at least one worker, and as many as three. With wanted.numa_node = 0 they would be
  // those near that node's memory.
  nopal_claim* claim = NULL;
  nopal_claim_options wanted;
  nopal_claim_options_init(&wanted, sizeof wanted);
  wanted.at_most = 3;
  if (nopal_invade(r, &wanted, &claim) != 0) return fail();

  // infect: a team of as many as have come.
  static struct sum s;
  s.array = array;
  nopal_claim_workers(claim, &s.parts);
  nopal_countdown done;
  nopal_countdown_init(&done, s.parts);
  if (nopal_infect_with(claim, s.parts, add_part, &s, &done) != 0) return fail();

  // The rest of the program goes on here, and then waits.
  nopal_countdown_wait(&done, NOPAL_FOREVER);

  // retreat
  if (nopal_retreat(claim) != 0 || nopal_runtime_destroy(r) != 0) return fail();
  long all = 0;
  for (unsigned i = 0; i < s.parts; ++i) all += s.of_part[i];
  long expected = 0;
  for (int i = 0; i < length; ++i) expected += array[i];
  printf("%u i-lets have added up %ld\n", s.parts, all);
  return all == expected ? 0 : 1;
}
