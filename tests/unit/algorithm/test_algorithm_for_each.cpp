// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <deque>
#include <forward_list>
#include <list>
#include <ranges>
#include <stdexcept>
#include <string>
#include <thread>
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
using nopal_test::until;

TEST(ForEach, VisitsEachElementOnce) {
  everywhere([] {
    for (const std::size_t n : lengths) {
      std::vector<int> v(n);
      nopal::for_each(v, [](int& x) { ++x; });
      nopal::for_each(v.begin(), v.end(), [](int& x) { ++x; });
      nopal::for_each(grain{1}, v, [](int& x) { ++x; });
      nopal::for_each(grain{7}, v.begin(), v.end(), [](int& x) { ++x; });
      nopal::for_each(grain{1000000000}, v, [](int& x) { ++x; });
      EXPECT_EQ(v, std::vector<int>(n, 5));
    }
  });
}

TEST(ForEach, InOrderOnOneWorker) {
  for (const bool caller_works : {false, true}) {
    nopal::runtime r({.workers = 1, .caller_works = caller_works});
    std::string order;
    r.run([&] {
      nopal::for_each(grain{1}, std::string_view("abcdefghijklm"),
                      [&order](char c) { order += c; });
    });
    EXPECT_EQ(order, "abcdefghijklm");
  }
}

TEST(ForEach, IsForked) {
  for (const bool caller_works : {false, true}) {
    nopal::runtime r({.workers = 2, .caller_works = caller_works});
    std::atomic<bool> second{false};
    r.run([&] {
      nopal::for_each(std::views::iota(0, 2), [&](int i) {
        if (i == 0)
          until(second);
        else
          second = true;
      });
    });
  }
}

// Blocks of one element follow each other on one worker, and yet each can be stolen while an
// earlier one runs.
TEST(ForEach, ElementsThatWaitForEachOther) {
  for (const bool caller_works : {false, true}) {
    constexpr int workers = 4;
    nopal::runtime r({.workers = workers, .caller_works = caller_works});
    for (const int n : {2, 3, workers}) {
      std::atomic<int> missing{n};
      r.run([&] {
        nopal::for_each(0, n, [&](int) {
          --missing;
          while (missing.load() > 0) std::this_thread::yield();
        });
      });
    }
  }
}

// The last of many that are cheap is dear, and what follows it does not wait for it.
TEST(ForEach, WhatFollowsADearElementIsStolen) {
  for (const bool caller_works : {false, true}) {
    nopal::runtime r({.workers = 2, .caller_works = caller_works});
    constexpr int n = 100'000;
    for (const int dear : {0, 1, n / 2, n - 2}) {
      std::atomic<bool> last{false};
      std::atomic<int> calls{0};
      r.run([&] {
        nopal::for_each(nopal::grain{1}, 0, n, [&](int i) {
          calls.fetch_add(1, std::memory_order_relaxed);
          if (i == dear) until(last);
          if (i == n - 1) last = true;
        });
      });
      EXPECT_EQ(calls, n);
    }
  }
}

TEST(ForEach, TheFirstOfManyExceptions) {
  for (const bool caller_works : {false, true}) {
    for (const unsigned workers : {1U, 2U, 4U}) {
      nopal::runtime r({.workers = workers, .caller_works = caller_works});
      for (int i = 0; i < 50; ++i) {
        try {
          r.run([] { nopal::for_each(0, 1000, [](int thrown) { throw thrown; }); });
          ADD_FAILURE();
        } catch (int thrown) {
          EXPECT_EQ(thrown, 0);
        }
      }
    }
  }
}

struct point {
  int x = 0;
  int y = 0;
  void count() { ++y; }
};

TEST(ForEach, Projections) {
  everywhere([] {
    std::vector<point> v(1000);
    nopal::for_each(v, [](int& y) { y += 2; }, &point::y);
    nopal::for_each(grain{10}, v.begin(), v.end(), [](int& y) { ++y; }, &point::y);
    nopal::for_each(v, &point::count);
    for (const point& p : v) EXPECT_EQ(p.y, 4);
  });
}

