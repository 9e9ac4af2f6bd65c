// SPDX-License-Identifier: Apache-2.0
// Values of every kind that live on over forks and joins, more than there are registers: some are
// kept in those that calls preserve, the others must have been spilled, and nothing may be expected
// in the rest.
#include <array>
#include <cstdint>

#include "nopal/nopal.hpp"
#include "program.hpp"
#include "values.hpp"

using namespace nopal_test;

namespace {

unsigned child(unsigned i) { return slowly(i + 1); }

// Single variables and not an array: each is a candidate for a register. Every turn mixes them all.
#define NOPAL_EACH(f) \
  f(0) f(1) f(2) f(3) f(4) f(5) f(6) f(7) f(8) f(9) f(10) f(11) f(12) f(13) f(14) f(15) f(16) f(17)
#define NOPAL_DEFINE(n) T v##n = opaque(static_cast<T>(n + 1));
#define NOPAL_MIX(n) v##n = v##n * 2 + static_cast<T>(i);
#define NOPAL_CHECK(n) right = right && v##n == expected<T>(n, turns);

template <class T>
T expected(int n, unsigned turns) {
  T v = static_cast<T>(n + 1);
  for (unsigned i = 0; i < turns; ++i) v = v * 2 + static_cast<T>(i);
  return v;
}

constexpr unsigned turns = 6;

template <class T>
NOPAL_FORKS void kept_over_forks() {
  std::array<unsigned, turns> a;
  nopal::fork_frame frame;
  NOPAL_EACH(NOPAL_DEFINE)
  for (unsigned i = 0; i < turns; ++i) {
    frame.fork(&a[i], child, i);
    NOPAL_EACH(NOPAL_MIX)
  }
  frame.join();
  bool right = true;
  NOPAL_EACH(NOPAL_CHECK)
  check(right);
  for (unsigned i = 0; i < turns; ++i) check(a[i] == i + 1);
}

template <class T>
NOPAL_FORKS void kept_over_joins() {
  unsigned a;
  nopal::fork_frame frame;
  NOPAL_EACH(NOPAL_DEFINE)
  for (unsigned i = 0; i < turns; ++i) {
    frame.fork(&a, child, i);
    frame.join();
    NOPAL_EACH(NOPAL_MIX)
    check(a == i + 1);
  }
  bool right = true;
  NOPAL_EACH(NOPAL_CHECK)
  check(right);
}

template <class T>
[[gnu::noinline]] void kept_over_closures() {
  unsigned a = 0;
  unsigned b = 0;
  NOPAL_EACH(NOPAL_DEFINE)
  for (unsigned i = 0; i < turns; ++i) {
    nopal::parallel_invoke([&] { a = child(i); }, [&] { b = child(i + 1); });
    NOPAL_EACH(NOPAL_MIX)
    check(a == i + 1 && b == i + 2);
  }
  bool right = true;
  NOPAL_EACH(NOPAL_CHECK)
  check(right);
}

template <class T>
void kept() {
  kept_over_forks<T>();
  kept_over_joins<T>();
  kept_over_closures<T>();
}

// So few that a compiler would like to keep all of them in registers, also of kinds that calls lose
// or that must be empty.
template <class T>
NOPAL_FORKS void few_over_forks() {
  std::array<unsigned, 2 * turns> a;
  const T x = opaque(static_cast<T>(3));
  T sum = x;
  T other = x + x;
  nopal::fork_frame frame;
  for (unsigned i = 0; i < a.size(); i += 2) {
    frame.fork(&a[i], child, i);
    sum = sum * 2 + x;
    other = other + x;
    frame.fork(&a[i + 1], child, i + 1);
    other = other + sum;
  }
  frame.join();
  check(sum == 3 * 127);
  check(other == 3 * (2 + turns + 246));
  for (unsigned i = 0; i < a.size(); ++i) check(a[i] == i + 1);
}

// Pointers, each running on by another step.
NOPAL_FORKS void pointers() {
  static std::array<long, 400> numbers;
  using T = long*;
  std::array<unsigned, turns> a;
  nopal::fork_frame frame;
#define NOPAL_START(n) T v##n = opaque(numbers.data() + (n));
#define NOPAL_ADVANCE(n) v##n += (n) + i;
#define NOPAL_ARRIVED(n) \
  right = right && v##n == numbers.data() + (n) + turns * (n) + turns * (turns - 1) / 2;
  NOPAL_EACH(NOPAL_START)
  for (unsigned i = 0; i < turns; ++i) {
    frame.fork(&a[i], child, i);
    NOPAL_EACH(NOPAL_ADVANCE)
  }
  frame.join();
  bool right = true;
  NOPAL_EACH(NOPAL_ARRIVED)
  check(right);
}

// Loops that compilers turn into vector code, and whose vectors they would like to keep.
NOPAL_FORKS void vectorized() {
  std::array<float, 256> x;
  std::array<double, 128> y;
  std::array<unsigned, turns> a;
  for (unsigned i = 0; i < x.size(); ++i) x[i] = static_cast<float>(opaque(i));
  for (unsigned i = 0; i < y.size(); ++i) y[i] = opaque(0.5) * i;
  nopal::fork_frame frame;
  for (unsigned i = 0; i < turns; ++i) {
    const float s = opaque(2.0F);
    frame.fork(&a[i], child, i);
    for (float& v : x) v = v * s + 1;
    for (double& v : y) v = v * 2 + s;
  }
  frame.join();
  for (unsigned i = 0; i < x.size(); ++i) check(x[i] == static_cast<float>(i) * 64 + 63);
  for (unsigned i = 0; i < y.size(); ++i) check(y[i] == 0.5 * i * 64 + 126);
}

// Vectors that the program itself asks for, of the size that needs no more alignment than the stack
// has.
using ints = std::int32_t __attribute__((vector_size(16)));
using doubles = double __attribute__((vector_size(16)));

NOPAL_FORKS void vectors() {
  std::array<unsigned, turns> a;
  nopal::fork_frame frame;
#define NOPAL_DEFINE_VECTOR(n)                      \
  ints u##n = opaque(ints{n, n + 1, n + 2, n + 3}); \
  doubles d##n = opaque(doubles{n, n + 0.5});
#define NOPAL_MIX_VECTOR(n) \
  u##n = u##n * 3 + 1;      \
  d##n = d##n * 2 + 1;
#define NOPAL_CHECK_VECTOR(n)                                                  \
  for (int k = 0; k < 4; ++k) right = right && u##n[k] == (n + k) * 729 + 364; \
  for (int k = 0; k < 2; ++k) right = right && d##n[k] == (n + 0.5 * k) * 64 + 63;
  NOPAL_EACH(NOPAL_DEFINE_VECTOR)
  for (unsigned i = 0; i < turns; ++i) {
    frame.fork(&a[i], child, i);
    NOPAL_EACH(NOPAL_MIX_VECTOR)
  }
  frame.join();
  bool right = true;
  NOPAL_EACH(NOPAL_CHECK_VECTOR)
  check(right);
}

// Comparisons whose outcome may be kept in flags or mask registers.
NOPAL_FORKS void flags() {
  std::array<unsigned, 12> a;
  unsigned taken = 0;
  nopal::fork_frame frame;
  for (unsigned i = 0; i < a.size(); ++i) {
    const bool odd = (opaque(i) & 1) != 0;
    const bool large = opaque(static_cast<double>(i)) > 5.5;
    frame.fork(&a[i], child, i);
    if (odd) taken += 1;
    if (large) taken += 100;
    if (odd && !large) taken += 10000;
  }
  frame.join();
  check(taken == 6 + 600 + 30000);
}

// A result that is only ever written by the child: nothing may be kept of what was there before.
NOPAL_FORKS void results_not_cached() {
  unsigned a = opaque(1U);
  unsigned sum = 0;
  nopal::fork_frame frame;
  for (unsigned i = 0; i < 5; ++i) {
    const unsigned before = a;
    frame.fork(&a, child, 10 * i);
    frame.join();
    sum += before + a;
  }
  check(sum == 1 + 2 * (1 + 11 + 21 + 31) + 41);
}

}  // namespace

NOPAL_PROGRAM(locals_int) { kept<int>(); }
NOPAL_PROGRAM(locals_long) { kept<std::uint64_t>(); }
NOPAL_PROGRAM(locals_char) { kept<unsigned char>(); }
NOPAL_PROGRAM(locals_float) { kept<float>(); }
NOPAL_PROGRAM(locals_double) { kept<double>(); }
NOPAL_PROGRAM(locals_long_double) { kept<long double>(); }
NOPAL_PROGRAM(locals_few) {
  few_over_forks<int>();
  few_over_forks<long>();
  few_over_forks<float>();
  few_over_forks<double>();
  few_over_forks<long double>();
}
__extension__ using int128 = __int128;
NOPAL_PROGRAM(locals_int128) { kept<int128>(); }
NOPAL_PROGRAM(locals_pointers) { pointers(); }
NOPAL_PROGRAM(locals_vectorized) { vectorized(); }
NOPAL_PROGRAM(locals_vectors) { vectors(); }
NOPAL_PROGRAM(locals_flags) { flags(); }
NOPAL_PROGRAM(locals_results_not_cached) { results_not_cached(); }
