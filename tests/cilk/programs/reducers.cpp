// SPDX-License-Identifier: Apache-2.0
// Variables that are reducers, in C++: templates, classes, lambdas, the types of cilk/reducer.h,
// and texts that random trees of calls and loops write, compared with what they write one by one.
#include <cilk/cilk.h>
#include <cilk/reducer.h>

#include <cstdio>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#ifndef REPEATS
#define REPEATS 30
#endif

namespace {

int wrong = 0;
void check(bool right, int line) {
  if (right) return;
  std::printf("line %d\n", line);
  ++wrong;
}
#define CHECK(x) check(x, __LINE__)

template <class T>
void identity(void* view) {
  ::new (view) T();
}
template <class T>
void append(void* left, void* right) {
  *static_cast<T*>(left) += *static_cast<T*>(right);
  static_cast<T*>(right)->~T();
}
using text = std::string cilk_reducer(identity<std::string>, append<std::string>);
template <class T>
using added = T cilk_reducer(identity<T>, append<T>);

/// A tree of calls and loops, the same for the same seed.
struct writer {
  template <bool Parallel>
  static std::string write(unsigned seed) {
    written = "<";
    serial = "<";
    tree<Parallel>(seed, 4);
    if (Parallel) return written;
    return serial;
  }

  static void put(bool parallel, unsigned x) {
    const std::string word = std::to_string(x % 1000) + ' ';
    if (parallel)
      written += word;
    else
      serial += word;
  }
  template <bool Parallel>
  static void tree(unsigned x, unsigned depth) {
    x = x * 1103515245 + 12345;
    put(Parallel, x >> 8);
    if (depth == 0) return;
    const unsigned n = (x >> 16) % 5;
    if ((x >> 20) % 2 == 0) {
      if constexpr (Parallel) {
        for (unsigned i = 0; i < n; ++i) {
          cilk_spawn tree<Parallel>(x + i, depth - 1);
          put(true, i);
          if ((x + i) % 7 == 0) cilk_sync;
        }
      } else {
        for (unsigned i = 0; i < n; ++i) {
          tree<Parallel>(x + i, depth - 1);
          put(false, i);
        }
      }
    } else if constexpr (Parallel) {
#pragma cilk grainsize 1
      cilk_for (unsigned i = 0; i < n; ++i) tree<Parallel>(x + i, depth - 1);
    } else {
      for (unsigned i = 0; i < n; ++i) tree<Parallel>(x + i, depth - 1);
    }
    put(Parallel, n);
  }

