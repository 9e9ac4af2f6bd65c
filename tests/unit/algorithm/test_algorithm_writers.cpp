// SPDX-License-Identifier: Apache-2.0
// The algorithms whose output has its place by itself: fill, copy, replace, reverse, rotate and the
// like, against the standard library's.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <deque>
#include <list>
#include <memory>
#include <numeric>
#include <ranges>
#include <stdexcept>
#include <string>
#include <vector>

#include "nopal/algorithm/copy.hpp"
#include "nopal/algorithm/fill.hpp"
#include "nopal/algorithm/for_each_n.hpp"
#include "nopal/algorithm/replace.hpp"
#include "nopal/algorithm/reverse.hpp"
#include "nopal/algorithm/rotate.hpp"
#include "nopal/algorithm/swap_ranges.hpp"
#include "nopal/algorithm/transform.hpp"
#include "nopal/nopal.hpp"
#include "support/everywhere.hpp"
#include "support/ranges.hpp"

namespace {

using nopal::grain;
using nopal_test::everywhere;
using nopal_test::lengths;

std::vector<int> numbered(std::size_t n) {
  std::vector<int> v(n);
  std::iota(v.begin(), v.end(), 0);
  return v;
}
std::vector<std::unique_ptr<int>> boxes(std::size_t n) {
  std::vector<std::unique_ptr<int>> v(n);
  for (std::size_t i = 0; i < n; ++i) v[i] = std::make_unique<int>(static_cast<int>(i));
  return v;
}
std::vector<int> unboxed(const std::vector<std::unique_ptr<int>>& boxes) {
  std::vector<int> v;
  for (const auto& b : boxes) v.push_back(b ? *b : -1);
  return v;
}

TEST(Fill, AllAndSome) {
  everywhere([] {
    for (const std::size_t n : lengths) {
      std::vector<int> v(n + 1);
      const auto end = v.end() - 1;
      EXPECT_EQ(nopal::fill(v.begin(), end, 7), end);
      EXPECT_EQ(std::ranges::count(v, 7), static_cast<std::ptrdiff_t>(n));
      EXPECT_EQ(v.back(), 0);
      EXPECT_EQ(nopal::fill_n(grain{3}, v.begin(), n / 2, 8),
                v.begin() + static_cast<std::ptrdiff_t>(n / 2));
      EXPECT_EQ(std::ranges::count(v, 8), static_cast<std::ptrdiff_t>(n / 2));
    }
    std::deque<std::string> words(1000);
    nopal::fill(grain{10}, words, "word");
    EXPECT_EQ(std::ranges::count(words, "word"), 1000);
    EXPECT_EQ(nopal::fill_n(words.begin(), -1, "other"), words.begin());
  });
}

TEST(Generate, CallsForEach) {
  everywhere([] {
    for (const std::size_t n : lengths) {
      std::vector<int> v(n);
      std::atomic<int> next{0};
      EXPECT_EQ(nopal::generate(v, [&] { return next++; }), v.end());
      std::ranges::sort(v);
      EXPECT_EQ(v, numbered(n));
    }
  });
}

TEST(ForEachN, SomeOfThem) {
  everywhere([] {
    for (const std::size_t n : lengths) {
      std::vector<int> v(n + 1);
      nopal::for_each_n(v.begin(), n, [](int& x) { ++x; });
      EXPECT_EQ(std::ranges::count(v, 1), static_cast<std::ptrdiff_t>(n));
      EXPECT_EQ(v.back(), 0);
    }
    std::list<int> list(1000);
    nopal::for_each_n(grain{7}, list.begin(), 500, [](int& x) { ++x; });
    EXPECT_EQ(std::accumulate(list.begin(), list.end(), 0), 500);
    nopal::for_each_n(list.begin(), -1, [](int& x) { ++x; });
    EXPECT_EQ(list.front(), 1);
  });
}

TEST(Copy, ToItsPlace) {
  everywhere([] {
    for (const std::size_t n : lengths) {
      const std::vector<int> v = numbered(n);
      std::vector<int> out(n + 1, -1);
      EXPECT_EQ(nopal::copy(v, out.begin()), out.end() - 1);
      EXPECT_TRUE(std::equal(v.begin(), v.end(), out.begin()));
      EXPECT_EQ(out.back(), -1);
      std::vector<long> wider(n);
      EXPECT_EQ(nopal::copy_n(grain{9}, v.begin(), n, wider.begin()), wider.end());
      EXPECT_TRUE(std::equal(v.begin(), v.end(), wider.begin()));
      std::vector<std::unique_ptr<int>> from = boxes(n), to(n);
      EXPECT_EQ(nopal::move(grain{5}, from, to.begin()), to.end());
      EXPECT_EQ(unboxed(to), v);
      EXPECT_EQ(unboxed(from), std::vector<int>(n, -1));
    }
    const std::list<int> list{1, 2, 3};
    std::vector<int> out(3);
    EXPECT_EQ(nopal::copy(list, out.begin()), out.end());
    EXPECT_EQ(nopal::copy_n(list.begin(), 2, out.begin() + 1), out.end());
    EXPECT_EQ(out, (std::vector<int>{1, 1, 2}));
    nopal::copy(7, 10, out.begin());
    EXPECT_EQ(out, (std::vector<int>{7, 8, 9}));
    nopal::transform(out, out.begin(), [](int x) { return 2 * x; });
    EXPECT_EQ(out.back(), 18);
  });
}

TEST(Replace, WhatThePredicateSays) {
  everywhere([] {
    const auto third = [](int x) { return x % 3 == 0; };
    for (const std::size_t n : lengths) {
      const std::vector<int> v = numbered(n);
      std::vector<int> expected = v, out = v, copied(n);
      std::ranges::replace_if(expected, third, -5);
      EXPECT_EQ(nopal::replace_if(out, third, -5), out.end());
      EXPECT_EQ(out, expected);
      EXPECT_EQ(nopal::replace_copy_if(grain{10}, v, copied.begin(), third, -5), copied.end());
      EXPECT_EQ(copied, expected);
      nopal::replace(grain{10}, out, -5, 3);
      std::ranges::replace(expected, -5, 3);
      EXPECT_EQ(out, expected);
    }
    std::vector<std::string> words{"a", "bbb", "cc"};
    nopal::replace(words, 3U, "long", &std::string::size);
    EXPECT_EQ(words[1], "long");
  });
}

TEST(Reverse, InPlaceAndCopied) {
  everywhere([] {
    for (const std::size_t n : lengths) {
      std::vector<int> expected = numbered(n), out(n);
      std::ranges::reverse(expected);
      std::vector<std::unique_ptr<int>> moved = boxes(n);
      EXPECT_EQ(nopal::reverse(moved), moved.end());
      EXPECT_EQ(unboxed(moved), expected);
      const std::vector<int> v = numbered(n);
      EXPECT_EQ(nopal::reverse_copy(v, out.begin()), out.end());
      EXPECT_EQ(out, expected);
      nopal::reverse(grain{1}, out);
      EXPECT_EQ(out, numbered(n));
    }
  });
}

TEST(Rotate, EveryWhere) {
  everywhere([] {
    for (const std::size_t n : {1UL, 2UL, 2048UL, 2049UL, 5000UL, 50000UL})
      for (const std::size_t middle : {0UL, 1UL, 7UL, n / 17, n / 3, n / 2, n - n / 5, n - 1, n}) {
        if (middle > n) continue;
        const auto left = static_cast<std::ptrdiff_t>(middle);
        std::vector<int> v = numbered(n), expected = v, copied(n);
        std::ranges::rotate(expected, expected.begin() + left);
        EXPECT_EQ(nopal::rotate_copy(v, v.begin() + left, copied.begin()), copied.end());
        EXPECT_TRUE(copied == expected);
        const auto end = nopal::rotate(v, v.begin() + left);
        EXPECT_TRUE(v == expected) << n << " " << middle;
        EXPECT_EQ(end.begin(), v.end() - left);
        EXPECT_EQ(end.end(), v.end());
      }
    std::vector<std::unique_ptr<int>> moved = boxes(5000);
    nopal::rotate(grain{3}, moved.begin(), moved.begin() + 3000, moved.end());
    EXPECT_EQ(*moved.front(), 3000);
    EXPECT_EQ(*moved.back(), 2999);
  });
}

TEST(SwapRanges, UpToTheShorter) {
  everywhere([] {
    for (const std::size_t n : lengths) {
      std::vector<int> a = numbered(n);
      std::deque<int> b(n + 2, -1);
      EXPECT_EQ(nopal::swap_ranges(a, b), static_cast<std::ptrdiff_t>(n));
      EXPECT_EQ(std::ranges::count(a, -1), static_cast<std::ptrdiff_t>(n));
      EXPECT_TRUE(std::ranges::equal(b | std::views::take(n), numbered(n)));
      EXPECT_EQ(b.back(), -1);
    }
  });
}

TEST(Writers, ExceptionsPropagateInOrder) {
  everywhere([] {
    std::vector<int> v = numbered(5000), out(5000);
    const auto fails = [](int x) {
      if (x == 3000) throw std::out_of_range("3000");
      if (x == 3001) throw 1;
      return false;
    };
    EXPECT_THROW(nopal::replace_if(v, fails, 0), std::out_of_range);
    EXPECT_THROW(nopal::replace_copy_if(v, out.begin(), fails, 0), std::out_of_range);
    EXPECT_THROW(nopal::generate(v, []() -> int { throw std::out_of_range("all"); }),
                 std::out_of_range);
  });
}

}  // namespace
