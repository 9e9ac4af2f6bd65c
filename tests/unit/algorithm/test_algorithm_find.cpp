// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <deque>
#include <forward_list>
#include <functional>
#include <iterator>
#include <memory>
#include <numeric>
#include <ranges>
#include <stdexcept>
#include <string>
#include <vector>

#include "nopal/algorithm.hpp"
#include "nopal/algorithm/any_of.hpp"
#include "nopal/algorithm/find.hpp"
#include "nopal/nopal.hpp"
#include "support/everywhere.hpp"
#include "support/ranges.hpp"
#include "support/searched.hpp"

namespace {

using nopal::grain;
using nopal_test::everywhere;
using nopal_test::lengths;
using nopal_test::places;

TEST(Find, TheFirst) {
  everywhere([] {
    for (const std::size_t n : lengths)
      for (const std::size_t at : places(n)) {
        std::vector<int> v(n, 1);
        if (at < n) v[at] = 7;
        if (at + 3 < n) v[at + 3] = 7;
        const auto expected = v.begin() + static_cast<std::ptrdiff_t>(at);
        const auto is_seven = [](int x) { return x == 7; };
        EXPECT_EQ(nopal::find(v, 7), expected) << n << ' ' << at;
        EXPECT_EQ(nopal::find(v, 7L), expected) << "another type";
        EXPECT_EQ(nopal::find_if(v, is_seven), expected) << n << ' ' << at;
        EXPECT_EQ(nopal::find_if(grain{10}, v, is_seven), expected) << n << ' ' << at;
        EXPECT_EQ(nopal::find_if_not(v.begin(), v.end(), std::not_fn(is_seven)), expected);
        const bool there = at < n;
        EXPECT_EQ(nopal::any_of(v, is_seven), there);
        EXPECT_EQ(nopal::none_of(v, is_seven), !there);
        EXPECT_EQ(nopal::all_of(v, std::not_fn(is_seven)), !there);
        EXPECT_EQ(nopal::contains(v, 7), there);
      }
  });
}

TEST(Find, InManyWindows) {
  everywhere([] {
    std::vector<unsigned char> bytes(1'000'000, 1);
    std::vector<double> numbers(bytes.size(), 1);
    for (const std::size_t at : {999'999U, 700'000U, 262'144U, 65'535U, 16'384U, 16'383U, 100U}) {
      bytes[at] = 2;
      numbers[at] = 2;
      EXPECT_EQ(nopal::find(bytes, 2) - bytes.begin(), at);
      EXPECT_EQ(nopal::find(bytes, static_cast<unsigned char>(2)) - bytes.begin(), at);
      EXPECT_EQ(nopal::find(numbers, 2.0) - numbers.begin(), at);
      EXPECT_EQ(nopal::find_if(grain{1000}, numbers, [](double x) { return x > 1; }),
                numbers.begin() + static_cast<std::ptrdiff_t>(at));
      EXPECT_EQ(nopal::find_if(numbers, [](double x) { return x > 1; }),
                numbers.begin() + static_cast<std::ptrdiff_t>(at));
    }
  });
}

TEST(Find, WhatIsWalked) {
  everywhere([] {
    for (const std::size_t n : {0U, 1U, 511U, 512U, 513U, 5000U, 100'000U}) {
      std::forward_list<int> l(n, 1);
      for (const std::size_t at : places(n)) {
        auto expected = std::next(l.begin(), static_cast<std::ptrdiff_t>(at));
        if (at < n) *expected = 3;
        EXPECT_EQ(nopal::find(l, 3), expected) << n << ' ' << at;
        EXPECT_EQ(nopal::find_if(grain{7}, l.begin(), l.end(), [](int x) { return x == 3; }),
                  expected);
        EXPECT_EQ(nopal::contains(l, 3), at < n);
        if (at < n) *expected = 1;
      }
    }
  });
}

TEST(Find, TestsEachElementOfAListOnce) {
  nopal_test::on_one_worker([] {
    std::forward_list<int> l(100'000);
    std::iota(l.begin(), l.end(), 0);
    for (const std::size_t by_hand : {0U, 7U}) {
      int calls = 0;
      const auto next = [&](int i) { return i != calls++; };
      EXPECT_EQ(nopal::find_if(grain{by_hand}, l, next), l.end());
      EXPECT_EQ(calls, 100'000);
    }
  });
}

TEST(Find, WalksNoFurtherThanItSearches) {
  nopal_test::on_one_worker([] {
    std::atomic<int> filtered{0};
    auto even = std::views::iota(0, 1'000'000) | std::views::filter([&](int i) {
                  ++filtered;
                  return i % 2 == 0;
                });
    EXPECT_EQ(*nopal::find(even, 2000), 2000);
    EXPECT_LT(filtered.load(), 10'000);
  });
}

TEST(Find, ViewsProjectionsAndIntegers) {
  everywhere([] {
    const std::vector<std::string> words{"a", "bbb", "cc"};
    EXPECT_EQ(nopal::find(words, 2U, &std::string::size), words.begin() + 2);
    EXPECT_EQ(nopal::find_if(
                  words, [](std::size_t n) { return n == 3; }, &std::string::size),
              words.begin() + 1);
    EXPECT_TRUE(nopal::all_of(words, [](std::size_t n) { return n < 4; }, &std::string::size));
    std::deque<int> d(3000);
    std::iota(d.begin(), d.end(), 0);
    EXPECT_EQ(nopal::find(d, 2500) - d.begin(), 2500);
    EXPECT_EQ(nopal::find_if(0, 100'000, [](int i) { return i * i > 5000 && i % 2 == 0; }), 72);
    EXPECT_EQ(nopal::find_if(0, 10, [](int) { return false; }), 10);
    EXPECT_TRUE(nopal::any_of(0U, 1000U, [](unsigned i) { return i == 999; }));
    const auto squares = d | std::views::transform([](int i) { return i * i; });
    EXPECT_EQ(*nopal::find(squares, 64), 64);
    int a[] = {1, 2, 3};
    EXPECT_EQ(nopal::find(a, nopal_test::length_sentinel{a + 2}, 3), a + 2);
    std::vector<bool> bits(1000);
    bits[600] = true;
    EXPECT_EQ(nopal::find(bits, true) - bits.begin(), 600);
    std::vector<std::unique_ptr<int>> pointers(1000);
    pointers[900] = std::make_unique<int>(1);
    EXPECT_EQ(nopal::find_if(pointers, [](const auto& p) { return p != nullptr; }),
              pointers.begin() + 900);
    static_assert(
        std::same_as<decltype(nopal::find(std::vector<int>(3), 1)), std::ranges::dangling>);
  });
}

TEST(Find, OnOneWorkerNoneBehindTheResult) {
  nopal_test::on_one_worker([] {
    for (const int at : {0, 1, 20, 300, 5000, 99'999}) {
      int calls = 0;
      const auto found = nopal::find_if(0, 100'000, [&](int i) {
        EXPECT_EQ(i, calls++);
        return i == at;
      });
      EXPECT_EQ(found, at);
      EXPECT_EQ(calls, at + 1);
    }
  });
}

TEST(Find, FewBehindTheResult) {
  nopal::runtime r({.workers = 4});
  r.run([] {
    std::atomic<int> calls{0}, furthest{0};
    const auto slow = [&](int i) {
      ++calls;
      for (int far = furthest; far < i && !furthest.compare_exchange_weak(far, i);) {
      }
      for (std::atomic<int> spin = 0; spin < 100; ++spin) {
      }
      return i >= 10'000;
    };
    EXPECT_EQ(nopal::find_if(0, 1'000'000, slow), 10'000);
    EXPECT_LT(calls, 50'000);
    EXPECT_LT(furthest, 50'000);
    calls = furthest = 0;
    EXPECT_EQ(nopal::find_if(grain{8}, 0, 1'000'000, slow), 10'000);
    EXPECT_LT(calls, 25'000);
    EXPECT_LT(furthest, 25'000);
  });
}

TEST(Find, FewBehindTheResultIfAThiefComesAtOnce) {
  nopal::runtime r({.workers = 2, .caller_works = false});
  r.run([] {
    std::atomic<bool> stolen{false};
    std::atomic<int> furthest{0};
    EXPECT_EQ(nopal::find_if(0, 1'000'000,
                             [&](int i) {
                               if (i == 0) nopal_test::until(stolen);
                               if (i != 0) stolen = true;
                               for (int far = furthest;
                                    far < i && !furthest.compare_exchange_weak(far, i);) {
                               }
                               return i == 200;
                             }),
              200);
    EXPECT_LT(furthest, 1000);
  });
}

TEST(Find, WhatComesFirstWins) {
  everywhere([] {
    for (int run = 0; run < 20; ++run) {
      const auto pred = [](int i) {
        if (i == 700) return true;
        if (i >= 900) throw std::out_of_range("behind");
        return false;
      };
      EXPECT_EQ(nopal::find_if(grain{10}, 0, 5000, pred), 700);
      EXPECT_EQ(nopal::find_if(0, 5000, pred), 700);
      const auto fails = [](int i) {
        if (i == 700) throw std::invalid_argument("700");
        if (i == 900) throw std::out_of_range("behind");
        return i > 700;
      };
      EXPECT_THROW(nopal::find_if(grain{10}, 0, 5000, fails), std::invalid_argument);
      EXPECT_THROW(nopal::find_if(0, 5000, fails), std::invalid_argument);
    }
  });
}

TEST(Find, AnExceptionOfAThiefIsDroppedIfAnEarlierElementIsFound) {
  nopal::runtime r({.workers = 2, .caller_works = false});
  for (int run = 0; run < 20; ++run) {
    std::atomic<bool> thrown{false}, stolen{false};
    const auto found = r.run([&] {
      return nopal::find_if(grain{1}, 0, 8, [&](int i) {
        if (i == 0) {
          nopal_test::until(stolen);
          nopal_test::until(thrown);
        } else if (!stolen.exchange(true)) {
          thrown = true;
          throw std::out_of_range("an element behind");
        }
        return i == 0;
      });
    });
    EXPECT_EQ(found, 0);
  }
}

TEST(Find, TheExceptionOfAThiefIsDroppedForAnEarlierOne) {
  nopal::runtime r({.workers = 2, .caller_works = false});
  std::atomic<bool> thrown{false};
  EXPECT_THROW(r.run([&] {
    return nopal::find_if(grain{1}, 0, 8, [&](int i) -> bool {
      if (i == 0) {
        nopal_test::until(thrown);
        throw std::invalid_argument("the first");
      }
      thrown = true;
      throw std::out_of_range("an element behind");
    });
  }),
               std::invalid_argument);
}

TEST(Find, TwoDearElementsRunAtTheSameTime) {
  nopal::runtime r({.workers = 2, .caller_works = false});
  std::atomic<bool> second{false};
  r.run([&] {
    EXPECT_EQ(nopal::find_if(0, 2,
                             [&](int i) {
                               if (i == 0) nopal_test::until(second);
                               if (i == 1) second = true;
                               return false;
                             }),
              2);
  });
}

TEST(Find, AStopEndsIt) {
  everywhere([] {
    std::stop_source source;
    std::atomic<int> calls{0};
    const auto pred = [&](int i) {
      ++calls;
      if (i == 5) source.request_stop();
      return false;
    };
    EXPECT_THROW(nopal::find_if(0, 10'000'000, pred, {.stop = source.get_token()}), nopal::stopped);
    EXPECT_LT(calls.load(), 9'000'000);
    EXPECT_THROW(nopal::find(std::vector<int>(10), 3, {.stop = source.get_token()}),
                 nopal::stopped);
  });
}

nopal::task<bool> is_big(int i) { co_return i > 2000; }

TEST(Find, PredicatesThatAreCoroutines) {
  everywhere([] {
    EXPECT_EQ(nopal::find_if(0, 10'000, is_big), 2001);
    EXPECT_TRUE(nopal::any_of(0, 10'000, is_big));
    EXPECT_FALSE(nopal::any_of(0, 2000, is_big));
  });
}

}  // namespace
