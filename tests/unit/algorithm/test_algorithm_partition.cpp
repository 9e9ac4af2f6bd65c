// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <deque>
#include <iterator>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "nopal/algorithm/partition.hpp"
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

std::vector<unsigned> numbers(std::size_t n) {
  std::vector<unsigned> v(n);
  for (std::size_t i = 0; i < n; ++i) v[i] = scrambled(i) >> 7;
  return v;
}
std::vector<box> boxes(const std::vector<unsigned>& numbers) {
  std::vector<box> v;
  for (const unsigned i : numbers) v.push_back(std::make_unique<unsigned>(i));
  return v;
}
const auto odd = [](unsigned x) { return x % 2 != 0; };
unsigned number_of(const unsigned& x) { return x; }
unsigned number_of(const box& b) { return *b; }
const auto unboxed = [](const auto& x) { return number_of(x); };

template <class V>
std::vector<unsigned> numbers_of(const V& v) {
  std::vector<unsigned> result;
  for (const auto& x : v) result.push_back(number_of(x));
  return result;
}

std::vector<unsigned> odd_ones_first(const std::vector<unsigned>& v) {
  std::vector<unsigned> result;
  std::ranges::copy_if(v, std::back_inserter(result), odd);
  std::ranges::remove_copy_if(v, std::back_inserter(result), odd);
  return result;
}

/// Checks what a partition has left of v, and what it has returned.
template <class V, class Gone>
void expect_partitioned(const std::vector<unsigned>& before, const V& v, const Gone& rest) {
  EXPECT_EQ(rest.end(), v.end());
  EXPECT_EQ(rest.begin() - v.begin(), std::ranges::count_if(before, odd));
  std::vector<unsigned> now = numbers_of(v), sorted = before;
  EXPECT_TRUE(std::ranges::is_partitioned(now, odd));
  std::ranges::sort(now);
  std::ranges::sort(sorted);
  EXPECT_TRUE(now == sorted);
}

TEST(Partition, InAnyOrder) {
  everywhere([] {
    for (const std::size_t n : lengths) {
      const std::vector<unsigned> before = numbers(n);
      for (const std::size_t by_hand : {0UL, 1UL, 65UL}) {
        std::vector<unsigned> v = before;
        expect_partitioned(before, v, nopal::partition(grain{by_hand}, v, odd));
        std::vector<box> b = boxes(before);
        expect_partitioned(before, b, nopal::partition(grain{by_hand}, b, odd, unboxed));
      }
      std::deque<unsigned> d(before.begin(), before.end());
      expect_partitioned(before, d, nopal::partition(d, odd));
    }
  });
}

TEST(StablePartition, InTheirOrder) {
  everywhere([] {
    for (const std::size_t n : lengths) {
      const std::vector<unsigned> before = numbers(n);
      const std::vector<unsigned> expected = odd_ones_first(before);
      for (const std::size_t by_hand : {0UL, 1UL, 65UL}) {
        std::vector<unsigned> v = before;
        expect_partitioned(before, v, nopal::stable_partition(grain{by_hand}, v, odd));
        EXPECT_TRUE(v == expected);
        std::vector<box> b = boxes(before);
        expect_partitioned(before, b, nopal::stable_partition(grain{by_hand}, b, odd, unboxed));
        EXPECT_TRUE(numbers_of(b) == expected);
      }
    }
  });
}

/// Copies to no more places than needed, and one behind them that must not change.
template <class Range, class T>
void expect_copied(grain g, const Range& from, const std::vector<T>& odd_ones,
                   const std::vector<T>& even_ones, const T& guard, const auto& pred) {
  std::vector<T> a(odd_ones.size() + 1, guard), b(even_ones.size() + 1, guard);
  const auto ends = nopal::partition_copy(g, from, a.begin(), b.begin(), pred);
  EXPECT_EQ(ends.first, a.end() - 1);
  EXPECT_EQ(ends.second, b.end() - 1);
  EXPECT_EQ(a.back(), guard);
  EXPECT_EQ(b.back(), guard);
  a.pop_back();
  b.pop_back();
  EXPECT_TRUE(a == odd_ones);
  EXPECT_TRUE(b == even_ones);
}

