// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <deque>
#include <gtest/gtest.h>
#include <list>
#include <memory>
#include <numeric>
#include <ranges>
#include <stdexcept>
#include <string>
#include <vector>

#include "nopal/nopal.hpp"
#include "support/everywhere.hpp"
#include "support/ranges.hpp"

namespace {

using nopal::grain;
using nopal_test::everywhere;
using nopal_test::lengths;

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
    EXPECT_EQ(nopal::map(from, nopal_test::length_sentinel{from + 3}, to, [](int x) { return -x; }), to + 3);
    EXPECT_EQ(to[2], -3);
  });
}

TEST(Map, WhatCanOnlyBeMoved) {
  everywhere([] {
    std::vector<std::unique_ptr<int>> v(1000);
    nopal::map(std::views::iota(0, 1000), v.begin(), [](int i) { return std::make_unique<int>(i); });
    for (int i = 0; i < 1000; ++i) EXPECT_EQ(*v[static_cast<std::size_t>(i)], i);
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
  const auto end = co_await nopal::tasks::map(grain{50}, v.begin() + 2000, v.end(), out.begin() + 2000, negative);
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

// What must not compile.
constexpr auto same = [](int x) { return x; };
using map_type = decltype(nopal::map);
static_assert(std::invocable<map_type, std::vector<int>&, int*, decltype(same)>);
static_assert(!std::invocable<map_type, std::list<int>&, int*, decltype(same)>);
static_assert(!std::invocable<map_type, std::vector<int>&, std::list<int>::iterator, decltype(same)>);
static_assert(!std::invocable<map_type, std::vector<int>&, std::vector<bool>::iterator, decltype(same)>);

}  // namespace
