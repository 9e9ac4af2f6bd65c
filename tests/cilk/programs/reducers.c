// SPDX-License-Identifier: Apache-2.0
// Variables that are reducers, in C: sums, and texts, whose order matters.
#include <cilk/cilk.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef REPEATS
#define REPEATS 30
#endif

static void zero(void* view) { *(long*)view = 0; }
static void plus(void* left, void* right) { *(long*)left += *(long*)right; }

struct text {
  char* letters;
  unsigned length;
};
static void empty(void* view) { *(struct text*)view = (struct text){0}; }
static void put(struct text* t, const char* letters, unsigned length) {
  if (length == 0) return;
  t->letters = realloc(t->letters, t->length + length);
  memcpy(t->letters + t->length, letters, length);
  t->length += length;
}
static void append(void* left, void* right) {
  struct text* r = right;
  put(left, r->letters, r->length);
  free(r->letters);
}

typedef long cilk_reducer(zero, plus) sum;
typedef struct text cilk_reducer(empty, append) writing;

static sum global = 5;
extern sum declared;
sum declared;
static int wrong;
static void check(int right, int line) {
  if (right) return;
  printf("line %d\n", line);
  ++wrong;
}
#define CHECK(x) check(x, __LINE__)

static void letter(struct text* t, unsigned i) {
  const char c = (char)('a' + i % 26);
  put(t, &c, 1);
}
static int are_letters(const struct text* t, unsigned n) {
  if (t->length != n) return 0;
  for (unsigned i = 0; i < n; ++i)
    if (t->letters[i] != (char)('a' + i % 26)) return 0;
  return 1;
}

static long local_sum(unsigned n) {
  long cilk_reducer(zero, plus) total = 7;
  cilk_for (unsigned i = 0; i < n; ++i) total += i;
  return total;
}

static void ordered(unsigned n) {
  writing all = {0};
#pragma cilk grainsize 3
  cilk_for (unsigned i = 0; i < n; ++i) letter(&all, i);
  CHECK(are_letters(&all, n));
  free(all.letters);
}

static writing tree_text;
static void tree(unsigned from, unsigned n) {
  if (n == 1) {
    letter(&tree_text, from);
    return;
  }
  cilk_spawn tree(from, n / 2);
  if (n % 3 == 0)
    cilk_spawn tree(from + n / 2, 1);
  else
    tree(from + n / 2, 1);
  if (n - n / 2 > 1) tree(from + n / 2 + 1, n - n / 2 - 1);
}

static long in_order_of_blocks(unsigned n) {
  long cilk_reducer(zero, plus) outer = 0, second = 1;
  for (unsigned i = 0; i < 3; ++i) {
    long cilk_reducer(zero, plus) inner = i;
    cilk_for (unsigned k = 0; k < n; ++k) {
      inner += 1;
      if (k % 5 == 0) second++;
    }
    outer += inner;
    if (i == 1) continue;
    outer += 1;
  }
  return outer * 10000 + second;
}

static void rows(unsigned n, long* result) {
  cilk_for (unsigned i = 0; i < n; ++i) {
    long cilk_reducer(zero, plus) row = i;
    cilk_for (unsigned k = 0; k < n; ++k) row += k;
    result[i] = row;
  }
}

static void add_global(unsigned n) {
  static sum calls = 0;
  if (n == 0) {
    global += 1;
    declared += 2;
    ++calls;
    return;
  }
  cilk_spawn add_global(n - 1);
  add_global(n - 1);
  cilk_sync;
  if (n == 6) {
    CHECK(calls == 64);
    calls = 0;
  }
}

static void addresses(void) {
  long cilk_reducer(zero, plus) x = 1;
  long* view = &x;
  *view += 1;
  CHECK(x == 2 && view == __builtin_addressof(x) && sizeof x == sizeof(long));
  long copy = x, *leftmost = __builtin_addressof(x);
  CHECK(copy == 2 && leftmost == &x && (x ? x : 1) == 2);
  CHECK((int)x == 2 && -x == -2 && x++ == 2 && --x == 2 && (x -= 2) == 0);
}

