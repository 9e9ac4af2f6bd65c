// SPDX-License-Identifier: Apache-2.0
// The algorithms that move what is kept to the beginning of a range, against the standard
// library's.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <deque>
#include <memory>
#include <ranges>
#include <stdexcept>
#include <string>
#include <vector>

#include "nopal/algorithm/remove_if.hpp"
#include "nopal/algorithm/unique.hpp"
#include "nopal/nopal.hpp"
#include "support/everywhere.hpp"
#include "support/ranges.hpp"

namespace {

using nopal::grain;
using nopal_test::everywhere;
using nopal_test::lengths;
using nopal_test::scrambled;
using nopal_test::until;

using box = std::unique_ptr<unsigned>;

/// Numbers below 3, so that equal ones follow each other.
std::vector<unsigned> numbers(std::size_t n) {
  std::vector<unsigned> v(n);
  for (std::size_t i = 0; i < n; ++i) v[i] = (scrambled(i) >> 7) % 3;
  return v;
}
std::vector<box> boxes(const std::vector<unsigned>& numbers) {
  std::vector<box> v;
  for (const unsigned i : numbers) v.push_back(std::make_unique<unsigned>(i));
  return v;
}
unsigned unboxed(const box& b) { return *b; }

/// Erases what run(v) returns, and compares what is left.
template <class V, class Run>
void expect(const std::vector<unsigned>& expected, V v, const Run& run) {
  const auto gone = run(v);
  EXPECT_EQ(gone.end(), v.end());
  v.erase(gone.begin(), gone.end());
  if constexpr (std::same_as<V, std::vector<box>>)
    EXPECT_TRUE(std::ranges::equal(v, expected, {}, unboxed)) << expected.size();
  else
    EXPECT_TRUE(std::ranges::equal(v, expected)) << expected.size();
}

TEST(RemoveIf, WhatIsLeftKeepsItsOrder) {
  everywhere([] {
    const auto one = [](unsigned x) { return x == 1; };
    for (const std::size_t n : lengths) {
      const std::vector<unsigned> v = numbers(n);
      std::vector<unsigned> expected = v;
      std::erase(expected, 1U);
      for (const std::size_t by_hand : {0UL, 1UL, 65UL}) {
        const grain g{by_hand};
        expect(expected, v, [&](auto& w) { return nopal::remove_if(g, w, one); });
        expect(expected, boxes(v), [&](auto& w) { return nopal::remove_if(g, w, one, unboxed); });
      }
      expect(expected, std::deque<unsigned>(v.begin(), v.end()),
             [&](auto& w) { return nopal::remove(w, 1U); });
    }
  });
}

TEST(Unique, TheFirstOfEqualOnes) {
  everywhere([] {
    for (const std::size_t n : lengths) {
      const std::vector<unsigned> v = numbers(n);
      std::vector<unsigned> expected = v;
      expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
      for (const std::size_t by_hand : {0UL, 1UL, 2UL, 65UL}) {
        const grain g{by_hand};
        expect(expected, v, [&](auto& w) { return nopal::unique(g, w); });
        expect(expected, boxes(v),
               [&](auto& w) { return nopal::unique(g, w, std::ranges::equal_to(), unboxed); });
        std::vector<unsigned> out(expected.size() + 1, 99U);
        EXPECT_EQ(nopal::unique_copy(g, v, out.begin()), out.end() - 1);
        EXPECT_EQ(out.back(), 99U);
        out.pop_back();
        EXPECT_TRUE(out == expected);
      }
    }
  });
}

TEST(Unique, OtherRanges) {
  everywhere([] {
    std::vector<std::string> words(3000), out(3000);
    for (std::size_t i = 0; i < 3000; ++i) words[i] = std::string(i / 100 % 5 + 1, 'x');
    const auto same_length = [](std::size_t a, std::size_t b) { return a == b; };
    EXPECT_EQ(nopal::unique_copy(grain{30}, words, out.begin(), same_length, &std::string::size),
              out.begin() + 30);
    EXPECT_EQ(out[29], "xxxxx");
    std::deque<long> wider(3000);
    EXPECT_EQ(nopal::unique_copy(
                  std::views::iota(0, 3000) | std::views::transform([](int i) { return i / 7; }),
                  wider.begin()),
              wider.begin() + 429);
    EXPECT_EQ(wider[428], 428);
    EXPECT_EQ(nopal::unique(grain{30}, words, {}, &std::string::size).begin(), words.begin() + 30);
    EXPECT_EQ(words[29], "xxxxx");
  });
}

/// Waits at an element of the left half until one of the right half has been looked at, which a
/// thief must have done: numbers, and what must be moved.
TEST(RemoveIf, AStolenHalfIsLookedAtOnce) {
  for (const bool caller_works : {false, true}) {
    nopal::runtime r({.workers = 2, .caller_works = caller_works});
    const std::vector<unsigned> v = numbers(1000);
    std::vector<unsigned> expected, firsts = v;
    for (std::size_t i = 0; i < 1000; ++i)
      if (i % 3 != 0) expected.push_back(v[i]);
    firsts.erase(std::unique(firsts.begin(), firsts.end()), firsts.end());
    std::atomic<int> calls{0};
    std::atomic<bool> stolen{false};
    const auto look = [&](std::size_t i) {
      ++calls;
      if (i == 10) until(stolen);
      if (i == 700) stolen = true;
    };
    const auto check = [&](const auto& w) {
      calls = 0;
      stolen = false;
      expect(expected, w(), [&](auto& x) {
        const auto third = [&](const auto& element) {
          const auto i = static_cast<std::size_t>(&element - x.data());
          look(i);
          return i % 3 == 0;
        };
        return r.run([&] { return nopal::remove_if(grain{20}, x, third); });
      });
      EXPECT_EQ(calls, 1000);
      calls = 0;
      stolen = false;
      expect(firsts, w(), [&](auto& x) {
        const auto equal = [&](const auto& a, const auto& b) {
          look(static_cast<std::size_t>(&b - x.data()));
          if constexpr (std::integral<std::remove_cvref_t<decltype(a)>>)
            return a == b;
          else
            return *a == *b;
        };
        return r.run([&] { return nopal::unique(grain{20}, x, equal); });
      });
      EXPECT_EQ(calls, 999);
    };
    check([&] { return v; });
    check([&] { return boxes(v); });
    EXPECT_GE(r.stats().total.steals, 4U);
  }
}

TEST(RemoveIf, MoreThanOneStretch) {
  everywhere([] {
    const std::vector<unsigned> v = numbers(150000);
    std::vector<unsigned> expected = v, firsts = v;
    std::erase(expected, 2U);
    firsts.erase(std::unique(firsts.begin(), firsts.end()), firsts.end());
    const grain g{64};  // a stretch is 1024 blocks
    expect(expected, v, [&](auto& w) { return nopal::remove(g, w, 2U); });
    expect(firsts, v, [&](auto& w) { return nopal::unique(g, w); });
    const std::vector<unsigned> few(v.begin(), v.begin() + 5000);
    firsts = few;
    firsts.erase(std::unique(firsts.begin(), firsts.end()), firsts.end());
    expect(firsts, boxes(few),
           [](auto& w) { return nopal::unique(grain{1}, w, std::ranges::equal_to(), unboxed); });
  });
}

/// Counts how many there are, and may throw when it is moved.
struct counted {
  static std::atomic<int> alive;
  static std::atomic<int> moves_left;
  explicit counted(unsigned n) : number(n) { ++alive; }
  counted(counted&& other) : number(other.number) {
    if (--moves_left == 0) throw std::length_error("a move");
    ++alive;
  }
  counted& operator=(counted&& other) {
    if (--moves_left == 0) throw std::length_error("a move");
    number = other.number;
    return *this;
  }
  ~counted() { --alive; }
  unsigned number;
};
std::atomic<int> counted::alive{0};
std::atomic<int> counted::moves_left{0};

TEST(RemoveIf, AfterAnExceptionAllElementsAreValid) {
  everywhere([] {
    for (const std::size_t by_hand : {0UL, 10UL})
      for (const int moves : {0, 1, 700, 2000}) {
        std::vector<counted> v;
        v.reserve(5000);
        for (unsigned i = 0; i < 5000; ++i) v.emplace_back(i);
        counted::moves_left = moves;
        const auto pred = [&](const counted& c) {
          if (moves == 0 && c.number == 4000) throw std::length_error("4000");
          return c.number % 3 == 0;
        };
        EXPECT_THROW(nopal::remove_if(grain{by_hand}, v, pred), std::length_error);
        EXPECT_EQ(counted::alive, 5000);
        for (const counted& c : v) EXPECT_LT(c.number, 5000U);
      }
    EXPECT_EQ(counted::alive, 0);
  });
}

}  // namespace