  static text written;
  static std::string serial;
};
text writer::written("<");
std::string writer::serial("<");

template <class T>
T sum_of(const std::vector<T>& v) {
  T cilk_reducer(identity<T>, append<T>) all{};
  added<T> again = T();
  typedef T cilk_reducer(identity<T>, append<T>) third_type;
  third_type third = T();
  static added<T> calls = T();
  cilk_for (std::size_t i = 0; i < v.size(); ++i) {
    all += v[i];
    again += v[i];
    third += v[i];
  }
  calls += T(1);
  CHECK(all == again && all == third && calls > T());
  return all;
}

template <class T>
struct counter {
  static void none(void* v) { *static_cast<T*>(v) = 0; }
  static void both(void* l, void* r) { *static_cast<T*>(l) += *static_cast<T*>(r); }
  static T cilk_reducer(none, both) count;
  static inline T cilk_reducer(none, both) other = 3;
  void add() const { this->count += 1, counter::other += 2; }
};
template <class T>
T cilk_reducer(counter<T>::none, counter<T>::both) counter<T>::count = 1;

void members() {
  const counter<long> c;
  cilk_for (int i = 0; i < 500; ++i) c.add();
  CHECK(counter<long>::count == 501 && c.other == 1003);
  counter<long>::count = 1;
  c.other = 3;
}

template <class T>
added<T> of_type = T();

void variable_templates() {
  cilk_for (int i = 0; i < 400; ++i) of_type<long> += i;
  CHECK(of_type<long> == 399 * 200);
  of_type<long> = 0;
}

template <class F>
void call(const F& f, unsigned n) {
  if (n == 0) return f();
  cilk_spawn call(f, n - 1);
  call(f, n - 1);
}

void lambdas() {
  long cilk_reducer(identity<long>, append<long>) x = 1;
  auto by_reference = [&] { x += 1; };
  auto explicitly = [&x] { return [&x] { ++x; }; };
  call(by_reference, 6);
  call(explicitly(), 6);
  call([&](auto... none) { x += 1 + static_cast<long>(sizeof...(none)); }, 6);
  CHECK(x == 1 + 3 * 64);
  auto copy = [x]() mutable { return ++x; };
  auto renamed = [y = x] { return y; };
  auto of_all = [=] { return [=] { return x; }(); };
  x = 0;
  CHECK(copy() == 194 && copy() == 195 && renamed() == 193 && of_all() == 193);
  cilk_for (int i = 0; i < 300; ++i) {
    const auto in_a_turn = [&] { x += i; };
    in_a_turn();
  }
  CHECK(x == 300 * 299 / 2);
}

void named_types() {
  cilk::opadd_reducer<long> sum = 2;
  cilk::opand_reducer<unsigned> bits = ~0U;
  cilk::max_reducer<int> largest = -5;
  cilk::min_reducer<double> smallest = 1e9;
  cilk::list_reducer<int> list;
  std::ostringstream to;
  cilk::ostream_reducer<char> out(to);
  std::string expected;
  for (int i = 0; i < 200; ++i) expected += std::to_string(i) + ',';
#pragma cilk grainsize 5
  cilk_for (int i = 0; i < 200; ++i) {
    sum += i;
    bits &= ~(1U << (i % 16));
    if (largest < (i * 37) % 200) largest = (i * 37) % 200;
    if (i - 100. < smallest) smallest = i - 100.;
    list.push_back(i);
    out << i << ',';
  }
  CHECK(sum == 2 + 199 * 100 && bits == 0xffff0000U && largest == 199 && smallest == -100);
  int next = 0;
  for (const int i : list) CHECK(i == next++);
  CHECK(next == 200 && to.str() == expected);
}

/// Has a block of `try`, which is a sync only in a function that spawns.
template <class T>
void append_to(T& to, int i) {
  try {
    to += std::to_string(i % 10);
  } catch (const std::exception&) {
    check(false, __LINE__);
  }
}
template <class T>
void append_twice(T&& to, int i) {
  cilk_spawn append_to(to, i);
  cilk_sync;
  to += ' ';
}

/// A reference to a view may be used as long as the strand is the same, by what is called and by a
/// call that is spawned.
void references() {
  text all;
  std::string expected;
  for (int i = 0; i < 50; ++i) {
    cilk_spawn append_to(all, i);
    append_twice(all, i);
    std::string& view = all;
    view += '.';
    const std::string* const same = &all;
    expected += std::to_string(i % 10) + std::to_string(i % 10) + " .";
    CHECK(same == &view && !same->empty());
  }
  cilk_sync;
  CHECK(all == expected);
  cilk_for (int i = 0; i < 50; ++i) {
    std::string& view = all;
    append_to(view, i);
  }
  for (int i = 0; i < 50; ++i) expected += std::to_string(i % 10);
  const auto& sum = all + "!";
  CHECK(sum == expected + "!");
  for (auto& letter : all) letter = 'x';
  CHECK(all == std::string(expected.size(), 'x'));
}

int counted_views = 0;
struct tracked {
  tracked() : value(0) { __atomic_fetch_add(&counted_views, 1, __ATOMIC_RELAXED); }
  explicit tracked(int v) : value(v) { __atomic_fetch_add(&counted_views, 1, __ATOMIC_RELAXED); }
  tracked(const tracked& t) : tracked(t.value) {}
  tracked& operator=(const tracked&) = default;
  ~tracked() { __atomic_fetch_sub(&counted_views, 1, __ATOMIC_RELAXED); }
  tracked& operator+=(const tracked& t) {
    value += t.value;
    return *this;
  }
  void add(int n) { value += n; }
  int value;
};

int end_and_begin(int n) {
  tracked cilk_reducer(identity<tracked>, append<tracked>) t(5);
  cilk_for (int i = 0; i < n; ++i) {
    t.add(i);
    tracked* view = &t;
    view->value += 1;
  }
  if (n == 3) return t.value;
  cilk_spawn t.add(1);
  cilk_sync;
  return t.value - 1;
}

void fails(int i) {
  if (i == 6) throw std::runtime_error("6");
}

/// What comes before the exception in the serial order has been counted. The strings are so short
/// that they need no memory of their own: values that are dropped are not destroyed.
int with_exceptions() {
  std::string cilk_reducer(identity<std::string>, append<std::string>) before = "";
  int caught = 0;
  try {
    std::string cilk_reducer(identity<std::string>, append<std::string>) inner = "i";
    for (int i = 0; i < 12; ++i) {
      cilk_spawn fails(i);
      inner += 'x';
      before += 'b';
    }
    cilk_sync;
  } catch (const std::runtime_error&) {
    ++caught;
  }
  CHECK(caught == 1 && before == std::string(6, 'b'));
  return caught;
}

added<long> used_in_initializer = 11;
long initialized_later = used_in_initializer + 1;
long with_default(long x = used_in_initializer) { return x; }
struct has_default {
  long x = used_in_initializer;
};

#if __cplusplus >= 202002L  // before, no lambda captures one
void bindings() {
  added<long> sum = 0;
  const struct {
    long one, two;
  } both{1, 2};
  const auto& [one, two] = both;
  const auto add = [&] {
    cilk_for (int i = 0; i < 10; ++i) sum += one + two;
  };
  add();
  CHECK(sum == 30);
}
#else
void bindings() {}
#endif

}  // namespace

int main() {
  for (int i = 0; i < REPEATS; ++i) {
    for (unsigned seed = 1; seed < 20; ++seed)
      CHECK(writer::write<true>(seed * 7919 + i) == writer::write<false>(seed * 7919 + i));
    std::vector<long> longs(3000, 3);
    std::vector<std::string> words;
    for (int k = 0; k < 300; ++k) words.push_back(std::to_string(k));
    std::string all;
    for (const std::string& w : words) all += w;
    CHECK(sum_of(longs) == 9000);
    std::string joined = cilk_spawn[&words] {
      text t;
#pragma cilk grainsize 4
      cilk_for (const std::string& w : words) t += w;
      return t;
    }
    ();
    cilk_sync;
    CHECK(joined == all);
    members();
    variable_templates();
    lambdas();
    bindings();
    named_types();
    references();
    CHECK(end_and_begin(100) == 5 + 4950 + 100 && end_and_begin(3) == 5 + 3 + 3);
    CHECK(counted_views == 0);
    CHECK(with_exceptions() == 1);
    CHECK(initialized_later == 12 && with_default() == 11 && has_default().x == 11);
  }
  return wrong != 0;
}
