// SPDX-License-Identifier: Apache-2.0
// Every form of a spawn in C++: each function returns what its serial elision would.
#include <cilk/cilk.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <functional>
#include <initializer_list>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

namespace {

/// Work that a thief has time to steal beside.
long work(long n) {
  volatile long sum = 0;
  for (long i = 0; i < n % 700; ++i) sum = sum + i;
  return n;
}

struct counted {
  static long alive;
  std::string text;
  explicit counted(std::string s) : text(std::move(s)) { __atomic_add_fetch(&alive, 1, 5); }
  counted(const counted& o) : text(o.text) { __atomic_add_fetch(&alive, 1, 5); }
  counted(counted&& o) noexcept : text(std::move(o.text)) { __atomic_add_fetch(&alive, 1, 5); }
  counted& operator=(const counted&) = default;
  counted& operator=(counted&&) = default;
  ~counted() { __atomic_sub_fetch(&alive, 1, 5); }
  counted operator+(const counted& o) const {
    work(300);
    return counted(text + o.text);
  }
  long size() const {
    work(400);
    return static_cast<long>(text.size());
  }
  virtual long twice(long n) const { return work(n) * 2; }
  static long half(long n) { return work(n) / 2; }
};
long counted::alive = 0;

struct derived : counted {
  using counted::counted;
  long twice(long n) const override { return work(n) * 4; }
};

counted make(const std::string& s, int n) {
  work(500);
  std::string all;
  for (int i = 0; i < n; ++i) all += s;
  return counted(all);
}

long by_value(counted c, std::array<long, 40> many) {
  work(600);
  return static_cast<long>(c.text.size()) + std::accumulate(many.begin(), many.end(), 0L);
}

long& place(std::vector<long>& v, int i) {
  work(200);
  return v[static_cast<std::size_t>(i)];
}

long class_results() {
  counted a = cilk_spawn make("ab", 3);
  auto b = cilk_spawn make(std::string("xyz") + "w", 2);
  counted c("c");
  c = cilk_spawn make("q", 5);
  std::string s = "12";
  cilk_sync;
  return a.size() + b.size() + c.size() + static_cast<long>(s.size());
}

long arguments() {
  std::array<long, 40> many;
  many.fill(1);
  long sum[6] = {};
  for (int i = 0; i < 6; ++i) {
    many[0] = i;
    sum[i] = cilk_spawn by_value(counted(std::string(static_cast<std::size_t>(i), '.')), many);
    many[1] = 100;
  }
  cilk_sync;
  return std::accumulate(sum, sum + 6, 0L);
}

long members() {
  const counted a("four");
  const derived d("five5");
  const counted& base = d;
  long size = cilk_spawn a.size();
  long twice = cilk_spawn base.twice(10);
  long half = cilk_spawn counted::half(20);
  counted both = cilk_spawn(a + d);
  long temporary = cilk_spawn make("t", 4).size();
  long (counted::*pointer)() const = &counted::size;
  long by_pointer = cilk_spawn(a.*pointer)();
  cilk_sync;
  return size + twice + half + both.size() + temporary + by_pointer;
}

long callables() {
  long a = 0, b = 0, c = 0;
  auto add = [&a](long n) { a += work(n); };
  std::function<long(long)> f = [](long n) { return work(n) + 1; };
  long (*p)(long) = work;
  cilk_spawn add(5);
  b = cilk_spawn f(6);
  c = cilk_spawn p(7);
  long d = cilk_spawn[](long n) { return work(n) * 3; }
  (8);
  cilk_spawn[&, n = 9L] { work(n); }
  ();
  cilk_sync;
  return a + b + c + d;
}

template <class T>
T sum(const T* first, const T* last) {
  if (last - first == 1) return *first;
  const T* middle = first + (last - first) / 2;
  T left = cilk_spawn sum(first, middle);
  T right = sum(middle, last);
  cilk_sync;
  return left + right;
}

long references() {
  std::vector<long> v(10);
  for (int i = 0; i < 10; ++i) v[static_cast<std::size_t>(i)] = cilk_spawn work(i);
  cilk_sync;
  long& fifth = cilk_spawn place(v, 5);
  const counted& kept = cilk_spawn make("kept", 2);
  cilk_sync;
  fifth = 50;
  return std::accumulate(v.begin(), v.end(), 0L) + kept.size();
}

long conversions() {
  double d = cilk_spawn work(3);
  long n = 1;
  n += cilk_spawn work(4);
  (void)cilk_spawn work(5);
  long l = static_cast<long>(cilk_spawn work(2));
  if (work(0) == 0) cilk_spawn work(1);
  cilk_sync;
  return static_cast<long>(d) + n + l;
}

long returns(int n, std::unique_ptr<long>& result) {
  counted local("destroyed after the implicit sync");
  result = std::make_unique<long>(0);
  auto set = [&result, &local](long to) {
    work(600);
    *result = to + static_cast<long>(local.text.size());
  };
  cilk_spawn set(n);
  if (n == 1) return 10;
  for (int i = 0; i < 3; ++i) {
    cilk_spawn work(i);
    if (i == n) return 20;
  }
  return 30;
}

long implicit() {
  std::unique_ptr<long> r;
  long all = 0;
  for (int n = 0; n < 4; ++n) {
    all += returns(n, r);
    all += *r;
  }
  return all;
}

struct tree {
  std::unique_ptr<tree> left, right;
  long value = 0;
  explicit tree(int depth) : value(depth) {
    if (depth == 0) return;
    cilk_spawn grow(left, depth - 1);
    grow(right, depth - 1);
  }
  static void grow(std::unique_ptr<tree>& to, int depth) { to = std::make_unique<tree>(depth); }
  long count() const {
    if (left == nullptr) return 1;
    long l = cilk_spawn left->count();
    long r = right->count();
    cilk_sync;
    return l + r + 1;
  }
};

/// Floating-point values are in registers while the spawned function runs.
double area(double x1, double y1, double x2, double y2, int depth) {
  const double half = (x2 - x1) / 2, x = x1 + half, y = x * x;
  const double left = (y1 + y) / 2 * half, right = (y + y2) / 2 * half;
  if (depth == 0) return left + right;
  double a = cilk_spawn area(x1, y1, x, y, depth - 1);
  double b = area(x, y, x2, y2, depth - 1);
  cilk_sync;
  return a + b + 0 * (left + right + half);
}

struct doubled {
  long value;
  explicit doubled(long n) : value(2 * work(n)) {}
};

long constructions() {
  doubled a = cilk_spawn doubled(3);
  doubled b = cilk_spawn doubled(doubled(4).value);  // the argument is built before
  cilk_spawn counted("a temporary");
  const counted c = cilk_spawn counted("four");
  cilk_sync;
  return a.value + b.value + static_cast<long>(c.text.size());
}

long scopes() {
  long a = 0, b = 0, total = 0;
  for (int i = 0; i < 5; ++i) {
    cilk_scope {
      a = cilk_spawn work(i);
      b = cilk_spawn work(i + 1);
      if (i == 3) continue;
      if (i == 4) break;
    }
    total += a + b;
  }
  total += a * 100 + b;
  return total;
}

long first_of(std::initializer_list<long> all, const std::string& s, counted c) {
  return work(*all.begin()) + static_cast<long>(s.size() * 10 + c.text.size() * 100);
}
long doubled(long n) { return work(n) * 2; }
std::string repeated(const std::string& s, int n) { return make(s, n).text; }

/// Since C++17 the right side of an assignment is evaluated before the left.
#define NOPAL_ORDER(name, spawned)                                             \
  long name() {                                                                \
    struct {                                                                   \
      long a[8];                                                               \
    } m = {};                                                                  \
    std::vector<long> v(8);                                                    \
    std::vector<std::string> s(8, "xy");                                       \
    long (*callees[])(long) = {work, doubled, work};                           \
    std::function<long(long)> made = [](long n) { return work(n) * 3; };       \
    counted objects[] = {counted("a"), counted("bc"), counted("def")};         \
    int i = 0;                                                                 \
    m.a[i++] = spawned work(i);                                                \
    m.a[i++] = spawned work(i + 10);                                           \
    m.a[i] = spawned doubled(i++);                                             \
    v[i++] = spawned callees[i - 2](i);                                        \
    v[i++] += spawned made(i);                                                 \
    v[i++] = spawned first_of({i, 7}, std::string(i, 'x'), counted("yz"));     \
    s[i--] = spawned repeated("abc", i);                                       \
    s[i--] = spawned repeated(s[i - 5], i);                                    \
    m.a[--i + 2] = spawned objects[i - 2].size();                              \
    m.a[--i] = spawned(&objects[i - 1])->twice(i);                             \
    cilk_sync;                                                                 \
    long all = i;                                                              \
    for (long n : m.a) all = all * 7 + n;                                      \
    for (long n : v) all = all * 7 + n;                                        \
    for (const auto& each : s) all = all * 3 + static_cast<long>(each.size()); \
    return all;                                                                \
  }
NOPAL_ORDER(order, cilk_spawn)
NOPAL_ORDER(serial_order, )

int failures = 0;

void check(const char* what, long got, long expected) {
  if (got == expected) return;
  std::printf("%s: %ld, expected %ld\n", what, got, expected);
  ++failures;
}

}  // namespace

