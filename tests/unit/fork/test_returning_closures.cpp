// SPDX-License-Identifier: Apache-2.0
// parallel_invoke of closures that return something.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "nopal/nopal.hpp"
#include "support/build.hpp"
#include "support/counted.hpp"
#include "support/everywhere.hpp"

namespace {

using nopal::parallel_invoke;
using nopal::runtime;
using nopal_test::counted;
using nopal_test::everywhere;
using nopal_test::until;

TEST(ReturningClosures, OneToEight) {
  everywhere([] {
    const auto give = [](int n) { return [n] { return n; }; };
    EXPECT_EQ(parallel_invoke(give(1)), std::tuple(1));
    EXPECT_EQ(parallel_invoke(give(1), give(2)), std::tuple(1, 2));
    EXPECT_EQ(parallel_invoke(give(1), give(2), give(3)), std::tuple(1, 2, 3));
    EXPECT_EQ(parallel_invoke(give(1), give(2), give(3), give(4)), std::tuple(1, 2, 3, 4));
    EXPECT_EQ(parallel_invoke(give(1), give(2), give(3), give(4), give(5)),
              std::tuple(1, 2, 3, 4, 5));
    EXPECT_EQ(parallel_invoke(give(1), give(2), give(3), give(4), give(5), give(6)),
              std::tuple(1, 2, 3, 4, 5, 6));
    EXPECT_EQ(parallel_invoke(give(1), give(2), give(3), give(4), give(5), give(6), give(7)),
              std::tuple(1, 2, 3, 4, 5, 6, 7));
    EXPECT_EQ(
        parallel_invoke(give(1), give(2), give(3), give(4), give(5), give(6), give(7), give(8)),
        std::tuple(1, 2, 3, 4, 5, 6, 7, 8));
  });
}

TEST(ReturningClosures, ResultsOfEveryKind) {
  everywhere([] {
    int number = 1;
    const std::string text = "2";
    const auto reference = [&]() -> int& { return number; };
    const auto constant_reference = [&]() -> const std::string& { return text; };
    const auto owner = [] { return std::make_unique<int>(3); };
    const auto constant = []() -> const std::string { return "a constant that is not short"; };
    const auto move_only = [] { return counted(5); };
    const auto pair = [] { return std::tuple(std::string("6"), 7); };
    {
      auto all = parallel_invoke(reference, constant_reference, owner, constant, move_only, pair);
      using expected = std::tuple<int&, const std::string&, std::unique_ptr<int>, const std::string,
                                  counted, std::tuple<std::string, int>>;
      static_assert(std::is_same_v<decltype(all), expected>);
      EXPECT_EQ(&std::get<0>(all), &number);
      EXPECT_EQ(&std::get<1>(all), &text);
      EXPECT_EQ(*std::get<2>(all), 3);
      EXPECT_EQ(std::get<3>(all), "a constant that is not short");
      EXPECT_EQ(std::get<4>(all).value(), 5);
      EXPECT_EQ(std::get<5>(all), std::tuple("6", 7));
      EXPECT_EQ(counted::alive, 1);
    }
    {
      auto [a, b] = parallel_invoke(reference, constant_reference);
      EXPECT_EQ(&a, &number);
      EXPECT_EQ(&b, &text);
      auto [c, d] = parallel_invoke(move_only, reference);
      EXPECT_EQ(c.value(), 5);
      EXPECT_EQ(&d, &number);
      auto [e, f] = parallel_invoke(constant, move_only);
      EXPECT_EQ(e, "a constant that is not short");
      EXPECT_EQ(f.value(), 5);
      auto [g, h] = parallel_invoke(owner, constant);
      EXPECT_EQ(*g, 3);
      EXPECT_EQ(h, "a constant that is not short");
      // A tuple of one is not taken for the tuple of results.
      auto [i, j] = parallel_invoke([] { return std::tuple(8); }, [] { return std::tuple(9); });
      EXPECT_EQ(i, std::tuple(8));
      EXPECT_EQ(j, std::tuple(9));
      auto [k] = parallel_invoke(reference);
      EXPECT_EQ(&k, &number);
      auto [l] = parallel_invoke(move_only);
      EXPECT_EQ(l.value(), 5);
      auto [m] = parallel_invoke(pair);
      EXPECT_EQ(m, std::tuple("6", 7));
    }
    EXPECT_EQ(counted::alive, 0);
  });
}

int a_function() { return 1; }

struct only_as_lvalue {
  int operator()() & { return 2; }
  int operator()() && = delete;
};

TEST(ReturningClosures, WhateverCanBeCalled) {
  everywhere([] {
    auto counts = [n = 0]() mutable { return ++n; };
    const auto constant = [] { return 3; };
    const std::array<long, 40> numbers{1, 2, 3};
    const auto big = [numbers] { return numbers[2]; };
    static_assert(sizeof(big) > 16 * sizeof(void*));
    only_as_lvalue lvalue;
    EXPECT_EQ(parallel_invoke(counts, a_function), std::tuple(1, 1));
    EXPECT_EQ(parallel_invoke(&a_function, counts), std::tuple(1, 2));
    EXPECT_EQ(parallel_invoke(constant, counts, a_function, &a_function), std::tuple(3, 3, 1, 1))
        << "called where it is, not copied";
    EXPECT_EQ(counts(), 4);
    EXPECT_EQ(parallel_invoke(lvalue, only_as_lvalue{}, std::as_const(constant)),
              std::tuple(2, 2, 3));
    EXPECT_EQ(parallel_invoke(only_as_lvalue{}, only_as_lvalue{}), std::tuple(2, 2));
    EXPECT_EQ(parallel_invoke(big, [numbers] { return numbers[1]; }), std::tuple(3, 2));
    EXPECT_EQ(parallel_invoke([numbers] { return numbers[0]; }, big), std::tuple(1, 3));
    const auto holds = [](int n) {
      return [p = std::make_unique<int>(n)]() mutable { return std::move(p); };
    };
    auto [a, b] = parallel_invoke(holds(1), holds(2));
    EXPECT_EQ(*a + *b, 3);
    EXPECT_EQ(
        parallel_invoke(std::function<int()>(constant), [n = 6]() mutable { return std::move(n); }),
        std::tuple(3, 6));
  });
}

TEST(ReturningClosures, InOrderOnOneWorker) {
  for (const bool caller_works : {false, true}) {
    runtime r({.workers = 1, .caller_works = caller_works});
    std::string order;
    const auto note = [&](char c) {
      return [&order, c] {
        order += c;
        return c;
      };
    };
    r.run([&] {
      const auto [first, c, last] =
          parallel_invoke([&] { return parallel_invoke(note('a'), note('b')); }, note('c'),
                          [&] { return parallel_invoke(note('d'), note('e'), note('f')); });
      EXPECT_EQ(first, std::tuple('a', 'b'));
      EXPECT_EQ(c, 'c');
      EXPECT_EQ(last, std::tuple('d', 'e', 'f'));
    });
    EXPECT_EQ(order, "abcdef");
  }
}

TEST(ReturningClosures, AStolenOneHandsItsResultBack) {
  for (const bool caller_works : {false, true}) {
    runtime r({.workers = 2, .caller_works = caller_works});
    r.run([] {
      const std::array<long, 40> numbers{1, 2, 3};
      int place = 0;
      for (int i = 0; i < 20; ++i) {
        std::atomic<bool> stolen{false};
        const auto wait = [&] {
          until(stolen);
          return std::this_thread::get_id();
        };
        const auto second = [&stolen, i] {
          stolen = true;
          return std::tuple(std::this_thread::get_id(), std::make_unique<int>(i));
        };
        const auto [on, from] = parallel_invoke(wait, second);
        EXPECT_NE(on, std::get<0>(from));
        EXPECT_EQ(*std::get<1>(from), i);

        stolen = false;
        auto [ignored, same] = parallel_invoke(wait, [&]() -> int& {
          stolen = true;
          return place;
        });
        EXPECT_EQ(&same, &place);

        stolen = false;
        auto [also_ignored, sum] = parallel_invoke(wait, [&stolen, numbers, i] {
          stolen = true;
          return numbers[2] + i;
        });
        EXPECT_EQ(sum, 3 + i);
      }
    });
  }
}

/// Forks two closures that are passed in registers, as are their results, with a steal and without
/// one.
template <class A, class B>
void return_in_registers(A a, B b) {
  std::atomic<bool> stolen{false};
  const auto check = [&](auto first, auto second) {
    static_assert(nopal::detail::forks_in_registers<decltype(first), decltype(second)>());
    const auto both = parallel_invoke(std::move(first), std::move(second));
    static_assert(std::is_same_v<decltype(both), const std::tuple<A, B>>);
    EXPECT_TRUE(std::get<0>(both) == a && std::get<1>(both) == b);
  };
  const std::array<const void*, 2> all{&a, &b};
  const auto* const captured = &all;
  const auto second = [captured] { return *static_cast<const B*>((*captured)[1]); };
  check([captured] { return *static_cast<const A*>((*captured)[0]); }, second);
  const auto first = [captured, waits = &stolen] {
    until(*waits);
    return *static_cast<const A*>((*captured)[0]);
  };
  check(first, [captured, begins = &stolen] {
    *begins = true;
    return *static_cast<const B*>((*captured)[1]);
  });
}

struct two_floats {
  float x, y;
  bool operator==(const two_floats&) const = default;
};

TEST(ReturningClosures, TheSmallArePassedInRegisters) {
  runtime r({.workers = 2});
  r.run([&r] {
    return_in_registers(true, 'b');
    return_in_registers(1.5, 2L);
    return_in_registers(3, 4.5);
    return_in_registers(5.5F, &r);
    return_in_registers(two_floats{6, 7}, two_floats{8, 9});
    return_in_registers(std::array{10, 11}, std::array<short, 3>{12, 13, 14});
    EXPECT_EQ(parallel_invoke([] { return 15; }, [] { return 16; }), std::tuple(15, 16));
  });
  const auto small = [p = &r] { return p; };
  const auto large = [p = &r, q = &r, r = &r] { return p == q && q == r; };
  const auto reference = [p = &r]() -> runtime& { return *p; };
  const auto owner = [] { return std::make_unique<int>(); };
  const auto two_words = [p = &r] { return std::array{p, p}; };
  using nopal::detail::forks_in_registers;
  static_assert(!forks_in_registers<decltype(small)&, decltype(small)>());
  static_assert(!forks_in_registers<decltype(small), decltype(large)>());
  static_assert(!forks_in_registers<decltype(reference), decltype(small)>());
  static_assert(!forks_in_registers<decltype(small), decltype(owner)>());
  static_assert(!forks_in_registers<decltype(small), decltype(two_words)>());
}

/// Closure number N of eight waits until a thief has begun with the next.
template <std::size_t N>
void return_from_eight_and_steal_after() {
  std::atomic<bool> stolen{false};
  std::array<std::thread::id, 8> on;
  const auto values = [&]<std::size_t... I>(std::index_sequence<I...>) {
    const auto all = parallel_invoke([&] {
      on[I] = std::this_thread::get_id();
      if (I == N) until(stolen);
      if (I == N + 1) stolen = true;
      return counted(static_cast<int>(I));
    }...);
    return std::array{std::get<I>(all).value()...};
  }(std::make_index_sequence<8>{});
  EXPECT_NE(on[N], on[N + 1]);
  EXPECT_EQ(values, (std::array{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(counted::alive, 0);
}

TEST(ReturningClosures, WhatFollowsAnyOfThemIsStolen) {
  for (const bool caller_works : {false, true}) {
    runtime r({.workers = 2, .caller_works = caller_works});
    r.run([] {
      [&]<std::size_t... N>(std::index_sequence<N...>) {
        (return_from_eight_and_steal_after<N>(), ...);
      }(std::make_index_sequence<7>{});
    });
  }
}

std::uint64_t fib(unsigned n) {
  if (n < 2) return n;
  auto [a, b] = parallel_invoke([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
  return a + b;
}

std::vector<unsigned> below(unsigned from, unsigned to) {
  if (to - from == 1) return {from};
  const unsigned third = (to - from + 2) / 3;
  if (to - from == 2) {
    auto [a, b] =
        parallel_invoke([=] { return below(from, from + 1); }, [=] { return below(from + 1, to); });
    a.insert(a.end(), b.begin(), b.end());
    return std::move(a);
  }
  auto [a, b, c] = parallel_invoke([=] { return below(from, from + third); },
                                   [=] { return below(from + third, to - third); },
                                   [=] { return below(to - third, to); });
  a.insert(a.end(), b.begin(), b.end());
  a.insert(a.end(), c.begin(), c.end());
  return std::move(a);
}

TEST(ReturningClosures, Nested) {
  everywhere([] {
    EXPECT_EQ(fib(nopal_test::with_sanitizer ? 12 : 18), nopal_test::with_sanitizer ? 144U : 2584U);
    const unsigned n = 200;
    const std::vector<unsigned> all = below(0, n);
    ASSERT_EQ(all.size(), n);
    for (unsigned i = 0; i < n; ++i) EXPECT_EQ(all[i], i);
  });
}

TEST(ReturningClosures, FromThreadsThatAreNoWorkers) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) threads.emplace_back([] { EXPECT_EQ(fib(12), 144U); });
  for (auto& t : threads) t.join();
}

}  // namespace
