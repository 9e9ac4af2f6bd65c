// SPDX-License-Identifier: Apache-2.0
// What is thrown arrives as in the serial elision: the first exception in the serial order wins,
// the spawning function's own included, and only when all that was spawned has ended.
#include <cilk/cilk.h>

#include <stdexcept>
#include <string>

#include "check.h"
#include "counted.hpp"

namespace {

long fails(long n) {
  const counted here;
  work(n * 37 % 500);
  throw std::runtime_error(std::to_string(n));
}

/// A child uses this until it ends.
struct used {
  bool alive = true;
  ~used() { alive = false; }
  void by() const {
    const counted here;
    for (int i = 0; i < 20; ++i) {
      work(i);
      if (!alive) ++failures;
    }
  }
};

void at_sync() {
  used object;
  cilk_spawn object.by();
  cilk_spawn fails(1);
  cilk_spawn fails(2);
  cilk_sync;
}

void at_end() {
  used object;
  cilk_spawn object.by();
  cilk_spawn fails(1);
  cilk_spawn fails(2);
}

long at_return(bool early) {
  used object;
  cilk_spawn object.by();
  long a = cilk_spawn fails(3);
  if (early) return work(5);
  a = cilk_spawn work(4);
  cilk_sync;
  return a + 2;
}

void own_first() {
  used object;
  cilk_spawn object.by();
  fails(1);
  cilk_spawn fails(2);
}

void own_last() {
  used object;
  cilk_spawn object.by();
  cilk_spawn fails(1);
  fails(2);
}

void no_locals() {
  cilk_spawn work(100);
  fails(1);
}

long caught_inside() {
  long sum = 0;
  for (int i = 0; i < 3; ++i) {
    used object;
    try {
      used inner;
      cilk_spawn inner.by();
      cilk_spawn object.by();
      cilk_spawn fails(i);
      work(30);
      cilk_sync;
    } catch (const std::exception& e) {
      sum += 10 + std::stol(e.what());
      long again = cilk_spawn work(1);
      cilk_sync;
      sum += again;
    }
  }
  return sum;
}

long implicit_in_try() {
  long sum = 0;
  try {
    used inner;
    sum = cilk_spawn work(5);
    cilk_spawn inner.by();
  } catch (...) {
    sum = -1;
  }
  return sum;
}

void through_handler() {
  try {
    fails(1);
  } catch (const std::exception&) {
    cilk_spawn work(300);
    cilk_spawn work(200);
    cilk_sync;
    throw;
  }
}

void nested(int depth) {
  if (depth == 0) {
    fails(7);
    return;
  }
  used object;
  cilk_spawn object.by();
  cilk_spawn nested(depth - 1);
  work(50);
}

void of_scope() {
  used outer;
  cilk_spawn outer.by();
  cilk_scope {
    used inner;
    cilk_spawn inner.by();
    cilk_spawn fails(4);
  }
  fails(5);
}

/// What is spawned outside of a try is not caught by it.
void outside_of_try() {
  used outer;
  cilk_spawn fails(6);
  try {
    used inner;
    cilk_spawn inner.by();
    cilk_sync;
  } catch (const std::exception&) {
    throw std::runtime_error("60");
  }
}

void in_arguments() {
  used outer;
  cilk_spawn outer.by();
  cilk_spawn work(fails(8));
  cilk_spawn fails(9);
}

void not_a_std_exception() {
  cilk_spawn work(10);
  cilk_spawn[] {
    work(100);
    throw 5;
  }
  ();
}

/// What was spawned before the block is not caught by its handler.
void before_a_try() {
  cilk_spawn fails(9);
  try {
    fails(10);
  } catch (const std::runtime_error&) {
  }
  try {
    cilk_spawn fails(11);
  } catch (const std::runtime_error&) {
  }
}

/// The outer region's call was spawned before the inner region began, though its keyword comes
/// later.
void of_both_regions(bool own) {
  for (int i = 0; i < 2; ++i) {
    used outer;
    cilk_scope {
      used inner;
      cilk_spawn inner.by();
      if (i == 1) cilk_spawn fails(13);
      if (i == 1 && own) fails(14);
    }
    if (i == 0) cilk_spawn fails(12);
  }
}

void results(long (&sum)[2]) {
  struct taken {
    std::string text;
  };
  auto make = [](int n) {
    if (n == 2) fails(n);
    return taken{std::string(static_cast<std::size_t>(n) + 30, 'x')};
  };
  taken a = cilk_spawn make(1);
  const taken& temporary = cilk_spawn make(4);
  taken b = cilk_spawn make(2);
  const taken& never = cilk_spawn make(2);
  cilk_sync;
  sum[0] =
      static_cast<long>(a.text.size() + b.text.size() + temporary.text.size() + never.text.size());
}

}  // namespace

#ifndef REPEATS
#define REPEATS 100
#endif

int main() {
  for (int i = 0; i < REPEATS; ++i) {
    check("sync", thrown_by(at_sync), 1);
    check("end", thrown_by(at_end), 1);
    check("return", thrown_by([] { at_return(false); }), 3);
    check("early return", thrown_by([] { at_return(true); }), 3);
    check("own first", thrown_by(own_first), 1);
    check("own last", thrown_by(own_last), 1);
    check("no locals", thrown_by(no_locals), 1);
    check("caught inside", caught_inside(), 36);
    check("end of try", implicit_in_try(), 5);
    check("handler", thrown_by(through_handler), 1);
    check("nested", thrown_by([] { nested(5); }), 7);
    check("scope", thrown_by(of_scope), 4);
    check("outside of try", thrown_by(outside_of_try), 6);
    check("arguments", thrown_by(in_arguments), 8);
    check("before a try", thrown_by(before_a_try), 9);
    check("inner region", thrown_by([] { of_both_regions(false); }), 12);
    check("both regions", thrown_by([] { of_both_regions(true); }), 12);
    int other = 0;
    try {
      not_a_std_exception();
    } catch (int n) {
      other = n;
    }
    check("int", other, 5);
    long sum[2] = {};
    check("results", thrown_by([&] { results(sum); }), 2);
    if (failures != 0) return 1;
  }
  return 0;
}
