// SPDX-License-Identifier: Apache-2.0
// What is passed: to the forked call, and to ordinary calls that the function makes between its
// forks. Of the latter a compiler may build the arguments in the function's own frame, where a
// thief's stack must have room for them.
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "nopal/nopal.hpp"
#include "program.hpp"
#include "values.hpp"

using namespace nopal_test;

namespace {

long sum_of_twelve(long a, long b, long c, long d, long e, long f, long g, long h, long i, long j,
                   long k, long l) {
  preempt();
  return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j + 11 * k +
         12 * l;
}
constexpr long twelve = 650;

double sum_of_mixed(int a, double b, float c, long d, double e, double f, short g, double h,
                    double i, double j, char k, double l, double m, double n, unsigned char o,
                    double p) {
  preempt();
  return a + 2 * b + 3 * c + 4.0 * static_cast<double>(d) + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i +
         10 * j + 11 * k + 12 * l + 13 * m + 14 * n + 15 * o + 16 * p;
}
constexpr double mixed = 1496;

struct large {
  std::array<std::uint64_t, 100> words;
};

large filled(std::uint64_t from) {
  large l;
  for (std::size_t i = 0; i < l.words.size(); ++i) l.words[i] = from + i;
  return l;
}

[[gnu::noinline]] std::uint64_t sum_of_large(large l) {
  preempt();
  std::uint64_t sum = 0;
  for (const std::uint64_t w : l.words) sum += w;
  l.words.fill(~std::uint64_t{0});  // the copy is the callee's own
  asm volatile("" : : "r"(&l) : "memory");
  return sum;
}
constexpr std::uint64_t large_sum(std::uint64_t from) { return 100 * from + 4950; }

[[gnu::noinline]] large moved(large l, std::uint64_t by) {
  for (std::uint64_t& w : l.words) w += by;
  return l;
}

NOPAL_FORKS void forked_with_many() {
  std::array<long, 6> sums;
  std::array<double, 6> doubles;
  nopal::fork_frame frame;
  for (unsigned i = 0; i < 6; ++i) {
    const long n = opaque(1L);
    frame.fork(&sums[i], sum_of_twelve, n, n + 1, n + 2, n + 3, n + 4, n + 5, n + 6, n + 7, n + 8,
               n + 9, n + 10, n + 11L);
    frame.fork(&doubles[i], sum_of_mixed, 1, 2.0, 3.0F, 4L, 5.0, 6.0, short{7}, 8.0, 9.0, 10.0,
               char{11}, 12.0, 13.0, 14.0, static_cast<unsigned char>(15), 16.0);
  }
  frame.join();
  for (unsigned i = 0; i < 6; ++i) {
    check(sums[i] == twelve);
    check(doubles[i] == mixed);
  }
}

// The calls between the forks pass arguments on the stack: this is what the linkage region is for.
NOPAL_FORKS void called_with_many() {
  std::array<unsigned, 6> a;
  long sum = 0;
  double doubles = 0;
  nopal::fork_frame frame;
  for (unsigned i = 0; i < 6; ++i) {
    frame.fork(&a[i], slowly<unsigned>, i);
    const long n = opaque(1L);
    sum += sum_of_twelve(n, n + 1, n + 2, n + 3, n + 4, n + 5, n + 6, n + 7, n + 8, n + 9, n + 10,
                         n + 11);
    doubles +=
        sum_of_mixed(1, 2.0, 3.0F, 4L, 5.0, 6.0, 7, 8.0, 9.0, 10.0, 11, 12.0, 13.0, 14.0, 15, 16.0);
  }
  frame.join();
  check(sum == 6 * twelve);
  check(doubles == 6 * mixed);
}

NOPAL_FORKS void forked_with_large() {
  std::array<std::uint64_t, 6> sums;
  large l = filled(opaque(7U));
  nopal::fork_frame frame;
  for (unsigned i = 0; i < 6; ++i) {
    frame.fork(&sums[i], sum_of_large, l);
    for (std::uint64_t& w : l.words) ++w;  // the child has its copy
  }
  frame.join();
  for (unsigned i = 0; i < 6; ++i) check(sums[i] == large_sum(7 + i));
}

NOPAL_FORKS void called_with_large() {
  std::array<unsigned, 8> a;
  std::uint64_t sum = 0;
  nopal::fork_frame frame;
  large l = filled(opaque(0U));
  for (unsigned i = 0; i < 8; ++i) {
    frame.fork(&a[i], slowly<unsigned>, i);
    sum += sum_of_large(l);
    l = moved(moved(l, 2), opaque(~std::uint64_t{0}));
  }
  frame.join();
  check(sum == 8 * 4950 + 100 * 28);
  check(sum_of_large(l) == large_sum(8));
  for (unsigned i = 0; i < 8; ++i) check(a[i] == i);
}

// As much as one call can well have, so that the room above a thief's first stack pointer is all
// used.
struct huge {
  std::array<std::uint64_t, 1500> words;
};
[[gnu::noinline]] std::uint64_t ends_of_huge(huge h, int a, huge g) {
  preempt();
  asm volatile("" : : "r"(&h), "r"(&g) : "memory");
  return h.words.front() + h.words.back() + g.words.front() + g.words.back() +
         static_cast<unsigned>(a);
}
[[maybe_unused]] NOPAL_FORKS void called_with_huge() {
  unsigned a;
  huge h{};
  h.words.front() = opaque(3U);
  h.words.back() = 4;
  std::uint64_t sum = 0;
  nopal::fork_frame frame;
  for (unsigned i = 0; i < 3; ++i) {
    frame.fork(&a, slowly<unsigned>, i);
    sum += ends_of_huge(h, 5, h);
    frame.join();
    check(a == i);
  }
  check(sum == 57);
}

struct counter {
  explicit counter(int b) : base(b) {}
  counter(const counter&) = default;
  virtual ~counter() = default;
  [[nodiscard]] int plus(int n) const { return slowly(base + n); }
  void add(int n) { base += slowly(n); }
  NOPAL_FORKS int forks(int n) {
    int one;
    int other;
    nopal::fork_frame frame;
    frame.fork(&one, &counter::plus, this, n);
    frame.fork(&other, &counter::plus, *this, n + 1);
    const int here = plus(n + 2);
    frame.join();
    return one + other + here;
  }
  [[nodiscard]] virtual int kind(int n) const { return slowly(n); }

