// SPDX-License-Identifier: Apache-2.0
// Functions of every kind that spawn.
#include <cilk/cilk.h>

#include <functional>
#include <string>
#include <utility>

#include "check.h"

namespace {

long work(long n) {
  volatile long sum = 0;
  for (long i = 0; i < n * 37 % 500; ++i) sum = sum + i;
  return n;
}
long twice(long n) {
  long a = cilk_spawn work(n);
  long b = work(n);
  cilk_sync;
  return a + b;
}

long lambdas() {
  auto generic = [](auto n) {
    long a = cilk_spawn work(n);
    long b = work(n + 1);
    cilk_sync;
    return a + b;
  };
  auto recursive = [](auto self, long n) -> long {
    if (n < 2) return n;
    long a = cilk_spawn self(self, n - 1);
    long b = self(self, n - 2);
    cilk_sync;
    return a + b;
  };
  std::function<long(long)> erased = [&erased](long n) -> long {
    if (n < 2) return n;
    long a = cilk_spawn erased(n - 1);
    long b = erased(n - 2);
    cilk_sync;
    return a + b;
  };
  auto nested = [](long n) {
    long a = cilk_spawn[](long m) {
      return twice(m) + [m] { return twice(m); }();
    }
    (n);
    cilk_sync;
    return a;
  };
#if __cpp_explicit_this_parameter
  auto deducing = [](this auto self, long n) -> long {
    if (n < 2) return n;
    long a = cilk_spawn self(n - 1);
    long b = self(n - 2);
    cilk_sync;
    return a + b;
  };
  check("deducing this", deducing(8), 21);
#endif
  return generic(3L) + generic(4) + recursive(recursive, 8) + erased(7) + nested(2);
}

long local_classes(long n) {
  struct local {
    long value;
    explicit local(long v) : value(v) { cilk_spawn work(v); }
    ~local() { cilk_spawn work(value); }
    long run() const { return in_class(value); }
    static long in_class(long v) {
      long a = cilk_spawn work(v);
      long b = work(v);
      cilk_sync;
      return a + b;
    }
  };
  const local l(n);
  long x = cilk_spawn l.run();
  long y = cilk_spawn local::in_class(n);
  cilk_sync;
  return x + y;
}

template <class T>
struct of_type {
  T value;
  template <class U>
  U plus(U n) const {
    U a = cilk_spawn work(n);
    auto l = [&](auto m) {
      auto r = cilk_spawn work(m);
      cilk_sync;
      return r;
    };
    U b = l(value);
    cilk_sync;
    return a + b;
  }
  friend T of_friend(of_type o) {
    T a = cilk_spawn work(o.value);
    cilk_sync;
    return a;
  }
};
template <class... A>
long pack(A... a) {
  long all[] = {0, a...}, sum = 0;
  for (long& x : all) x = cilk_spawn work(x);
  cilk_sync;
  for (const long x : all) sum += x;
  return sum;
}
template <bool spawns, class F, class... A>
auto call(F f, A&&... a) {
  if constexpr (spawns) {
    auto r = cilk_spawn f(std::forward<A>(a)...);
    cilk_sync;
    return r;
  } else {
    return f(std::forward<A>(a)...);
  }
}

/// In initializers; not in those of the file, which the adversary does not see begin.
struct member {
  long value = [] {
    long a = cilk_spawn work(7);
    cilk_sync;
    return a;
  }();
};
long default_argument(long n = [] {
  long a = cilk_spawn work(8);
  cilk_sync;
  return a;
}()) {
  return n;
}
long static_local() {
  static const long once = [] {
    long a = cilk_spawn work(9);
    cilk_sync;
    return a;
  }();
  cilk_spawn work(1);
  return once;
}

void throws_two(long n) {
  if (work(n) == 2) throw n;
}
struct throws_three {
  explicit throws_three(long n) {
    if (work(n) == 3) throw n;
  }
};

/// A handler of such a body throws on, and handles what members throw.
struct built_in_try {
  throws_three member;
  long result = 0;
  explicit built_in_try(long n, long& handled) try : member(n) {
    cilk_spawn throws_two(n);
    result = cilk_spawn work(n);
  } catch (long x) {
    cilk_spawn work(x);
    handled += x;
  }
};
long handled_at_end = 0;
struct destroyed_in_try {
  long value;
  ~destroyed_in_try() noexcept(false) try {
    cilk_spawn throws_two(value);
    work(3);
  } catch (long x) {
    handled_at_end += x;
    return;
  }
};
long function_in_try(long n) try {
  cilk_spawn throws_two(n);
  work(5);
  return 1;
} catch (long x) {
  return 10 + x;
}

long function_try_blocks() {
  long handled = 0, all = 0;
  handled_at_end = 0;
  for (long n = 0; n < 4; ++n) {
    try {
      built_in_try b(n, handled);
      all += b.result;
    } catch (long x) {
      all += 10 * x;
    }
  }
  {
    const destroyed_in_try one{1}, two{2};
  }
  return all + 1000 * (handled + handled_at_end) + function_in_try(1) + function_in_try(2);
}

long terminates_if_it_throws(long n) noexcept {
  const std::string s(40, 's');
  long a = cilk_spawn work(n);
  long b = work(n);
  cilk_sync;
  return a + b + static_cast<long>(s.size());
}

// Each is initialized dynamically, so a function of the compiler's returns its address.
thread_local std::string of_thread = std::string("abc");
struct has_of_thread {
  static thread_local long value;
};
thread_local long has_of_thread::value = work(4);
/// Through these the compiler does not see what is called, and asks anew.
std::string* (*volatile fresh_string)() = [] { return &of_thread; };
long* (*volatile fresh_value)() = [] { return &has_of_thread::value; };

long of_threads() {
  long wrong = 0;
  for (int i = 0; i < 20; ++i) {
    of_thread = "x";
    has_of_thread::value = 4;
    cilk_spawn work(7);
    wrong += &of_thread != fresh_string();
    wrong += 100 * (&has_of_thread::value != fresh_value());
    work(7);
    cilk_sync;
    wrong += &of_thread != fresh_string();
    wrong += 100 * (&has_of_thread::value != fresh_value());
  }
  return wrong;
}

}  // namespace

#ifndef REPEATS
#define REPEATS 50
#endif

int main() {
  for (int i = 0; i < REPEATS; ++i) {
    check("lambdas", lambdas(), 7 + 9 + 21 + 13 + 8);
    check("local classes", local_classes(3), 12);
    check("templates", of_type<long>{4}.plus(3L) + of_friend(of_type<long>{3}), 10);
    check("packs", pack(1L, 2L, 3L) + call<true>(work, 5) + call<false>(work, 6), 17);
    check("initializers", member().value + default_argument(), 15);
    check("static", static_local(), 9);
    check("function try blocks", function_try_blocks(), 1 + 20 + 30 + 7000 + 1 + 12);
    check("noexcept", terminates_if_it_throws(3), 46);
    check("threads", of_threads(), 0);
    if (failures != 0) return 1;
  }
  return 0;
}
