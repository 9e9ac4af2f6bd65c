// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <deque>
#include <forward_list>
#include <functional>
#include <list>
#include <ranges>
#include <string>
#include <vector>

#include "nopal/algorithm.hpp"
#include "nopal/algorithm/search.hpp"
#include "nopal/nopal.hpp"
#include "support/everywhere.hpp"
#include "support/searched.hpp"

namespace {

using nopal::grain;
using nopal_test::everywhere;
using nopal_test::few_values;

/// Expects that two parts of a range are the same.
void expect_same(const auto& a, const auto& b) {
  EXPECT_EQ(a.begin(), b.begin());
  EXPECT_EQ(a.end(), b.end());
}

TEST(Search, LikeTheStandard) {
  everywhere([] {
    for (const std::size_t n : {0U, 1U, 2U, 3U, 20U, 300U, 2050U, 12'345U}) {
      const std::vector<int> v = few_values(n, 3);
      const std::list<int> l(v.begin(), v.end());
      for (const std::size_t m : {0U, 1U, 2U, 5U, 8U, 20U}) {
        for (const std::size_t at : {n, n / 2, n / 3}) {
          std::vector<int> pattern(m, 7);
          if (at + m <= n)
            std::copy_n(v.begin() + static_cast<std::ptrdiff_t>(at), m, pattern.begin());
          expect_same(nopal::search(v, pattern), std::ranges::search(v, pattern));
          expect_same(nopal::search(grain{10}, v, pattern), std::ranges::search(v, pattern));
          expect_same(nopal::search(l, pattern), std::ranges::search(l, pattern));
          expect_same(nopal::find_end(v, pattern), std::ranges::find_end(v, pattern));
          expect_same(nopal::find_end(grain{10}, v, pattern), std::ranges::find_end(v, pattern));
          expect_same(nopal::find_end(l, pattern), std::ranges::find_end(l, pattern));
        }
      }
    }
  });
}

TEST(Search, AtTheEnds) {
  everywhere([] {
    std::string text(5000, ' ');
    const std::string word = "word";
    expect_same(nopal::search(text, word), std::ranges::search(text, word));
    text.replace(4996, 4, word);
    EXPECT_EQ(nopal::search(text, word).begin() - text.begin(), 4996);
    EXPECT_EQ(nopal::find_end(text, word).begin() - text.begin(), 4996);
    text.replace(0, 4, word);
    EXPECT_EQ(nopal::search(text, word).begin() - text.begin(), 0);
    EXPECT_EQ(nopal::find_end(text, word).begin() - text.begin(), 4996);
    text[4999] = ' ';
    EXPECT_EQ(nopal::find_end(text, word).begin() - text.begin(), 0);
    text.back() = 'w';
    expect_same(nopal::search(text, std::string("ww")),
                std::ranges::subrange(text.end(), text.end()));
    const std::forward_list<int> l{1, 2, 3}, longer{1, 2, 3, 4};
    EXPECT_TRUE(nopal::search(l, longer).empty());
    EXPECT_TRUE(nopal::find_end(l, longer).empty());
    EXPECT_EQ(nopal::search(longer, l).begin(), longer.begin());
    EXPECT_TRUE(nopal::search(text, std::string(6000, ' ')).empty());
    EXPECT_TRUE(nopal::find_end(text, std::string(6000, ' ')).empty());
  });
}

TEST(FindEnd, EndsEarly) {
  nopal_test::on_one_worker([] {
    std::vector<int> v(100'000);
    v[99'000] = 1;
    const std::vector<int> pattern{1};
    int calls = 0;
    const auto same = [&](int a, int b) {
      ++calls;
      return a == b;
    };
    EXPECT_EQ(nopal::find_end(v, pattern, same).begin() - v.begin(), 99'000);
    EXPECT_LE(calls, 1001);
    calls = 0;
    EXPECT_EQ(nopal::search(v, pattern, same).begin() - v.begin(), 99'000);
    EXPECT_EQ(calls, 99'001);
  });
}

TEST(FindFirstOf, LikeTheStandard) {
  everywhere([] {
    for (const std::size_t n : {0U, 1U, 300U, 12'345U}) {
      const std::vector<int> v = few_values(n, 1000);
      const std::list<int> l(v.begin(), v.end());
      for (const std::vector<int>& others :
           {std::vector<int>{}, {-1}, {500}, {3, 5, 7}, {-1, -2, 999}}) {
        EXPECT_EQ(nopal::find_first_of(v, others), std::ranges::find_first_of(v, others));
        EXPECT_EQ(nopal::find_first_of(grain{10}, l, others),
                  std::ranges::find_first_of(l, others));
        EXPECT_EQ(nopal::find_first_of(v, others, std::less<>(), std::negate<>(), std::identity()),
                  std::ranges::find_first_of(v, others, std::less<>(), std::negate<>()));
      }
    }
  });
}

TEST(SearchN, LikeTheStandard) {
  everywhere([] {
    for (const std::size_t n : {0U, 1U, 20U, 300U, 12'345U})
      for (const unsigned values : {1U, 2U, 3U}) {
        const std::vector<int> v = few_values(n, values);
        const std::list<int> l(v.begin(), v.end());
        for (const std::ptrdiff_t count : {-1, 0, 1, 2, 5, 9, 14, 300, 301, 12'345}) {
          expect_same(nopal::search_n(v, count, 0), std::ranges::search_n(v, count, 0));
          expect_same(nopal::search_n(grain{10}, v, count, 0), std::ranges::search_n(v, count, 0));
          expect_same(nopal::search_n(l, count, 0), std::ranges::search_n(l, count, 0));
        }
      }
  });
}

TEST(SearchN, TestsNoElementOfABlockTwice) {
  everywhere([] {
    std::vector<int> v(100'000, 1);
    for (std::size_t i = 0; i < v.size(); i += 100) v[i] = 0;
    std::fill(v.begin() + 90'001, v.begin() + 90'101, 1);
    std::atomic<int> calls{0};
    const auto same = [&](int a, int b) {
      ++calls;
      return a == b;
    };
    EXPECT_EQ(nopal::search_n(grain{10'000}, v, 100, 1, same).begin() - v.begin(), 90'001);
    EXPECT_LT(calls.load(), 101'100);
  });
}

}  // namespace
