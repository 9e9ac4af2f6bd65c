// SPDX-License-Identifier: Apache-2.0
// Objects that spawned calls take, make, and are called on. Each is destroyed once, where it is.
#include <cilk/cilk.h>

#include <atomic>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "check.h"

namespace {

long work(long n) {
  volatile long sum = 0;
  for (long i = 0; i < n * 37 % 500; ++i) sum = sum + i;
  return n;
}

std::atomic<long> alive{0};

struct object {
  long value;
  const object* self = this;
  object(long n = 0) : value(n) { ++alive; }
  object(const object& o) : value(o.value) { ++alive; }
  object& operator=(const object& o) {
    value = o.value;
    return *this;
  }
  ~object() {
    if (self != this) ++failures;
    self = nullptr;
    value = -1;
    --alive;
  }
  object operator+(const object& o) const { return {work(value) + o.value}; }
  object operator-() const { return {-work(value)}; }
  object operator()(long n) const { return {work(n) + value}; }
  object operator[](long n) const { return {work(n) + 2 * value}; }
  object& operator+=(const object& o) {
    value += o.value;
    return *this;
  }
  object& operator++() {
    work(value);
    ++value;
    return *this;
  }
  operator long() const { return value; }
};

object operator*(const object& a, const object& b) { return {work(a.value) * b.value}; }
object make(long n) { return {work(n)}; }
std::string text(long n) { return std::string(40, static_cast<char>('a' + work(n))); }

long operators() {
  object a(3), b(4), counted(4);
  object c = cilk_spawn(a + b);
  object d = cilk_spawn(a * b);
  object e = cilk_spawn a(7);
  object f = cilk_spawn a[5];
  object g = cilk_spawn(-a);
  object h;
  h += cilk_spawn make(5);
  object& r = cilk_spawn(++counted);
  cilk_sync;
  return c.value + d.value + e.value + f.value + g.value + h.value + r.value;
}

/// What stands for a place is a temporary, which ends with the call that it is assigned.
struct place {
  object* to;
  std::string name{std::string(50, 'p')};
  explicit place(object& o) : to(&o) {}
  place(const place&) = delete;
  ~place() { to = nullptr; }
  void operator=(const object& o) {
    if (name != std::string(50, 'p')) ++failures;
    *to = o;
  }
};
place place_of(object& o) { return place(o); }
bool even(long n) { return work(n) % 2 == 0; }

long places() {
  std::vector<bool> v(20);
  for (long i = 0; i < 20; ++i) {
    v[static_cast<std::size_t>(i)] = cilk_spawn even(i);
    cilk_sync;
  }
  long a = 0, all = 0;
  std::string b;
  auto both = [](long n) { return std::make_tuple(work(n), text(3)); };
  std::tie(a, b) = cilk_spawn both(5);
  std::map<std::string, long> m;
  m["a"] = cilk_spawn work(1);
  m[text(2)] = cilk_spawn work(2);
  object o(1), p(2);
  for (long i = 0; i < 4; ++i) {
    place_of(o) = cilk_spawn make(9 + i);
    place{p} = cilk_spawn make(8 + i);
    cilk_sync;
    all += o.value + p.value;
  }
  *std::make_unique<object>(4) = cilk_spawn make(4);
  cilk_sync;
  for (const bool is : v) all += is ? 1 : 0;
  return all + a + static_cast<long>(b.size()) + m["a"] + m[text(2)];
}

object result_in_place(long n) {
  object x = cilk_spawn make(n);
  object y = make(n + 1);
  cilk_sync;
  x += y;
  return x;
}
object result_assigned(long n) {
  object x;
  x = cilk_spawn make(n);
  if (n > 100) return {1};
  cilk_sync;
  return x;
}
object result_before_sync(long n) {
  const object y = cilk_spawn make(1);
  object x(n);
  cilk_spawn work(n);
  return x;
}
std::string result_computed(long n) {
  const std::string s(30, 'x');
  cilk_spawn work(n);
  return s + "y";
}

long sum_of(std::initializer_list<long> all) {
  long sum = 0;
  for (const long n : all) sum += work(n);
  return sum;
}
long size_of(std::initializer_list<std::string> all) {
  work(70);
  long sum = 0;
  for (const std::string& s : all) sum += static_cast<long>(s.size());
  return sum;
}
long with_defaults(long a, const std::string& s = std::string(33, 'd'), object o = object(4)) {
  return work(a) + static_cast<long>(s.size()) + o.value;
}
long take(object a, const object& b, object&& c) {
  work(50);
  return a.value + b.value + c.value;
}
long look(const std::string& s, const object& o) {
  work(55);
  return static_cast<long>(s.size()) + o.value;
}

long arguments() {
  const bool yes = work(2) == 2;
  long a = cilk_spawn sum_of({1, 2, 3});
  long b = cilk_spawn size_of({text(1), "ab", text(2)});
  long c = cilk_spawn with_defaults(1);
  long d = cilk_spawn take(object(1), object(2), object(3));
  long e =
      cilk_spawn look(yes ? std::string(35, 'a') : std::string("b"), yes ? object(1) : object(2));
  long f = cilk_spawn[o = object(4)](auto... n) { return (work(n) + ... + o.value); }
  (1, 2, 3);
  // The compiler holds what it has made of the earlier arguments.
  long g = take(object(1), object(2), ({
                  long x = cilk_spawn work(5);
                  cilk_sync;
                  object{x};
                }));
  cilk_sync;
  return a + b + c + d + e + f + g;
}

struct first {
  long x = 1;
  virtual ~first() = default;
  virtual long one(long n) { return work(n) + x; }
};
struct second {
  long y = 2;
  virtual ~second() = default;
  virtual long two(long n) { return work(n) + y; }
  long plain(long n) const { return work(n) * y; }
};
struct both : first, second {
  long z = 3;
  long two(long n) override { return work(n) + z; }
};
struct of_virtual_base : virtual second {};

long members() {
  both o;
  second& s = o;
  of_virtual_base v;
  long (second::*two)(long) = &second::two;
  long (second::*plain)(long) const = &second::plain;
  both* p = &o;
  const auto owned = std::make_unique<both>();
  long all[10];
  all[0] = cilk_spawn s.two(5);
  all[1] = cilk_spawn(o.*two)(6);
  all[2] = cilk_spawn(p->*plain)(7);
  all[3] = cilk_spawn v.two(3);
  all[4] = cilk_spawn v.plain(3);
  all[5] = cilk_spawn o.second::two(5);
  all[6] = cilk_spawn owned->two(4);
  all[7] = cilk_spawn std::make_unique<both>() -> two(4);
  all[8] = cilk_spawn p->first::one(1);
  all[9] = cilk_spawn make(4).operator long();
  cilk_sync;
  long sum = 0;
  for (const long n : all) sum += n;
  return sum;
}

const char* letters(long n) {
  work(n);
  return "abc";
}
std::unique_ptr<both> make_both() { return std::make_unique<both>(); }
std::optional<object> maybe(bool b) {
  return work(20) == 20 && b ? std::optional<object>(5) : std::nullopt;
}

long results() {
  const std::string& a = cilk_spawn letters(3);
  const std::string b(cilk_spawn letters(4)), c { cilk_spawn letters(4) };
  std::unique_ptr<second> d = cilk_spawn make_both();
  std::shared_ptr<second> e = cilk_spawn make_both();
  auto&& f = cilk_spawn make(5);
  object&& g = cilk_spawn make(6);
  const auto h = cilk_spawn maybe(true);
  std::optional<long> i = cilk_spawn work(3);
  decltype(auto) j = cilk_spawn make(7);
  const bool k = cilk_spawn work(1);
  object l(cilk_spawn work(8)), m { cilk_spawn work(8) };
  long n = cilk_spawn make(6);
  cilk_sync;
  return static_cast<long>(a.size() + b.size() + c.size()) + d->two(1) + e->two(1) + f.value +
         g.value + h->value + *i + j.value + (k ? 1 : 0) + l.value + m.value + n;
}

}  // namespace

#ifndef REPEATS
#define REPEATS 50
#endif

int main() {
  for (int i = 0; i < REPEATS; ++i) {
    check("operators", operators(), 7 + 12 + 10 + 11 - 3 + 5 + 5);
    check("places", places(), 42 + 38 + 10 + 5 + 40 + 1 + 2);
    check("results in place", result_in_place(4) + result_assigned(5) + result_before_sync(6), 20);
    check("result computed", static_cast<long>(result_computed(3).size()), 31);
    check("arguments", arguments(), 6 + 82 + 38 + 6 + 36 + 10 + 8);
    check("members", members(), 8 + 9 + 14 + 5 + 6 + 7 + 7 + 7 + 2 + 4);
    check("results", results(), 9 + 4 + 4 + 5 + 6 + 5 + 3 + 7 + 1 + 8 + 8 + 6);
    check("objects", alive, 0);
    if (failures != 0) return 1;
  }
  return 0;
}