  int base;
};
struct other_counter : counter {
  using counter::counter;
  [[nodiscard]] int kind(int n) const override { return slowly(-n); }
};

NOPAL_FORKS void members() {
  counter c(100);
  check(c.forks(5) == 318);
  int r;
  int s;
  other_counter o(0);
  nopal::fork_frame frame;
  frame.fork(&counter::add, &c, 11);
  frame.fork(&r, &counter::kind, static_cast<counter*>(&o), 9);
  frame.fork(&s, &counter::kind, std::ref<counter>(o), 8);
  frame.join();
  check(c.base == 111 && r == -9 && s == -8);
}

NOPAL_FORKS void lambdas() {
  std::array<int, 8> squares{};
  std::string text = "a text too long to lie within the string object itself";
  int calls = 0;
  std::size_t length;
  nopal::fork_frame frame;
  for (int i = 0; i < 8; ++i)
    frame.fork([&squares, i] { squares[static_cast<std::size_t>(i)] = slowly(i * i); });
  frame.fork([&calls]() mutable { ++calls; });
  frame.fork(&length, [text] { return slowly(text.size()); });
  text.clear();  // the child has its copy
  text.shrink_to_fit();
  frame.join();
  for (int i = 0; i < 8; ++i) check(squares[static_cast<std::size_t>(i)] == i * i);
  check(calls == 1 && length == 54);
}

int taken(std::unique_ptr<int> p, int n) { return slowly(*p + n); }
std::unique_ptr<int> made(int n) { return std::make_unique<int>(slowly(n)); }

NOPAL_FORKS void move_only() {
  std::array<int, 5> sums;
  std::array<std::unique_ptr<int>, 5> results;
  nopal::fork_frame frame;
  for (int i = 0; i < 5; ++i) {
    auto p = std::make_unique<int>(i);
    frame.fork(&sums[static_cast<std::size_t>(i)], taken, std::move(p), 10);
    check(p == nullptr);
    frame.fork(&results[static_cast<std::size_t>(i)], made, i);
    frame.fork([q = std::make_unique<int>(i)] { check(*q == slowly(*q)); });
  }
  frame.join();
  for (int i = 0; i < 5; ++i) {
    check(sums[static_cast<std::size_t>(i)] == i + 10);
    check(*results[static_cast<std::size_t>(i)] == i);
  }
}

int by_reference(const int& in, int& out) { return out = slowly(in + 1); }

NOPAL_FORKS void references() {
  int in = 4;
  int out = 0;
  int result;
  nopal::fork_frame frame;
  frame.fork(&result, by_reference, std::cref(in), std::ref(out));
  frame.join();
  check(result == 5 && out == 5);
}

NOPAL_FORKS void converted_results() {
  double d;
  std::string s;
  long l;
  nopal::fork_frame frame;
  frame.fork(&d, slowly<int>, 7);
  frame.fork(&s, [](const char* t) { return slowly(t); }, "seven");
  frame.fork(&l, slowly<short>, short{-7});
  frame.fork(slowly<int>, 1);  // nobody wants the result
  frame.join();
  check(d == 7.0 && s == "seven" && l == -7);
}

// The function itself has arguments on its caller's stack, and a result through a pointer it was
// handed.
NOPAL_FORKS large with_own_arguments(long a, long b, long c, long d, long e, long f, long on_stack,
                                     large l, double x) {
  long one;
  std::uint64_t sum;
  nopal::fork_frame frame;
  frame.fork(&one, slowly<long>, a + b + c + d + e + f);
  frame.fork(&sum, sum_of_large, l);
  large result = moved(l, static_cast<std::uint64_t>(on_stack));
  frame.join();
  check(one == 21 && on_stack == 7 && x == 8.5);
  check(sum == large_sum(1));
  return result;
}

void by_closures() {
  large l = filled(opaque(3U));
  auto p = std::make_unique<int>(5);
  std::uint64_t sum = 0;
  long many = 0;
  int m = 0;
  nopal::parallel_invoke([&, l] { sum = sum_of_large(l); },
                         [&] {
                           const long n = opaque(1L);
                           many = sum_of_twelve(n, n + 1, n + 2, n + 3, n + 4, n + 5, n + 6, n + 7,
                                                n + 8, n + 9, n + 10, n + 11);
                         },
                         [&m, p = std::move(p)] { m = slowly(*p); });
  check(sum == large_sum(3) && many == twelve && m == 5);
}

[[gnu::noinline]] long sum_of_nine(long a, long b, long c, long d, long e, long f, long g, long h,
                                   long i) noexcept {
  return opaque(a + b + c + d + e + f + g + h + i);
}

[[gnu::noinline]] void* stack_pointer() noexcept { return opaque(__builtin_frame_address(0)); }

// Compilers push arguments, and may take them from the stack later: not behind a fork or join, on
// another stack.
NOPAL_FORKS void pushed_before_fork_and_join() {
  const long n = opaque(1L);
  void* const before = stack_pointer();
  nopal::fork_frame frame;
  long sum = 0;
  int a = 0;
  for (int i = 0; i < 20; ++i) {
    sum += sum_of_nine(n, n, n, n, n, n, n, n, i);
    frame.fork(&a, slowly<int>, i);
    sum += sum_of_nine(n, n, n, n, n, n, n, n, i);
    frame.join();
    check(a == i && stack_pointer() == before);
  }
  check(sum == 2 * (20 * 8 + 190));
}

}  // namespace

