// SPDX-License-Identifier: Apache-2.0
// Exceptions and destructors where the rest behind a spawn is a closure.
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
long uses(const counted&, const std::string& text) { return work(300) + long(text.size()); }

/// Throws when it is converted.
struct unwilling {
  long n;
  operator long() const { return fails(n); }
};
unwilling hesitates(long n) { return {work(n)}; }

long two(long (*f)(long), long (*g)(long)) {
  long a, b;
  cilk_scope {
    a = cilk_spawn f(1);
    b = g(2);
  }
  return a + b;
}

/// With something to destroy around the region.
long two_within(long (*f)(long), long (*g)(long)) {
  const counted around;
  long a, b;
  {
    const std::string text(40, 'x');
    cilk_scope {
      a = cilk_spawn f(1);
      b = g(2);
    }
    a += long(text.size());
  }
  return a + b;
}

long declared(long (*f)(long), long (*g)(long), long (*h)(long)) {
  long a = cilk_spawn f(1);
  long b = cilk_spawn g(2);
  long c = h(3);
  cilk_sync;
  return a + 10 * b + 100 * c;
}

long caught_around(long (*f)(long), long (*g)(long)) {
  long result = 0;
  try {
    const counted inside;
    cilk_scope {
      result = cilk_spawn f(1);
      g(2);
    }
  } catch (const std::runtime_error& e) {
    result = 10 + std::stol(e.what());
  }
  return result;
}

long temporaries() {
  long a, b;
  cilk_scope {
    a = cilk_spawn uses(counted(), std::string(50, 'a') + "b");
    b = work(7);
  }
  return a + b;
}

long behind_the_call(long (*g)(long)) {
  long a, b;
  cilk_scope {
    a = cilk_spawn hesitates(4);
    b = g(5);
  }
  return a + b;
}

long arguments_throw() {
  long a, b;
  cilk_scope {
    a = cilk_spawn work(fails(6));
    b = work(7);
  }
  return a + b;
}

struct tree {
  long depth;
  long sum() const noexcept {
    if (depth == 0) return 1;
    long left, right;
    cilk_scope {
      left = cilk_spawn tree{depth - 1}.sum();
      right = tree{depth - 1}.sum();
    }
    return left + right;
  }
};

template <class F, class G>
auto pair_of(F f, G g) {
  auto a = cilk_spawn f();
  auto b = g();
  cilk_sync;
  return a + b;
}

long& target(long* a) {
  work(2);
  return a[1];
}
long reference() {
  long a[2] = {1, 2}, b;
  cilk_scope {
    target(a) = cilk_spawn work(30);
    b = work(4);
  }
  return a[0] + a[1] + b;
}

}  // namespace

#ifndef REPEATS
#define REPEATS 100
#endif

int main() {
  failures = 0;
  for (int i = 0; i < REPEATS; ++i) {
    for (auto of : {two, two_within}) {
      check("spawned", thrown_by([of] { of(fails, work); }), 1);
      check("rest", thrown_by([of] { of(work, fails); }), 2);
      check("both", thrown_by([of] { of(fails, fails); }), 1);
      check("none", thrown_by([of] { of(work, work); }), 0);
    }
    check("two", two(work, work), 3);
    check("two within", two_within(work, work), 43);
    check("first of three", thrown_by([] { declared(fails, work, fails); }), 1);
    check("second of three", thrown_by([] { declared(work, fails, fails); }), 2);
    check("third of three", thrown_by([] { declared(work, work, fails); }), 3);
    check("three", declared(work, work, work), 321);
    check("caught", caught_around(fails, fails), 11);
    check("caught of rest", caught_around(work, fails), 12);
    check("not caught", caught_around(work, work), 1);
    check("temporaries", temporaries(), 358);
    check("conversion", thrown_by([] { behind_the_call(work); }), 4);
    check("conversion and rest", thrown_by([] { behind_the_call(fails); }), 4);
    check("arguments", thrown_by(arguments_throw), 6);
    check("members", tree{5}.sum(), 32);
    check("strings",
          long(pair_of([] { return std::string(20, 'x'); }, [] { return std::string(30, 'y'); })
                   .size()),
          50);
    check("longs", pair_of([] { return work(8); }, [] { return work(9); }), 17);
    check("reference", reference(), 35);
    if (failures != 0) return 1;
  }
  return 0;
}
