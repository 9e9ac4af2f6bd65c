// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <iterator>
#include <list>
#include <ranges>
#include <stdexcept>
#include <string>
#include <vector>

#include "nopal/algorithm/filter.hpp"
#include "nopal/nopal.hpp"
#include "support/everywhere.hpp"
#include "support/ranges.hpp"

namespace {

using nopal::grain;
using nopal_test::everywhere;
using nopal_test::lengths;
using nopal_test::scrambled;
using nopal_test::until;

const auto odd = [](unsigned x) { return x % 2 != 0; };
const auto long_word = [](const std::string& s) { return s.size() % 3 == 0; };

std::vector<unsigned> numbers(std::size_t n) {
  std::vector<unsigned> v(n);
  for (std::size_t i = 0; i < n; ++i) v[i] = scrambled(i) >> 5;
  return v;
}
std::vector<std::string> words(std::size_t n) {
  std::vector<std::string> v(n);
  for (std::size_t i = 0; i < n; ++i) v[i] = std::string(scrambled(i) / 7 % 40, 'x');
  return v;
}
template <class T, class Pred>
std::vector<T> filtered(const std::vector<T>& v, const Pred& pred) {
  std::vector<T> result;
  std::ranges::copy_if(v, std::back_inserter(result), pred);
  return result;
}

TEST(Filter, InTheirOrder) {
  everywhere([] {
    for (const std::size_t n : lengths)
      for (const std::size_t by_hand : {0UL, 1UL, 65UL}) {
        const std::vector<unsigned> v = numbers(n);
        EXPECT_TRUE(nopal::filter(grain{by_hand}, v, odd) == filtered(v, odd)) << n;
        const std::vector<std::string> w = words(n);
        EXPECT_TRUE(nopal::filter(grain{by_hand}, w, long_word) == filtered(w, long_word)) << n;
      }
    const std::vector<unsigned> many = numbers(200000);
    EXPECT_TRUE(nopal::filter(grain{64}, many, odd) == filtered(many, odd));
  });
}

TEST(Filter, OtherRanges) {
  everywhere([] {
    const std::vector<unsigned> v = numbers(3000);
    const std::list<unsigned> list(v.begin(), v.end());
    EXPECT_TRUE(nopal::filter(list, odd) == filtered(v, odd));
    const std::vector<int> squares =
        nopal::filter(std::views::iota(0, 100) | std::views::transform([](int i) { return i * i; }),
                      [](int x) { return x > 9000; });
    EXPECT_EQ(squares, (std::vector<int>{9025, 9216, 9409, 9604, 9801}));
    EXPECT_EQ(nopal::filter(0, 1000, [](int i) { return i % 400 == 0; }),
              (std::vector<int>{0, 400, 800}));
    const std::vector<bool> bits{true, false, true};
    EXPECT_EQ(nopal::filter(bits, std::identity()), (std::vector<bool>{true, true}));
    EXPECT_EQ(nopal::filter(
                  words(100), [](std::size_t n) { return n > 100; }, &std::string::size),
              std::vector<std::string>());
  });
}

/// Waits at an element of the left half until one of the right half has been looked at, which a
/// thief must have done.
TEST(Filter, AStolenHalfIsLookedAtOnce) {
  for (const bool caller_works : {false, true}) {
    nopal::runtime r({.workers = 2, .caller_works = caller_works});
    const auto check = [&](const auto& v) {
      std::atomic<bool> stolen{false};
      std::atomic<int> calls{0};
      const auto index = [&](const auto& x) { return static_cast<std::size_t>(&x - v.data()); };
      const auto third = [&](const auto& x) { return index(x) % 3 == 0; };
      const auto look = [&](const auto& x) {
        ++calls;
        if (index(x) == 10) until(stolen);
        if (index(x) == 700) stolen = true;
        return third(x);
      };
      EXPECT_TRUE(r.run([&] { return nopal::filter(grain{70}, v, look); }) == filtered(v, third));
      EXPECT_EQ(calls, 1000);
    };
    check(numbers(1000));
    check(words(1000));
    EXPECT_GE(r.stats().total.steals, 2U);
  }
}

TEST(Filter, ExceptionsPropagateInOrder) {
  everywhere([] {
    const std::vector<std::string> w = words(5000);
    const auto fails = [&](const std::string& s) {
      if (&s == &w[4000]) throw std::out_of_range("4000");
      if (&s == &w[4500]) throw 1;
      return true;
    };
    EXPECT_THROW(nopal::filter(w, fails), std::out_of_range);
    EXPECT_THROW(nopal::filter(grain{10}, w, fails), std::out_of_range);
  });
}

nopal::task<bool> is_odd(unsigned x) { co_return x % 2 != 0; }

TEST(Filter, PredicatesMayBeCoroutines) {
  everywhere([] {
    const std::vector<unsigned> v = numbers(1000);
    EXPECT_TRUE(nopal::filter(grain{50}, v, is_odd) == filtered(v, odd));
  });
}

}  // namespace
