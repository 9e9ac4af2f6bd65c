// SPDX-License-Identifier: Apache-2.0
// Locals that need more alignment than the stack has. The compiler then moves the stack pointer at
// the function's entry, and by itself would address all locals from there.
#include <array>
#include <cstdint>

#include "nopal/nopal.hpp"
#include "program.hpp"
#include "values.hpp"

using namespace nopal_test;

namespace {

unsigned child(unsigned i) { return slowly(i + 1); }

template <class T>
bool is_aligned(T* p, std::uintptr_t to) {
  return reinterpret_cast<std::uintptr_t>(opaque(p)) % to == 0;
}

NOPAL_FORKS void array_of_its_own() {
  alignas(64) std::array<unsigned, 16> a;
  alignas(128) std::array<unsigned, 4> b{};
  unsigned kept = opaque(5U);
  nopal::fork_frame frame;
  for (unsigned i = 0; i < a.size(); ++i) {
    frame.fork(&a[i], child, i);
    b[i % 4] += i;
    kept = kept * 3 + i;
  }
  frame.join();
  check(is_aligned(a.data(), 64) && is_aligned(b.data(), 128));
  unsigned expected = 5;
  for (unsigned i = 0; i < a.size(); ++i) {
    check(a[i] == i + 1);
    expected = expected * 3 + i;
  }
  check(kept == expected);
  for (unsigned i = 0; i < 4; ++i) check(b[i] == 24 + 4 * i);
}

struct alignas(32) wide {
  std::array<double, 4> v;
};

// For aarch64 g++ 12 passes a reference to a copy that is less aligned, without any forks, too.
#if defined(__aarch64__)
constexpr std::uintptr_t alignment_by_value = 16;
#else
constexpr std::uintptr_t alignment_by_value = alignof(wide);
#endif

double sum_of(wide w, int n) {
  preempt();
  return is_aligned(&w, alignment_by_value) ? w.v[0] + w.v[1] + w.v[2] + w.v[3] + n : -1;
}

// Over-aligned by value: to the child, and to a call between the forks, whose arguments then need
// aligned room, too.
NOPAL_FORKS void by_value() {
  std::array<double, 6> sums;
  wide w{{opaque(1.0), 2, 3, 4}};
  double here = 0;
  nopal::fork_frame frame;
  for (int i = 0; i < 6; ++i) {
    frame.fork(&sums[static_cast<std::size_t>(i)], sum_of, w, i);
    here += sum_of(w, i);
    w.v[3] += 1;
  }
  frame.join();
  for (int i = 0; i < 6; ++i) check(sums[static_cast<std::size_t>(i)] == 10 + 2 * i);
  check(here == 90);
}

NOPAL_FORKS unsigned recursive(unsigned n) {
  if (n < 2) return n;
  alignas(32) unsigned a;
  alignas(64) unsigned b;
  {
    nopal::fork_frame frame;
    frame.fork(&a, recursive, n - 1);
    b = recursive(n - 2);
#ifdef NOPAL_CHECK  // which wants a join() for a result that goes to a local variable
    frame.join();
#endif
  }
  return a + b;
}

}  // namespace

NOPAL_PROGRAM(aligned_array) { array_of_its_own(); }
NOPAL_PROGRAM(aligned_arguments) { by_value(); }
NOPAL_PROGRAM(aligned_recursion) { check(recursive(opaque(10U)) == 55); }