TEST(PartitionCopy, ToTwoPlaces) {
  everywhere([] {
    for (const std::size_t n : lengths) {
      const std::vector<unsigned> v = numbers(n);
      std::vector<unsigned> a, b;
      std::ranges::partition_copy(v, std::back_inserter(a), std::back_inserter(b), odd);
      std::vector<std::string> words, long_ones, short_ones;
      for (const unsigned x : v) words.emplace_back(x % 40, 'x');
      const auto is_long = [](const std::string& s) { return s.size() > 20; };
      std::ranges::partition_copy(words, std::back_inserter(long_ones),
                                  std::back_inserter(short_ones), is_long);
      for (const std::size_t by_hand : {0UL, 1UL, 65UL}) {
        expect_copied(grain{by_hand}, v, a, b, 99U, odd);
        expect_copied(grain{by_hand}, words, long_ones, short_ones, std::string("guard"), is_long);
      }
      expect_copied(grain{}, std::list<unsigned>(v.begin(), v.end()), a, b, 99U, odd);
    }
  });
}

TEST(Partition, MoreThanOneStretch) {
  everywhere([] {
    const std::vector<unsigned> before = numbers(150000);
    const grain g{64};  // a stretch is 1024 blocks
    const std::vector<unsigned> expected = odd_ones_first(before);
    std::vector<unsigned> a, b;
    std::vector<unsigned> v = before;
    expect_partitioned(before, v, nopal::partition(g, v, odd));
    v = before;
    expect_partitioned(before, v, nopal::stable_partition(g, v, odd));
    EXPECT_TRUE(v == expected);
    std::ranges::partition_copy(before, std::back_inserter(a), std::back_inserter(b), odd);
    expect_copied(g, before, a, b, 99U, odd);
  });
}

/// Groups of values of which all are kept, or none, or that move by less than a group.
TEST(Partition, ValuesThatAreAlikeInARow) {
  everywhere([] {
    for (const unsigned length : {1U, 5U, 31U, 32U, 33U, 64U, 1000U}) {
      std::vector<unsigned> before(5000);
      for (unsigned i = 0; i < 5000; ++i) before[i] = 2 * i + (i / length % 2);
      const std::vector<unsigned> expected = odd_ones_first(before);
      std::vector<unsigned> v = before;
      expect_partitioned(before, v, nopal::partition(v, odd));
      v = before;
      expect_partitioned(before, v, nopal::stable_partition(grain{200}, v, odd));
      EXPECT_TRUE(v == expected);
    }
  });
}

/// Waits at an element of the left half until one of the right half has been looked at, which a
/// thief must have done.
TEST(Partition, AStolenHalfIsLookedAtOnce) {
  for (const bool caller_works : {false, true}) {
    nopal::runtime r({.workers = 2, .caller_works = caller_works});
    const std::vector<unsigned> before = numbers(1000);
    const std::vector<unsigned> expected = odd_ones_first(before);
    std::vector<unsigned> a, b;
    std::ranges::partition_copy(before, std::back_inserter(a), std::back_inserter(b), odd);
    std::atomic<int> calls{0};
    std::atomic<bool> stolen{false};
    const auto pred = [&](const auto& x) {
      const unsigned n = number_of(x);
      ++calls;
      if (n == before[10]) until(stolen);
      if (n == before[700]) stolen = true;
      return odd(n);
    };
    const auto once = [&](const auto& run) {
      calls = 0;
      stolen = false;
      r.run(run);
      EXPECT_EQ(calls, 1000);
    };
    std::vector<unsigned> v = before, s = before;
    std::vector<box> w = boxes(before), t = boxes(before);
    once([&] { expect_partitioned(before, v, nopal::partition(grain{20}, v, pred)); });
    once([&] { expect_partitioned(before, w, nopal::partition(grain{20}, w, pred)); });
    once([&] { expect_partitioned(before, s, nopal::stable_partition(grain{20}, s, pred)); });
    once([&] { expect_partitioned(before, t, nopal::stable_partition(grain{20}, t, pred)); });
    EXPECT_TRUE(s == expected);
    EXPECT_TRUE(numbers_of(t) == expected);
    once([&] { expect_copied(grain{20}, before, a, b, 99U, pred); });
    EXPECT_GE(r.stats().total.steals, 5U);
  }
}

TEST(Partition, ExceptionsLeaveTheElements) {
  everywhere([] {
    for (const std::size_t by_hand : {0UL, 10UL}) {
      const std::vector<unsigned> before = numbers(5000);
      std::vector<box> v = boxes(before);
      EXPECT_THROW(nopal::partition(
                       grain{by_hand}, v,
                       [&](unsigned x) { return x == before[4000] ? throw 1 : odd(x); }, unboxed),
                   int);
      std::vector<unsigned> now = numbers_of(v), sorted = before;
      std::ranges::sort(now);
      std::ranges::sort(sorted);
      EXPECT_TRUE(now == sorted);
    }
  });
}

}  // namespace