static long early(unsigned n) {
  long cilk_reducer(zero, plus) x = 0;
  for (unsigned i = 0; i < n; ++i) {
    cilk_spawn tree(0, 1);
    x += 1;
    if (i == 5) {
      cilk_sync;
      return x;
    }
  }
  cilk_sync;
  return x + 100;
}

struct pair {
  int numbers[2];
};
static void zeros(void* v) { memset(v, 0, sizeof(struct pair)); }
static void plus_both(void* l, void* r) {
  for (int i = 0; i < 2; ++i) ((struct pair*)l)->numbers[i] += ((struct pair*)r)->numbers[i];
}
typedef int three[3];
static void zero_three(void* v) { memset(v, 0, sizeof(three)); }
static void plus_three(void* l, void* r) {
  for (int i = 0; i < 3; ++i) ((int*)l)[i] += ((int*)r)[i];
}

static void aggregates(int n) {
  struct pair cilk_reducer(zeros, plus_both) p = {{1, 2}};
  three cilk_reducer(zero_three, plus_three) t = {1, 2, 3};
  cilk_for (int i = 0; i < n; ++i) {
    p.numbers[i % 2] += 1;
    t[i % 3] += i;
  }
  struct pair copy = p;
  CHECK(copy.numbers[0] + copy.numbers[1] == n + 3);
  CHECK(t[0] + t[1] + t[2] == 6 + n * (n - 1) / 2);
}

/* The strand changes within a turn: so does the view. */
static void divided(unsigned n) {
  writing all = {0};
#pragma cilk grainsize 2
  cilk_for (unsigned i = 0; i < n; ++i) {
    letter(&all, 3 * i);
    cilk_spawn letter(&all, 3 * i + 1);
    letter(&all, 3 * i + 2);
  }
  CHECK(are_letters(&all, 3 * n));
  free(all.letters);
}

/* A call in a turn may be divided, but the view is the caller's again when it returns. */
static void calls_in_turns(unsigned n) {
  writing all = {0};
#pragma cilk grainsize 4
  cilk_for (unsigned i = 0; i < n; ++i) {
    letter(&all, i);
    struct text* before = &all;
    long sum_of_call = local_sum(40);
    CHECK(before == &all && sum_of_call == 7 + 39 * 20);
  }
  CHECK(are_letters(&all, n));
  free(all.letters);
}

/* Another name of the view in the same turn. */
static long another_name(unsigned n) {
  long cilk_reducer(zero, plus) x = 0;
  cilk_for (unsigned i = 0; i < n; ++i) {
    long* volatile name = &x;
    x += 1;
    *name += 2;
    x += 3;
  }
  return x;
}

int main(void) {
  for (int i = 0; i < REPEATS; ++i) {
    CHECK(local_sum(1000) == 7 + 999 * 500);
    CHECK(local_sum(100000) == 7 + 99999L * 50000);
    ordered(300);
    tree(0, 40);
    CHECK(are_letters(&tree_text, 40));
    free(tree_text.letters);
    tree_text = (struct text){0};
    CHECK(in_order_of_blocks(50) == 30000 * 0 + (150 + 3 + 2) * 10000L + 31);
    long result[20];
    rows(20, result);
    for (int k = 0; k < 20; ++k) CHECK(result[k] == 190 + k);
    add_global(6);
    CHECK(global == 5 + 64 && declared == 128);
    global = 5;
    declared = 0;
    addresses();
    CHECK(early(3) == 103 && early(10) == 6);
    CHECK(tree_text.length == 9);
    free(tree_text.letters);
    tree_text = (struct text){0};
    aggregates(1000);
    divided(60);
    calls_in_turns(60);
    CHECK(another_name(1000) == 6000);
  }
  return wrong != 0;
}