#ifndef REPEATS
#define REPEATS 100
#endif

int main() {
  for (int i = 0; i < REPEATS; ++i) {
    check("class results", class_results(), 6 + 8 + 5 + 2);
    check("arguments", arguments(), 15 + 15 + 6 * 38 + 1 + 5 * 100);
    check("members", members(), 4 + 40 + 10 + 9 + 4 + 4);
    check("callables", callables(), 5 + 7 + 7 + 24);
    std::array<long, 33> numbers{};
    std::iota(numbers.begin(), numbers.end(), 0L);
    check("templates", sum(numbers.data(), numbers.data() + 33), 528);
    check("references", references(), 45 + 45 + 8);
    check("conversions", conversions(), 3 + 5 + 2);
    check("implicit sync", implicit(), 20 + 10 + 20 + 30 + 6 + 4 * 33);
    check("constructors", tree(6).count(), 127);
    check("floating point", std::lround(area(0, 0, 30, 900, 7)), 9000);
    check("constructions", constructions(), 6 + 16 + 4);
    if (__cplusplus >= 201703) check("order", order(), serial_order());
    check("scopes", scopes(), 1 + 3 + 5 + 400 + 5);
    check("objects", counted::alive, 0);
    if (failures != 0) return 1;
  }
  return 0;
}
