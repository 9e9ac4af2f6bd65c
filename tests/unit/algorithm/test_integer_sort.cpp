// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <vector>

#include "nopal/algorithm/integer_sort.hpp"
#include "nopal/nopal.hpp"
#include "support/everywhere.hpp"
#include "support/ranges.hpp"

namespace {

using nopal_test::everywhere;
using nopal_test::lengths;
using nopal_test::on_one_worker;
using nopal_test::scrambled;

struct record {
  std::uint64_t key;
  std::size_t number;

  friend bool operator==(const record&, const record&) = default;
};

// Keys that use the digits in different ways.
std::uint64_t key_number(int kind, std::size_t i) {
  const std::uint64_t random =
      std::uint64_t{scrambled(i)} * 0x9E3779B97F4A7C15U ^ std::uint64_t{scrambled(i + 5)} << 17;
  switch (kind) {
    case 0:
      return random;
    case 1:
      return random % 7;
    case 2:
      return 42;
    case 3:
      return i % 100 == 0 ? random : (random >> 40) << 8 | 1;  // nearly all in one bucket
    default:
      return (random & 0xFF) << 56 | (random & 1) << 20;  // digits that do not differ
  }
}

std::vector<record> records(int kind, std::size_t n) {
  std::vector<record> v(n);
  for (std::size_t i = 0; i < n; ++i) v[i] = {key_number(kind, i), i};
  return v;
}

TEST(IntegerSort, IsStable) {
  everywhere([] {
    const auto expect = [](int kind, std::size_t n) {
      std::vector<record> v = records(kind, n);
      std::vector<record> expected = v;
      std::ranges::stable_sort(expected, {}, &record::key);
      EXPECT_EQ(nopal::integer_sort(v, &record::key), v.end());
      EXPECT_EQ(v, expected) << n << " of kind " << kind;
    };
    for (const int kind : {0, 1, 2, 3, 4}) {
      for (const std::size_t n : lengths) expect(kind, n);
      for (const std::size_t n : {23, 24, 25, 26, 320, 321, 16384, 16385, 100000}) expect(kind, n);
    }
  });
}

TEST(IntegerSort, KeysOfAllWidthsAndSigns) {
  on_one_worker([] {
    const auto expect = []<class K>(K /*key*/, std::size_t n) {
      std::vector<K> v(n);
      for (std::size_t i = 0; i < n; ++i) v[i] = static_cast<K>(key_number(0, i));
      std::vector<K> expected = v;
      std::ranges::sort(expected);
      nopal::integer_sort(v.begin(), v.end());
      EXPECT_EQ(v, expected) << n;
    };
    for (const std::size_t n : {20, 1000, 20000}) {
      expect(std::int8_t{}, n);
      expect(std::uint16_t{}, n);
      expect(std::int32_t{}, n);
      expect(std::int64_t{}, n);
    }
    std::vector<int> v{5, 2, 7, 1};
    nopal::integer_sort(v, [](int x) { return x > 3; });
    EXPECT_EQ(v, (std::vector<int>{2, 1, 5, 7}));
  });
}

// Larger than what is moved digit by digit.
struct wide {
  std::int32_t key;
  std::uint32_t number[9];
};

TEST(IntegerSort, ElementsThatMoveOnce) {
  everywhere([] {
    for (const std::size_t n : {0U, 1U, 2U, 24U, 25U, 4095U, 4096U, 50000U}) {
      std::vector<int> keys(n);
      for (std::size_t i = 0; i < n; ++i) keys[i] = static_cast<int>(scrambled(i)) / 1000;
      std::vector<std::size_t> order(n);
      std::iota(order.begin(), order.end(), 0U);
      std::ranges::stable_sort(order, {}, [&](std::size_t i) { return keys[i]; });

      std::vector<std::unique_ptr<std::size_t>> pointers(n);
      for (std::size_t i = 0; i < n; ++i) pointers[i] = std::make_unique<std::size_t>(i);
      nopal::integer_sort(pointers, [&](const auto& p) { return keys[*p]; });
      std::deque<int> numbers(keys.begin(), keys.end());
      EXPECT_EQ(nopal::integer_sort(numbers.begin(), numbers.end()), numbers.end());
      std::vector<wide> wides(n);
      for (std::size_t i = 0; i < n; ++i) wides[i] = {keys[i], {static_cast<std::uint32_t>(i)}};
      nopal::integer_sort(wides, &wide::key);
      for (std::size_t i = 0; i < n; ++i) {
        ASSERT_EQ(*pointers[i], order[i]);
        ASSERT_EQ(numbers[i], keys[order[i]]);
        ASSERT_EQ(wides[i].number[0], order[i]);
      }
    }
  });
}

// Its move constructor may throw, as far as a compiler knows.
struct hesitant {
  hesitant(int k, std::string t) : key(k), text(std::move(t)) {}
  hesitant(hesitant&& h) noexcept(false) : key(h.key), text(std::move(h.text)) {}
  hesitant& operator=(hesitant&& h) noexcept(false) {
    key = h.key;
    text = std::move(h.text);
    return *this;
  }
  int key;
  std::string text;
};

TEST(IntegerSort, ElementsWhoseMoveMayThrow) {
  everywhere([] {
    std::vector<hesitant> v;
    for (std::size_t i = 0; i < 10000; ++i)
      v.emplace_back(static_cast<int>(scrambled(i) % 1000), std::to_string(i));
    std::vector<std::pair<int, std::size_t>> expected;
    for (std::size_t i = 0; i < v.size(); ++i) expected.emplace_back(v[i].key, i);
    std::ranges::sort(expected);
    nopal::integer_sort(v, &hesitant::key);
    for (std::size_t i = 0; i < v.size(); ++i) {
      ASSERT_EQ(v[i].key, expected[i].first);
      ASSERT_EQ(v[i].text, std::to_string(expected[i].second));
    }
  });
}

TEST(IntegerSort, AnExceptionLeavesTheRangeAsItWas) {
  everywhere([] {
    for (const std::size_t n : {20U, 1000U, 100000U}) {
      const std::vector<record> before = records(0, n);
      std::vector<record> v = before;
      const auto fails = [n](const record& r) {
        return r.number == n - 1 ? throw std::range_error("the last") : r.key;
      };
      EXPECT_THROW(nopal::integer_sort(v, fails), std::range_error);
      EXPECT_EQ(v, before);
      std::vector<std::unique_ptr<std::size_t>> pointers(n);
      for (std::size_t i = 0; i < n; ++i) pointers[i] = std::make_unique<std::size_t>(i);
      EXPECT_THROW(nopal::integer_sort(pointers,
                                       [n](const auto& p) {
                                         return *p == n - 1 ? throw std::range_error("the last")
                                                            : n - *p;
                                       }),
                   std::range_error);
      for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(*pointers[i], i);
    }
  });
}

TEST(IntegerSort, AStopLosesNoElement) {
  everywhere([] {
    constexpr std::size_t n = 200000;
    // The stop comes with this call of the key. There are three for each element before the range
    // is in buckets, and then several for each bucket.
    for (const std::size_t calls : {n / 2, 3 * n / 2, 5 * n / 2, 3 * n + 7, 4 * n, 6 * n}) {
      std::vector<record> v = records(0, n);
      std::stop_source source;
      std::atomic<std::size_t> called = 0;
      const auto stops = [&](const record& r) {
        if (called.fetch_add(1, std::memory_order_relaxed) == calls) source.request_stop();
        return r.key;
      };
      EXPECT_THROW(nopal::integer_sort(v, stops, {.stop = source.get_token()}), nopal::stopped);
      std::vector<unsigned char> seen(n);
      for (const record& r : v) {
        ASSERT_EQ(r.key, key_number(0, r.number));
        ASSERT_EQ(seen[r.number]++, 0);
      }
    }
  });
}

}  // namespace
