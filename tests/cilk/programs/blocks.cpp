// SPDX-License-Identifier: Apache-2.0
// Objects, exceptions and templates in statements that are spawned as a whole.
#include <cilk/cilk.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "check.h"

#ifndef REPEATS
#define REPEATS 100
#endif

namespace {

long f(long n) {
  volatile long sum = 0;
  for (long i = 0; i < n; ++i) sum = sum + i;
  return n * 3 + 1;
}

struct object {
  std::string text;
  long value;
  explicit object(long n) : text(40, static_cast<char>('a' + n % 20)), value(f(n)) {}
};

void objects(long n) {
  long x = 0;
  object* made = cilk_spawn new object(n);
  std::unique_ptr<object> other;
  cilk_spawn other = std::make_unique<object>(n + 1);
  cilk_spawn {
    object t(3);
    const object u(t.value);
    x = u.value + static_cast<long>(u.text.size());
  }
  std::array<long, 4> a{1, 2, 3, 4};
  cilk_spawn for (long& v : a) v = f(v);
  f(n);
  cilk_sync;
  check("new", made->value, n * 3 + 1);
  check("assigned", other->value, (n + 1) * 3 + 1);
  check("in a block", x, 31 + 40);
  check("range", a[3], 13);
  cilk_spawn delete made;
  std::vector<long> all;
  cilk_spawn[&] { all.assign(5, f(n)); }
  ();
  f(2);
  cilk_sync;
  check("lambda", all[4], n * 3 + 1);
}

[[noreturn]] void always_throws(long n) { throw n; }

void exceptions(long n) {
  long caught = 0;
  try {
    cilk_spawn {
      object t(n);
      if (n % 2 == 0) throw t.value;
    }
    cilk_spawn throw -1L;
    f(1);
    cilk_sync;
  } catch (long v) {
    caught = v;
  }
  check("thrown", caught, n % 2 == 0 ? n * 3 + 1 : -1);
  caught = 0;
  long behind = 0;
  try {
    cilk_spawn always_throws(n);
    behind = f(n);
    cilk_sync;
  } catch (long v) {
    caught = v;
  }
  check("of a function that never returns", caught, n);
  check("what follows it", behind == 0 || behind == f(n), 1);
  long inside = 0;
  cilk_spawn try {
    inside = cilk_spawn f(n);
    cilk_spawn { throw n; }
    f(2);
    cilk_sync;
    inside = -1;
  } catch (long v) {
    inside += v;
  }
  f(3);
  cilk_sync;
  check("caught inside", inside, n * 4 + 1);
}

template <class T>
T sum_of(T n) {
  T x = 0, y = 0;
  cilk_spawn {
    if (n > 1) x = cilk_spawn sum_of<T>(n - 1);
    y = static_cast<T>(f(static_cast<long>(n)));
  }
  f(1);
  cilk_sync;
  return x + y;
}

}  // namespace

int main() {
  for (int i = 0; i < REPEATS; ++i) {
    objects(i);
    exceptions(i);
    check("template", sum_of(5L) + sum_of(5), 2 * (15 * 3 + 5));
    auto twice = [](auto n) {
      long x = 0;
      cilk_spawn x = f(n);
      f(1);
      cilk_sync;
      return x * 2;
    };
    check("generic lambda", twice(3) + twice(4L), 46);
  }
  return failures != 0;
}
