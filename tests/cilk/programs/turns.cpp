// SPDX-License-Identifier: Apache-2.0
// Exceptions, objects and iterators where a loop spawns.
#include <cilk/cilk.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <vector>

#include "check.h"
#include "counted.hpp"

namespace {

long work_or_fail(long n, long failing) {
  const counted here;
  work(n * 37 % 50);
  if (n == failing) throw std::runtime_error(std::to_string(n));
  return n;
}
long text_of(const std::string& text, long failing) {
  return work_or_fail(static_cast<long>(text.size()), failing);
}

long sum_of(const std::vector<long>& v) {
  long sum = 0;
  for (const long x : v) sum += x;
  return sum;
}

/// The spawned call of turn i throws i, the body after it i + 100, and the end 1000.
long turns(long n, long spawned, long body, long end) {
  const counted around;
  std::vector<long> v(static_cast<std::size_t>(n));
  cilk_scope {
    for (long i = 0; i < n; ++i) {
      v[static_cast<std::size_t>(i)] = cilk_spawn work_or_fail(i, spawned);
      work_or_fail(i + 100, body);
    }
    work_or_fail(1000, end);
  }
  return sum_of(v);
}

/// With temporaries of the statement.
long temporaries(long n, long failing) {
  std::vector<long> v(static_cast<std::size_t>(n));
  for (long i = 0; i < n; ++i)
    v[static_cast<std::size_t>(i)] =
        cilk_spawn text_of(std::string(static_cast<std::size_t>(i + 20), 'x'), failing);
  cilk_sync;
  return sum_of(v);
}

/// With objects that each turn makes and destroys.
long objects(long n, long failing) {
  std::vector<long> v;
  v.reserve(static_cast<std::size_t>(n));
  for (long i = 0; i < n; ++i) {
    const counted here;
    const std::string text(static_cast<std::size_t>(i + 30), 'y');
    v.push_back(0);
    long& to = v.back();
    to = cilk_spawn work_or_fail(static_cast<long>(text.size()), failing);
    work(static_cast<long>(text.size()));
  }
  cilk_sync;
  return sum_of(v);
}

long caught_in_turns(long n, long failing) {
  long caught = 0;
  for (long i = 0; i < n; ++i) {
    try {
      long v[4];
      for (long k = 0; k < 4; ++k) v[k] = cilk_spawn work_or_fail(i * 10 + k, failing);
      cilk_sync;
      caught += v[0] + v[3];
    } catch (const std::runtime_error& e) {
      caught += 1000 * std::stol(e.what());
    }
  }
  return caught;
}

/// A reference that each turn binds anew, and what is assigned to it afterwards.
struct cell {
  long value = 0;
  cell& operator=(long n) {
    value += n;
    return *this;
  }
};
long rebound(long n) {
  std::vector<cell> v(static_cast<std::size_t>(n));
  for (cell& to : v) to = cilk_spawn work(&to - v.data() + 1);
  cilk_sync;
  long all = 0;
  for (const cell& c : v) all = all * 10 + c.value;
  return all;
}

struct node {
  long value;
  std::vector<node> children;

  void add_to(std::atomic<long>& all) const {
    all += work(value);
    for (const node& child : children) cilk_spawn child.add_to(all);
  }
};
node tree(long value, long depth) {
  node made{value, {}};
  for (long i = 0; i < depth; ++i) made.children.push_back(tree(value + i, depth - 1));
  return made;
}

template <class F>
std::vector<long> map(const std::vector<long>& from, const F& f) {
  std::vector<long> to(from.size());
  auto at = to.begin();
  for (auto x = from.begin(); x != from.end(); ++x, ++at) *at = cilk_spawn f(*x);
  cilk_sync;
  return to;
}

/// Turns of which most are stolen, in memory that does not grow with their number.
long many(long n) {
  std::atomic<long> all = 0;
  for (long i = 0; i < n; ++i) cilk_spawn[&all](long k) {
      all += k & 1;
    }
  (i);
  cilk_sync;
  return all;
}

}  // namespace

#ifndef REPEATS
#define REPEATS 60
#endif

int main() {
  failures = 0;
  constexpr long never = -1;
  for (int i = 0; i < REPEATS; ++i) {
    check("turns", turns(7, never, never, never), 21);
    for (const long k : {0, 3, 6}) {
      check("spawned", thrown_by([k] { turns(7, k, never, never); }), k);
      check("body", thrown_by([k] { turns(7, never, k + 100, never); }), k + 100);
      check("both", thrown_by([k] { turns(7, k, k + 100, 1000); }), k);
      check("body first", thrown_by([k] { turns(8, k + 1, k + 100, 1000); }), k + 100);
    }
    check("end", thrown_by([] { turns(7, never, never, 1000); }), 1000);
    check("temporaries", temporaries(6, never), 135);
    check("temporaries that fail", thrown_by([] { temporaries(6, 23); }), 23);
    check("objects", objects(6, never), 195);
    check("objects that fail", thrown_by([] { objects(6, 34); }), 34);
    check("caught", caught_in_turns(4, 12), 12109);
    check("none caught", caught_in_turns(4, never), 132);
    check("rebound", rebound(6), 123456);
    std::atomic<long> all = 0;
    tree(3, 4).add_to(all);
    check("tree", all, 375);
    check("map", sum_of(map({1, 2, 3, 4, 5}, [](long x) { return work(x * x); })), 55);
    check("many", many(500), 250);
    if (failures != 0) return 1;
  }
  check("many more", many(REPEATS * 1000L), REPEATS * 500L);
  return failures;
}
