// SPDX-License-Identifier: Apache-2.0
// copy_if and its kin, against the standard library's.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <deque>
#include <list>
#include <memory>
#include <ranges>
#include <stdexcept>
#include <string>
#include <vector>

#include "nopal/algorithm/copy_if.hpp"
#include "nopal/nopal.hpp"
#include "support/build.hpp"
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

/// Copies by run(out), where there are no more places than needed, and one behind them that must
/// not change.
template <class T, class Run>
void expect(const std::vector<T>& expected, const T& guard, const Run& run) {
  std::vector<T> out(expected.size() + 1, guard);
  EXPECT_EQ(run(out.begin()) - out.begin(), static_cast<std::ptrdiff_t>(expected.size()));
  EXPECT_EQ(out.back(), guard);
  out.pop_back();
  EXPECT_TRUE(out == expected) << expected.size();
}

TEST(CopyIf, NumbersInTheirOrder) {
  everywhere([] {
    for (const std::size_t n : lengths) {
      const std::vector<unsigned> v = numbers(n);
      std::vector<unsigned> expected, others;
      std::ranges::copy_if(v, std::back_inserter(expected), odd);
      std::ranges::remove_copy_if(v, std::back_inserter(others), odd);
      const auto run = [&](const grain g) {
        expect(expected, 99U, [&](auto out) { return nopal::copy_if(g, v, out, odd); });
      };
      run(grain{});
      run(grain{1});
      run(grain{65});
      expect(others, 99U, [&](auto out) {
        return nopal::remove_copy_if(grain{64}, v.begin(), v.end(), out, odd);
      });
    }
  });
}

TEST(CopyIf, WordsInTheirOrder) {
  everywhere([] {
    for (const std::size_t n : lengths) {
      const std::vector<std::string> v = words(n);
      std::vector<std::string> expected;
      std::ranges::copy_if(v, std::back_inserter(expected), long_word);
      const std::string guard = "guard";
      for (const std::size_t by_hand : {0UL, 1UL, 63UL, 64UL, 65UL, 200UL}) {
        expect(expected, guard,
               [&](auto out) { return nopal::copy_if(grain{by_hand}, v, out, long_word); });
      }
    }
  });
}

TEST(CopyIf, AllNoneAndOne) {
  everywhere([] {
    const std::vector<unsigned> v = numbers(5000);
    for (const std::size_t by_hand : {0UL, 100UL}) {
      expect(v, 1U, [&](auto out) {
        return nopal::copy_if(grain{by_hand}, v, out, [](unsigned) { return true; });
      });
      expect({}, 1U, [&](auto out) {
        return nopal::copy_if(grain{by_hand}, v, out, [](unsigned) { return false; });
      });
      expect({v.back()}, 1U, [&](auto out) {
        return nopal::copy_if(grain{by_hand}, v, out,
                              [&](const unsigned& x) { return &x == &v.back(); });
      });
    }
  });
}

TEST(CopyIf, OtherRanges) {
  everywhere([] {
    const std::vector<unsigned> v = numbers(3000);
    std::vector<unsigned> expected;
    std::ranges::copy_if(v, std::back_inserter(expected), odd);
    const auto n = static_cast<std::ptrdiff_t>(expected.size());
    const std::list<unsigned> list(v.begin(), v.end());
    const std::deque<unsigned> deque(v.begin(), v.end());
    std::deque<unsigned> out(expected.size());
    const auto check = [&](auto end) {
      EXPECT_EQ(end - out.begin(), n);
      EXPECT_TRUE(std::ranges::equal(out, expected));
      std::ranges::fill(out, 0U);
    };
    check(nopal::copy_if(list, out.begin(), odd));
    check(nopal::copy_if(grain{7}, list, out.begin(), odd));
    check(nopal::copy_if(deque, out.begin(), odd));
    check(nopal::copy_if(grain{50}, deque, out.begin(), odd));
    std::vector<long> wider(expected.size());  // values of another type
    EXPECT_EQ(nopal::copy_if(v.data(), v.data() + 3000, wider.data(), odd), wider.data() + n);
    EXPECT_TRUE(std::ranges::equal(wider, expected));
  });
}

struct item {
  int key = 0;
  std::string name;
};