NOPAL_PROGRAM(arguments_pushed_before_fork_and_join) { pushed_before_fork_and_join(); }
NOPAL_PROGRAM(arguments_forked_with_many) { forked_with_many(); }
NOPAL_PROGRAM(arguments_called_with_many) { called_with_many(); }
NOPAL_PROGRAM(arguments_forked_with_large) { forked_with_large(); }
NOPAL_PROGRAM(arguments_called_with_large) { called_with_large(); }
#ifndef NOPAL_WITHOUT_HUGE
NOPAL_PROGRAM(arguments_called_with_huge) { called_with_huge(); }
#endif
NOPAL_PROGRAM(arguments_members) { members(); }
NOPAL_PROGRAM(arguments_lambdas) { lambdas(); }
NOPAL_PROGRAM(arguments_move_only) { move_only(); }
NOPAL_PROGRAM(arguments_references) { references(); }
NOPAL_PROGRAM(arguments_converted_results) { converted_results(); }
NOPAL_PROGRAM(arguments_of_the_function_itself) {
  const large l = with_own_arguments(1, 2, 3, 4, 5, 6, opaque(7L), filled(1), opaque(8.5));
  check(sum_of_large(l) == large_sum(8));
}
NOPAL_PROGRAM(arguments_by_closures) { by_closures(); }
