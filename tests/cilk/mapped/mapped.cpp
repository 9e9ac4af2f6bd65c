// SPDX-License-Identifier: Apache-2.0
// The keywords of Cilk on workers that are processes. Returns 0 if all results are right and there
// were steals.
#include <cilk/cilk.h>
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <nopal/mapped.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "check.h"

namespace {

long fib(long n) {
  if (n < 2) return n;
  long a = cilk_spawn fib(n - 1);
  long b = fib(n - 2);
  cilk_sync;
  return a + b;
}

/// A rest that is larger than a closure: a loop that spawns.
long squares(int n) {
  std::vector<long> all(static_cast<std::size_t>(n));
  const auto put = [&](int i) { all[static_cast<std::size_t>(i)] = long{i} * i; };
  for (int i = 0; i < n; ++i) cilk_spawn put(i);
  cilk_sync;
  long sum = 0;
  for (long x : all) sum += x;
  return sum;
}

struct meeting {
  std::atomic<int> missing;
  void come() {
    missing.fetch_sub(1);
    while (missing.load() != 0) sched_yield();
  }
};

void look(const int* local, meeting* m, int* seen, pid_t* process) {
  m->come();
  *seen = *local;
  *process = getpid();
}

/// Two workers at once see a local of the function that both came from.
void two_see() {
  int local = 17;
  meeting m{{2}};
  int seen[2] = {};
  pid_t process[2] = {};
  cilk_spawn look(&local, &m, &seen[0], &process[0]);
  look(&local, &m, &seen[1], &process[1]);
  cilk_sync;
  check("seen by the child", seen[0], 17);
  check("seen by the rest", seen[1], 17);
  check("one process", process[0] == process[1], 0);
}

long turns(long n) {
  std::vector<long> all(static_cast<std::size_t>(n));
#pragma cilk grainsize 4
  cilk_for (long i = 0; i < n; ++i) all[static_cast<std::size_t>(i)] = i;
  long sum = 0;
  for (long x : all) sum += x;
  return sum;
}

int throws_at(int n, int at) {
  if (n == at) throw std::runtime_error(std::to_string(n));
  if (n == 0) return 0;
  int a = cilk_spawn throws_at(n - 1, at);
  int b = throws_at(n - 1, -1);
  cilk_sync;
  return a + b;
}

std::string caught() {
  try {
    throws_at(8, 2);
  } catch (const std::runtime_error& e) {
    return e.what();
  }
  return "nothing";
}

// Reducers.

void empty(void* view) { ::new (view) std::string(); }
void append(void* left, void* right) {
  *static_cast<std::string*>(left) += *static_cast<std::string*>(right);
  static_cast<std::string*>(right)->~basic_string();
}
std::string cilk_reducer(empty, append) text;

void write_globally(int from, int n) {
  if (n == 1) {
    usleep(20);
    text += static_cast<char>('a' + from % 26);
    return;
  }
  cilk_spawn write_globally(from, n / 2);
  write_globally(from + n / 2, n - n / 2);
  cilk_sync;
}

std::string write_locally(int n) {
  std::string cilk_reducer(empty, append) local;
#pragma cilk grainsize 1
  cilk_for (int i = 0; i < n; ++i) {
    usleep(20);
    local += static_cast<char>('a' + i % 26);
  }
  return local;
}

std::string letters(int n) {
  std::string s;
  for (int i = 0; i < n; ++i) s += static_cast<char>('a' + i % 26);
  return s;
}

}  // namespace

int main() {
  nopal::mapped::runtime four({.workers = 4});
  for (int i = 0; i < 5; ++i) {
    check("fib", four.run([] { return fib(20); }), 6765);
    check("squares", four.run([] { return squares(1000); }), 332833500);
    four.run([] { two_see(); });
    check("turns", four.run([] { return turns(1000); }), 499500);
    check("caught", four.run([] { return caught() == "2"; }), 1);
    four.run([] { write_globally(0, 100); });
    check("global reducer", text == letters(100), 1);
    text = "";
    check("local reducer", four.run([] { return write_locally(100) == letters(100); }), 1);
  }
  check("no steals", four.stats().total.steals == 0, 0);
  return failures;
}