TEST(CopyIf, ProjectionsAndValues) {
  everywhere([] {
    std::vector<item> items(3000);
    for (int i = 0; i < 3000; ++i) items[static_cast<std::size_t>(i)] = {i % 10, std::to_string(i)};
    std::vector<item> out(300);
    EXPECT_EQ(nopal::copy_if(
                  grain{40}, items, out.begin(), [](int k) { return k == 3; }, &item::key),
              out.end());
    for (int i = 0; i < 300; ++i)
      EXPECT_EQ(out[static_cast<std::size_t>(i)].name, std::to_string(10 * i + 3));
    out.resize(2700);
    EXPECT_EQ(nopal::remove_copy(grain{40}, items, out.begin(), 3, &item::key), out.end());
    EXPECT_EQ(out.back().name, "2999");
    const std::vector<int> v{3, 1, 3, 3, 2};
    std::vector<int> rest(2);
    EXPECT_EQ(nopal::remove_copy(v, rest.begin(), 3), rest.end());
    EXPECT_EQ(rest, (std::vector<int>{1, 2}));
  });
}

/// Waits at an element of the left half until an element of the right half has been looked at,
/// which a thief must have done. Returns how often the predicate was called.
template <class V, class Run>
int run_stolen(nopal::runtime& r, const V& v, const Run& run) {
  std::atomic<bool> stolen{false};
  std::atomic<int> calls{0};
  r.run([&] {
    run([&](const auto& x) {
      ++calls;
      const auto i = static_cast<std::size_t>(&x - v.data());
      if (i == 10) until(stolen);
      if (i == 700) stolen = true;
      return i % 3 == 0;
    });
  });
  return calls;
}

TEST(CopyIf, AStolenHalfIsLookedAtOnce) {
  for (const bool caller_works : {false, true}) {
    nopal::runtime r({.workers = 2, .caller_works = caller_works});
    const auto check = [&](const auto& v, const auto& guard) {
      std::remove_cvref_t<decltype(v)> expected;
      for (std::size_t i = 0; i < v.size(); i += 3) expected.push_back(v[i]);
      EXPECT_EQ(run_stolen(r, v,
                           [&](const auto& pred) {
                             expect(expected, guard, [&](auto out) {
                               return nopal::copy_if(grain{20}, v, out, pred);
                             });
                           }),
                1000);
    };
    check(numbers(1000), 1U);
    check(words(1000), std::string("guard"));
    EXPECT_GE(r.stats().total.steals, 2U);
  }
}

TEST(CopyIf, MoreThanOneStretch) {
  everywhere([] {
    const std::vector<unsigned> v = numbers(nopal_test::with_sanitizer ? 100000 : (1U << 21) + 777);
    std::vector<unsigned> expected;
    std::ranges::copy_if(v, std::back_inserter(expected), odd);
    expect(expected, 1U, [&](auto out) { return nopal::copy_if(v, out, odd); });
    const std::vector<std::string> w = words(2500);  // of 1024 blocks each
    std::vector<std::string> long_words;
    std::ranges::copy_if(w, std::back_inserter(long_words), long_word);
    expect(long_words, std::string("guard"),
           [&](auto out) { return nopal::copy_if(grain{1}, w, out, long_word); });
  });
}

TEST(CopyIf, ExceptionsPropagate) {
  everywhere([] {
    for (const std::size_t by_hand : {0UL, 10UL}) {
      const std::vector<unsigned> v = numbers(5000);
      std::vector<unsigned> out(5000);
      const auto fails = [&](const unsigned& x) {
        return &x == &v[4000] ? throw std::out_of_range("4000") : true;
      };
      EXPECT_THROW(nopal::copy_if(grain{by_hand}, v, out.begin(), fails), std::out_of_range);
    }
  });
}

TEST(CopyIf, AStopEndsIt) {
  everywhere([] {
    std::stop_source source;
    const std::vector<unsigned> v = numbers(20000);
    std::vector<unsigned> out(20000);
    std::atomic<int> calls{0};
    EXPECT_THROW(nopal::copy_if(v, out.begin(),
                                [&](unsigned) {
                                  if (++calls == 100) source.request_stop();
                                  return true;
                                },
                                {}, {.grain = 10, .stop = source.get_token()}),
                 nopal::stopped);
    EXPECT_LT(calls, 20000);
  });
}

nopal::task<bool> is_odd(unsigned x) { co_return x % 2 != 0; }

TEST(CopyIf, PredicatesMayBeCoroutines) {
  everywhere([] {
    const std::vector<unsigned> v = numbers(1000);
    std::vector<unsigned> expected;
    std::ranges::copy_if(v, std::back_inserter(expected), odd);
    expect(expected, 1U, [&](auto out) { return nopal::copy_if(grain{50}, v, out, is_odd); });
  });
}

}  // namespace
