// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <deque>
#include <functional>
#include <iterator>
#include <list>
#include <memory>
#include <numeric>
#include <ranges>
#include <stdexcept>
#include <string>
#include <vector>

#include "nopal/nopal.hpp"
#include "support/algorithm.hpp"
#include "support/everywhere.hpp"
#include "support/ranges.hpp"

namespace {

using nopal::grain;
using nopal_test::everywhere;
using nopal_test::lengths;
using nopal_test::takes;

TEST(Map, ToItsPlace) {
  everywhere([] {
    for (const std::size_t n : lengths) {
      std::vector<int> v(n);
      std::iota(v.begin(), v.end(), 0);
      std::vector<long> expected(n), out(n, -1);
      for (std::size_t i = 0; i < n; ++i) expected[i] = 3 * static_cast<long>(i);
      const auto triple = [](int x) { return 3L * x; };
      EXPECT_EQ(nopal::map(v, out.begin(), triple), out.end());
      EXPECT_EQ(out, expected);
      out.assign(n, -1);
      EXPECT_EQ(nopal::map(grain{1}, v.begin(), v.end(), out.data(), triple), out.data() + n);
      EXPECT_EQ(out, expected);
      out.assign(n, -1);
      nopal::map(grain{100}, v, out.begin(), triple);
      EXPECT_EQ(out, expected);
    }
  });
}

TEST(Map, InPlace) {
  everywhere([] {
    std::vector<int> v(10000);
    std::iota(v.begin(), v.end(), 0);
    nopal::map(v, v.begin(), [](int x) { return x + 1; });
    for (std::size_t i = 0; i < v.size(); ++i) EXPECT_EQ(v[i], static_cast<int>(i) + 1);
  });
}

TEST(Map, ProjectionsAndViews) {
  everywhere([] {
    std::vector<std::string> words{"a", "bbb", "cc"};
    std::vector<std::size_t> sizes(3);
    nopal::map(words, sizes.begin(), [](std::size_t n) { return n * 10; }, &std::string::size);
    EXPECT_EQ(sizes, (std::vector<std::size_t>{10, 30, 20}));
    std::deque<unsigned> squares(3000);
    nopal::map(std::views::iota(0U, 3000U), squares.begin(), [](unsigned i) { return i * i; });
    for (unsigned i = 0; i < 3000; ++i) EXPECT_EQ(squares[i], i * i);
    int from[] = {1, 2, 3};
    int to[3];
    EXPECT_EQ(nopal::map(from, nopal_test::length_sentinel{from + 3}, to, [](int x) { return -x; }),
              to + 3);
    EXPECT_EQ(to[2], -3);
  });
}

TEST(Map, WhatCanOnlyBeMoved) {
  everywhere([] {
    std::vector<std::unique_ptr<int>> v(1000);
    nopal::map(std::views::iota(0, 1000), v.begin(),
               [](int i) { return std::make_unique<int>(i); });
    for (int i = 0; i < 1000; ++i) EXPECT_EQ(*v[static_cast<std::size_t>(i)], i);
  });
}

TEST(Map, TwoRanges) {
  everywhere([] {
    for (const std::size_t n : lengths) {
      std::vector<int> a(n), b(n + 3);
      std::iota(a.begin(), a.end(), 0);
      std::iota(b.begin(), b.end(), 5);
      std::vector<long> expected(n), out;
      const auto f = [](int x, int y) { return 10L * x - y; };
      for (std::size_t i = 0; i < n; ++i) expected[i] = f(a[i], b[i]);
      const auto expect = [&](auto&& run) {
        out.assign(n, -1);
        EXPECT_EQ(run(), out.begin() + static_cast<std::ptrdiff_t>(n));
        EXPECT_EQ(out, expected) << n;
      };
      expect([&] { return nopal::map(a, b, out.begin(), f); });
      expect([&] { return nopal::map(grain{1}, a, b, out.begin(), f); });
      expect([&] { return nopal::map(a.begin(), a.end(), b.begin(), b.end(), out.begin(), f); });
      expect([&] {
        return nopal::map(grain{100}, a.begin(), a.end(), b.begin(), b.end(), out.begin(), f);
      });
      expect([&] { return nopal::map(b, a, out.begin(), [&](int y, int x) { return f(x, y); }); });
      std::vector<int> sum = a;
      nopal::map(sum, b, sum.begin(), std::plus<>{});
      nopal::map(a, sum, sum.begin(), std::minus<>{});
      for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(sum[i], -b[i]) << "in place";
    }
  });
}

TEST(Map, TwoRangesOfOtherKinds) {
  everywhere([] {
    const std::vector<std::string> words{"a", "bbb", "cc"};
    const std::deque<int> numbers{1, 2, 3, 4};
    std::vector<std::size_t> out(3);
    const auto product = [](std::size_t n, int k) { return n * static_cast<std::size_t>(k); };
    nopal::map(words, numbers, out.begin(), product, &std::string::size, std::negate<>{});
    EXPECT_EQ(out, (std::vector<std::size_t>{0UL - 1, 0UL - 6, 0UL - 6}));
    nopal::map(words.begin(), words.end(), numbers.begin(), numbers.end(), out.begin(), product,
               &std::string::size);
    EXPECT_EQ(out, (std::vector<std::size_t>{1, 6, 6}));
    std::vector<std::string> numbered(3);
    nopal::map(words, std::views::iota(7, 10), numbered.begin(),
               [](const std::string& word, int i) { return word + std::to_string(i); });
    EXPECT_EQ(numbered.back(), "cc9");
    // Arrays: read, written, and in place of their first elements.
    int a[] = {1, 2, 3}, b[] = {4, 5, 6}, c[3];
    const auto difference = [](auto x, auto y) { return x - y; };
    EXPECT_EQ(nopal::map(a, b, c, difference), c + 3);
    EXPECT_EQ(c[2], -3);
    EXPECT_EQ(nopal::map(a, nopal_test::length_sentinel{a + 2}, b, b + 3, c, std::plus<>{}), c + 2);
    EXPECT_EQ(c[1], 7);
    nopal::map(a, c, std::negate<>{}, [](int x) { return 2 * x; });
    EXPECT_EQ(c[2], -6);
  });
}

TEST(Map, OneOfTwoMayHaveNoEnd) {
  everywhere([] {
    const std::vector<int> v(3000, 4);
    const std::list<int> walked(3000, 5);
    std::vector<int> out(3000);
    EXPECT_EQ(nopal::map(v, std::views::iota(0), out.begin(), std::plus<>{}), out.end());
    EXPECT_EQ(out[2999], 3003);
    EXPECT_EQ(nopal::map(grain{7}, std::views::iota(1), v, out.begin(), std::plus<>{}), out.end());
    EXPECT_EQ(out[2999], 3004);
    EXPECT_EQ(nopal::map(std::views::iota(2), walked, out.begin(), std::plus<>{}), out.end());
    EXPECT_EQ(out[2999], 3006);
  });
}

TEST(Map, ExceptionsPropagate) {
  everywhere([] {
    std::vector<int> v(10000);
    const auto fails = [](int i) -> int { return i == 9000 ? throw std::out_of_range("9000") : i; };
    EXPECT_THROW(nopal::map(std::views::iota(0, 10000), v.begin(), fails), std::out_of_range);
  });
}

nopal::task<int> halves(const std::vector<int>& v, std::vector<int>& out) {
  const auto negative = [](int x) { return -x; };
  co_await nopal::fork(nopal::tasks::map, v | std::views::take(2000), out.begin(), negative);
  const auto end = co_await nopal::tasks::map(grain{50}, v.begin() + 2000, v.end(),
                                              out.begin() + 2000, negative);
  co_await nopal::join();
  co_return end == out.end() ? out.front() + out.back() : 0;
}

TEST(Map, FromCoroutines) {
  everywhere([] {
    const std::vector<int> v(4000, 4);
    std::vector<int> out(4000);
    EXPECT_EQ(nopal::wait(halves(v, out)), -8);
    EXPECT_EQ(out, std::vector<int>(4000, -4));
  });
}

nopal::task<int> differences(const std::vector<int>& v, std::vector<int>& out) {
  co_await nopal::fork(nopal::tasks::map, v, out | std::views::take(2000), out.begin(),
                       std::minus<>{});
  co_await nopal::tasks::map(grain{50}, v | std::views::drop(2000), v, out.begin() + 2000,
                             std::plus<>{}, std::identity(), std::negate<>{});
  co_await nopal::join();
  int a[] = {1, 2, 3}, b[] = {4, 5, 6};
  co_await nopal::tasks::map(a, b, b, std::plus<>{});
  co_await nopal::tasks::map(std::begin(a), a + 3, b, b + 3, b, std::plus<>{});
  co_await nopal::tasks::map(b, a, std::negate<>{}, std::negate<>{});
  co_return a[2];
}

TEST(Map, TwoRangesFromCoroutines) {
  everywhere([] {
    const std::vector<int> v(4000, 4);
    std::vector<int> out(4000, 1);
    EXPECT_EQ(nopal::wait(differences(v, out)), 12);
    std::vector<int> expected(4000, 3);
    std::fill(expected.begin() + 2000, expected.end(), 0);
    EXPECT_EQ(out, expected);
  });
}

// What must not compile.
constexpr auto same = [](int x) { return x; };
using map_type = nopal::algorithm_detail::map_function;
static_assert(takes<map_type, std::vector<int>&, int*, decltype(same)>);
static_assert(!takes<map_type, std::ranges::istream_view<int>, int*, decltype(same)>,
              "it can be read once");
static_assert(
    !takes<map_type, std::vector<int>&, std::ranges::istream_view<int>, int*, std::plus<>>);
static_assert(!takes<map_type, std::vector<int>&, std::list<int>::iterator, decltype(same)>);
static_assert(!takes<map_type, std::vector<int>&, std::vector<bool>::iterator, decltype(same)>);
static_assert(!takes<map_type, std::vector<int>&, std::vector<int>&, int*, decltype(same)>,
              "it takes one");
static_assert(!takes<map_type, std::vector<int>&, int*, std::plus<>>, "it takes two");
static_assert(takes<map_type, std::ranges::iota_view<int>, std::vector<int>&, int*, std::plus<>>);
static_assert(
    !takes<map_type, std::ranges::iota_view<int>, std::ranges::iota_view<int>, int*, std::plus<>>,
    "no end");

}  // namespace