TEST(ForEach, RangesOfAnyKind) {
  everywhere([] {
    std::atomic<long> sum{0};
    const auto add = [&](long x) { sum += x; };
    nopal::for_each(std::views::iota(0L, 1000L), add);
    EXPECT_EQ(sum.exchange(0), 499500);
    nopal::for_each(std::views::iota(0L, 5000L) | std::views::take(1000), add);
    EXPECT_EQ(sum.exchange(0), 499500);
    nopal::for_each(std::views::iota(0UL, 1000UL) |
                        std::views::transform([](unsigned long x) { return 2 * x; }),
                    add);
    EXPECT_EQ(sum.exchange(0), 999000);
    const std::array a{1, 2, 3};
    nopal::for_each(a | std::views::reverse, add);
    EXPECT_EQ(sum.exchange(0), 6);
    int c[] = {4, 5, 6};
    nopal::for_each(c, add);
    EXPECT_EQ(sum.exchange(0), 15);
    nopal::for_each(std::deque<int>(5000, 1), add);
    EXPECT_EQ(sum.exchange(0), 5000);
    const nopal_test::length_sentinel end{c + 3};
    nopal::for_each(c, end, add);
    EXPECT_EQ(sum.exchange(0), 15);
    nopal::for_each(std::ranges::subrange(c, end), add);
    EXPECT_EQ(sum.exchange(0), 15);
    nopal::for_each(std::counted_iterator(c, 2), std::default_sentinel, add);
    EXPECT_EQ(sum.exchange(0), 9);
    const std::vector<bool> bits(100, true);
    nopal::for_each(bits, add);
    EXPECT_EQ(sum.exchange(0), 100);
  });
}

TEST(ForEach, ExceptionsPropagate) {
  everywhere([] {
    std::vector<int> v(10000);
    v[7000] = 1;
    EXPECT_THROW(nopal::for_each(v,
                                 [](int x) {
                                   if (x != 0) throw std::runtime_error("seven thousand");
                                 }),
                 std::runtime_error);
    EXPECT_THROW(nopal::for_each(grain{1}, v, [](int) { throw 1; }), int);
  });
}

TEST(ForEach, Nested) {
  everywhere([] {
    std::vector<std::vector<int>> v(100, std::vector<int>(300));
    nopal::for_each(v, [](auto& row) { nopal::for_each(row, [](int& x) { ++x; }); });
    for (const auto& row : v) EXPECT_EQ(row, std::vector<int>(300, 1));
  });
}

TEST(ForEach, FromThreadsThatAreNoWorkers) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([] {
      std::vector<int> v(5000);
      nopal::for_each(v, [](int& x) { ++x; });
      EXPECT_EQ(v, std::vector<int>(5000, 1));
    });
  for (auto& t : threads) t.join();
}

nopal::task<long> visit(std::vector<long>& v) {
  co_await nopal::tasks::for_each(v, [](long& x) { x += 1; });
  co_await nopal::fork(nopal::tasks::for_each, grain{10}, v.begin(), v.begin() + 500,
                       [](long& x) { x += 2; });
  co_await nopal::call(nopal::tasks::for_each, v | std::views::drop(500), [](long& x) { x += 3; });
  co_await nopal::join();
  nopal::for_each(v, [](long& x) { x *= 2; });
  long sum = 0;
  for (const long x : v) sum += x;
  co_return sum;
}

TEST(ForEach, FromCoroutines) {
  everywhere([] {
    std::vector<long> v(1000);
    EXPECT_EQ(nopal::wait(visit(v)), 500 * 6 + 500 * 8);
  });
}

TEST(ForEach, AnIndexRange) {
  everywhere([] {
    std::vector<int> visited(100);
    nopal::for_each(10, 90, [&](int i) { ++visited[static_cast<std::size_t>(i)]; });
    nopal::for_each(grain{7}, 20U, visited.size(), [&](std::size_t i) { visited[i] += 2; });
    for (std::size_t i = 0; i < visited.size(); ++i)
      EXPECT_EQ(visited[i], (i >= 10 && i < 90 ? 1 : 0) + (i >= 20 ? 2 : 0)) << i;
    nopal::for_each(5, 5, [](int) { ADD_FAILURE(); });
    nopal::for_each(5, -5, [](int) { ADD_FAILURE(); });
    nopal::for_each(5U, -1, [](auto) { ADD_FAILURE(); });
    EXPECT_THROW(nopal::for_each(-2, 3U, [](auto) { ADD_FAILURE(); }), std::invalid_argument);
  });
}

// What must not compile.
struct nothing {
  void operator()(auto&&) const {}
};
struct counts_itself {
  int n = 0;
  void operator()(int) { ++n; }
};
using for_each_type = nopal::algorithm_detail::for_each_function;
static_assert(takes<for_each_type, std::vector<int>&, nothing>);
static_assert(!takes<for_each_type, std::ranges::istream_view<int>, nothing>,
              "it can be read once");
static_assert(
    !takes<for_each_type, std::istream_iterator<int>, std::istream_iterator<int>, nothing>);
static_assert(!takes<for_each_type, std::ranges::iota_view<int>, nothing>, "it has no end");
static_assert(!takes<for_each_type, std::vector<bool>&, nothing>, "neighbours share a word");
static_assert(!takes<for_each_type, std::vector<int>&, counts_itself>, "a data race");
static_assert(!takes<for_each_type, std::vector<int>&, decltype([](const std::string&) {})>);

}  // namespace
