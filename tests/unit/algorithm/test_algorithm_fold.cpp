// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <numeric>
#include <optional>
#include <ranges>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "nopal/nopal.hpp"
#include "support/algorithm.hpp"
#include "support/build.hpp"
#include "support/everywhere.hpp"
#include "support/ranges.hpp"

namespace {

using nopal::deterministic;
using nopal::fold;
using nopal::grain;
using nopal_test::affine;
using nopal_test::everywhere;
using nopal_test::lengths;
using nopal_test::matrix;
using nopal_test::spin_for;
using nopal_test::takes;

TEST(Fold, OfNothingAndOfOne) {
  everywhere([] {
    const std::vector<int> none;
    EXPECT_EQ(fold(none, 5, std::plus<>{}), 5);
    EXPECT_EQ(fold(none, std::plus<>{}), std::nullopt);
    EXPECT_EQ(fold(none.begin(), none.end(), std::plus<>{}), std::nullopt);
    const std::vector<int> one{3};
    EXPECT_EQ(fold(one, 5, std::minus<>{}), 2);
    EXPECT_EQ(fold(one, std::plus<>{}), std::optional(3));
  });
}

/// Numbers that are taken in any order.
template <class T, class Op>
void check_numbers(Op op) {
  for (const std::size_t n : lengths) {
    std::vector<T> v(n);
    for (std::size_t i = 0; i < n; ++i) v[i] = static_cast<T>((i * 7 + 3) % 11);
    for (const std::size_t from : {std::size_t{0}, std::min<std::size_t>(n, 1)}) {
      const std::span<const T> part(v.begin() + static_cast<std::ptrdiff_t>(from), v.end());
      const auto serial = std::accumulate(part.begin(), part.end(), op(T{5}, T{}), op);
      EXPECT_EQ(fold(part, op(T{5}, T{}), op), serial) << n;
      EXPECT_EQ(fold(grain{100}, part, op(T{5}, T{}), op), serial) << n;
    }
  }
}

TEST(Fold, NumbersByOperationsThatCommute) {
  everywhere([] {
    check_numbers<double>(std::plus<>{});
    check_numbers<float>(std::plus<float>{});
    check_numbers<std::int8_t>(std::plus<>{});
    check_numbers<std::uint64_t>(std::multiplies<>{});
    check_numbers<std::uint32_t>(std::bit_xor<>{});
    check_numbers<int>(std::bit_or<>{});
    check_numbers<unsigned>(std::bit_and<unsigned>{});
  });
}

/// All forms of a fold against the serial loop.
template <class T, class Number>
void check(Number number) {
  for (const std::size_t n : lengths) {
    std::vector<T> v(n);
    for (std::size_t i = 0; i < n; ++i) v[i] = number(i);
    T expected{number(12345)};
    for (const T& x : v) expected = expected * x;
    const T init = number(12345);
    EXPECT_EQ(fold(v, init, std::multiplies<>{}), expected) << n;
    EXPECT_EQ(fold(grain{1}, v, init, std::multiplies<>{}), expected) << n;
    EXPECT_EQ(fold(grain{70}, v.begin(), v.end(), init, std::multiplies<>{}), expected) << n;
    EXPECT_EQ(fold(v.begin(), v.end(), init, std::multiplies<>{}), expected) << n;
    EXPECT_EQ(fold(deterministic, v, init, std::multiplies<>{}), expected) << n;
    EXPECT_EQ(fold(deterministic(grain{5}), v, init, std::multiplies<>{}), expected) << n;
    for (const std::size_t g : {0, 1, 64, 1000}) {
      const std::optional<T> alone = fold(grain{g}, v, std::multiplies<>{});
      ASSERT_EQ(alone.has_value(), n != 0);
      if (alone) {
        EXPECT_EQ(init * *alone, expected) << n << ' ' << g;
      }
    }
  }
}

TEST(Fold, OperationsThatDoNotCommute) {
  everywhere([] {
    check<affine>(nopal_test::affine_number);
    check<matrix>(nopal_test::matrix_number);
    check<std::uint64_t>([](std::size_t i) { return std::uint64_t{nopal_test::scrambled(i)} | 1; });
  });
}

TEST(Fold, Strings) {
  everywhere([] {
    std::vector<std::string> words(3000);
    std::string expected = ">";
    for (std::size_t i = 0; i < words.size(); ++i) expected += words[i] = std::to_string(i);
    EXPECT_EQ(fold(words, std::string(">"), std::plus<>{}), expected);
    EXPECT_EQ(fold(grain{1}, words, ">",
                   [](std::string a, const std::string& b) { return std::move(a) + b; }),
              expected);
    EXPECT_EQ(">" + *fold(grain{17}, words, std::plus<>{}), expected);
  });
}

/// A move-only value without a default.
struct interval {
  interval(std::size_t a, std::size_t b) : first(a), last(b), owned(std::make_unique<int>(1)) {}
  std::size_t first, last;
  std::unique_ptr<int> owned;
};

TEST(Fold, WhatCanOnlyBeMoved) {
  everywhere([] {
    const auto joined = [](interval a, interval b) {
      EXPECT_EQ(a.last, b.first);
      return interval(a.first, b.last);
    };
    const auto single = [](std::size_t i) { return interval(i, i + 1); };
    const auto all =
        fold(grain{3}, std::views::iota(std::size_t{0}, std::size_t{5000}), joined, single);
    EXPECT_EQ(all->first, 0U);
    EXPECT_EQ(all->last, 5000U);
    const interval more =
        fold(std::views::iota(std::size_t{7}, std::size_t{300}), interval(2, 7), joined, single);
    EXPECT_EQ(more.first, 2U);
    EXPECT_EQ(more.last, 300U);
  });
}

TEST(Fold, TypesOfResults) {
  const std::vector<int> ints(1000, 1'000'000'000);
  EXPECT_EQ(fold(ints, std::int64_t{0}, std::plus<>{}), 1'000'000'000'000);
  const std::vector<float> floats(100000, 0.1F);
  EXPECT_NEAR(fold(floats, 0.0, std::plus<>{}), 10000.0, 0.001);
  static_assert(std::same_as<decltype(fold(floats, 0.0, std::plus<>{})), double>);
  static_assert(std::same_as<decltype(fold(floats, std::plus<>{})), std::optional<float>>);
  const std::vector<bool> bits(1000, true);
  EXPECT_EQ(fold(bits, 0, std::plus<>{}), 1000);
  EXPECT_EQ(fold(bits, std::logical_and<>{}), std::optional(true));
  EXPECT_EQ(*fold(std::views::iota(0, 5000), std::ranges::max), 4999);
}

TEST(Fold, ProjectionsAndSentinels) {
  everywhere([] {
    const std::vector<std::string> words(2000, "abc");
    EXPECT_EQ(fold(words, std::size_t{0}, std::plus<>{}, &std::string::size), 6000U);
    EXPECT_EQ(*fold(grain{1}, words.begin(), words.end(), std::plus<>{}, &std::string::size),
              6000U);
    const int c[] = {1, 2, 3, 4};
    EXPECT_EQ(fold(c, nopal_test::length_sentinel{c + 4}, 0, std::plus<>{}), 10);
    EXPECT_EQ(*fold(std::views::iota(1, 9999) | std::views::take(100), std::plus<>{}), 5050);
    const auto text = [](int x) { return std::to_string(x); };
    EXPECT_EQ(*fold(c | std::views::reverse | std::views::transform(text), std::plus<>{}), "4321");
  });
}

std::vector<double> fractions(std::size_t n) {
  std::vector<double> v(n);
  for (std::size_t i = 0; i < n; ++i) v[i] = 1.0 / (1 + nopal_test::scrambled(i) % 100003);
  return v;
}

TEST(Fold, TheSameForAnyNumberOfWorkers) {
  const std::vector<double> v = fractions(nopal_test::with_sanitizer ? 100000 : 1000000);
  std::vector<std::complex<double>> z(v.size() / 2);
  for (std::size_t i = 0; i < z.size(); ++i) z[i] = {v[2 * i], v[2 * i + 1]};
  std::vector<std::uint64_t> expected;
  for (const unsigned workers : {1U, 2U, 3U, 4U, 7U}) {
    nopal::runtime r({.workers = workers});
    for (int repeat = 0; repeat < 5; ++repeat) {
      std::vector<std::uint64_t> bits;
      r.run([&] {
        bits.push_back(std::bit_cast<std::uint64_t>(fold(deterministic, v, 0.0, std::plus<>{})));
        bits.push_back(
            std::bit_cast<std::uint64_t>(*fold(deterministic(grain{33}), v, std::plus<>{})));
        bits.push_back(std::bit_cast<std::uint64_t>(fold(v, 0.5, std::plus<>{})));
        bits.push_back(
            std::bit_cast<std::uint64_t>(fold(z, std::complex<double>{}, std::plus<>{}).imag()));
      });
      if (expected.empty()) expected = bits;
      EXPECT_EQ(bits, expected) << workers;
    }
  }
}

/// The brackets of a fold, in words, of elements that take their time at some places.
std::string brackets(std::size_t n, std::size_t slow_from, std::size_t slow_to) {
  return *fold(
      std::views::iota(std::size_t{0}, n),
      [](const std::string& a, const std::string& b) { return "(" + a + " " + b + ")"; },
      [=](std::size_t i) {
        if (slow_from <= i && i < slow_to) spin_for(std::chrono::microseconds(20));
        return std::to_string(i);
      });
}

TEST(Fold, BracketsDoNotDependOnTime) {
  for (const std::size_t n : {2UL, 7UL, 63UL, 64UL, 300UL, 1000UL}) {
    std::string expected;
    for (const unsigned workers : {1U, 2U, 4U}) {
      nopal::runtime r({.workers = workers});
      r.run([&] {
        if (expected.empty()) expected = brackets(n, 0, n);  // all are forked
        EXPECT_TRUE(brackets(n, 0, 0) == expected) << n;
        EXPECT_TRUE(brackets(n, 0, n / 3) == expected) << n;
        EXPECT_TRUE(brackets(n, n / 2, n / 2 + 3) == expected) << n;
      });
    }
  }
}

// A part that looks too short and is not has at most an eighth of the elements.
TEST(Fold, WhatWasCheapIsForkedOnceItIsDear) {
  constexpr int n = 64;
  nopal::runtime r({.workers = 1});
  const auto newest = [] { return nopal::detail::this_worker()->deque.newest(); };
  const auto fold_once = [&] {
    int forked = 0;
    const auto outside = newest();
    static_cast<void>(fold(
        0, n, 0, [](int a, int b) { return a + b; },
        [&](int i) {
          if (i >= n / 2) spin_for(std::chrono::microseconds(20));
          if (i >= n / 2 + n / 8 && newest() > outside) ++forked;
          return i;
        }));
    EXPECT_GE(forked, n / 4);  // all but the last have a part behind them
  };
  r.run([&] {
    for (int i = 0; i < 50; ++i) fold_once();  // the first may look dear from the beginning
  });
}

TEST(Fold, ExceptionsPropagate) {
  everywhere([] {
    const std::vector<std::string> words(1000, "x");
    const auto fails = [](const std::string& a, const std::string& b) {
      return a.size() + b.size() > 100 ? throw std::length_error("too long") : a + b;
    };
    EXPECT_THROW(static_cast<void>(fold(grain{2}, words, fails)), std::length_error);
  });
}

/// An array may stand for its first element. Here the operation cannot be called with the
/// iterators.
TEST(Fold, FormsAreToldApart) {
  const auto product = [](auto a, auto b) { return a * b; };
  const int c[] = {2, 3, 4};
  int d[] = {5, 6, 7};
  EXPECT_EQ(nopal::fold(c, c + 3, product), 24);
  EXPECT_EQ(nopal::fold(d, d + 3, product), 210);
  EXPECT_EQ(nopal::fold(nopal::grain{1}, d, d + 3, product), 210);
  EXPECT_EQ(nopal::fold(c, 10, product), 240);
  EXPECT_EQ(nopal::fold(c, c + 3, 10, product), 240);
  EXPECT_EQ(nopal::fold(c, product), 24);
}

nopal::task<double> sums(const std::vector<double>& v) {
  double left = 0;
  std::optional<double> right;
  nopal::eventual<std::string> text;
  co_await nopal::fork(&left, nopal::tasks::fold, v | std::views::take(5000), 0.0, std::plus<>{});
  co_await nopal::fork(&right, nopal::tasks::fold, deterministic, v.begin() + 5000, v.end(),
                       std::plus<>{});
  co_await nopal::fork(&text, nopal::tasks::fold, v, std::string(), std::plus<>{},
                       [](double) { return std::string("x"); });
  const double all = co_await nopal::tasks::fold(v, 0.0, std::plus<>{});
  co_await nopal::join();
  co_return left + *right + all + fold(v, 0.0, std::plus<>{}) + static_cast<double>(text->size());
}

TEST(Fold, FromCoroutines) {
  everywhere([] {
    const std::vector<double> v(10000, 1.0);
    EXPECT_EQ(nopal::wait(sums(v)), 40000.0);
  });
}

TEST(Fold, ExceptionsReachCoroutines) {
  everywhere([] {
    const auto fails = [](int, int) -> int { throw std::range_error("no"); };
    const std::vector<int> v(10);
    const auto waits = [&](const std::vector<int>& ints) -> nopal::task<int> {
      co_return co_await nopal::tasks::fold(ints, 0, fails);
    };
    EXPECT_THROW(nopal::wait(waits(v)), std::range_error);
  });
}

// What must not compile.
using fold_type = nopal::algorithm_detail::fold_function;
static_assert(takes<fold_type, std::vector<int>&, std::plus<>>);
static_assert(!takes<fold_type, std::ranges::istream_view<int>, std::plus<>>,
              "it can be read once");
static_assert(!takes<fold_type, std::vector<int>&, decltype([](int, std::string) { return 0; })>);
static_assert(
    !takes<fold_type, std::vector<std::string>&, int,
           decltype([](int n, const std::string& s) { return n + static_cast<int>(s.size()); })>,
    "partial results could not be combined: project first");

}  // namespace
