// SPDX-License-Identifier: Apache-2.0
// The algorithms over ranges that must be walked: without random access, or of unknown size.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <forward_list>
#include <functional>
#include <iterator>
#include <list>
#include <map>
#include <numeric>
#include <ranges>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "nopal/nopal.hpp"
#include "support/everywhere.hpp"
#include "support/ranges.hpp"

namespace {

using nopal::deterministic;
using nopal::grain;
using nopal_test::affine;
using nopal_test::everywhere;
using nopal_test::lengths;
using nopal_test::matrix;
using nopal_test::until;

TEST(Walked, TheGrainDependsOnTheLengthAlone) {
  const auto chosen = [](int n) {
    const nopal::algorithm_detail::walked_elements<grain, int> w(grain{}, 0, n);
    EXPECT_EQ(w.size, n);
    const auto length = static_cast<int>(w.policy.elements);
    for (int at = 0; at < n; at += length) EXPECT_EQ(advanced(w.first, at), at);
    return length;
  };
  EXPECT_EQ(chosen(0), 1);
  EXPECT_EQ(chosen(512), 1);
  EXPECT_EQ(chosen(513), 2);
  EXPECT_EQ(chosen(1024), 2);
  EXPECT_EQ(chosen(1025), 4);
  EXPECT_EQ(chosen(1 << 20), 2048);
  EXPECT_EQ(chosen(3000000), 2048);
  const nopal::algorithm_detail::walked_elements<grain, int> by_hand(grain{7}, 0, 5000);
  EXPECT_EQ(by_hand.policy.elements, 7U);
  EXPECT_EQ(advanced(by_hand.first, 4998), 4998);
}

/// All algorithms over a range, against the serial loop. T is not an element but a partial result.
template <class R, class T>
struct results_over {
  results_over(R& r, const std::vector<T>& e)
      : range(r), elements(e), init{e.empty() ? T{} : e.back()}, all(init), expected(e.size()) {
    for (const T& x : elements) all = all * x;
  }

  template <class Run>
  void expect(Run&& run) {
    out.assign(elements.size(), T{});
    EXPECT_EQ(run(), out.begin() + static_cast<std::ptrdiff_t>(elements.size()));
    EXPECT_EQ(out, expected) << elements.size();
  }

  void check() {
    std::atomic<std::size_t> visited{0};
    nopal::for_each(range, [&](const T&) { ++visited; });
    EXPECT_EQ(visited, elements.size());
    EXPECT_EQ(nopal::fold(range, init, op), all);
    EXPECT_EQ(init * nopal::fold(grain{1}, range, op).value_or(T{}), all);
    for (std::size_t i = 0; i < elements.size(); ++i) expected[i] = elements[i] * init;
    expect([&] { return nopal::map(range, out.begin(), [&](const T& x) { return x * init; }); });
    for (std::size_t i = 0; i < elements.size(); ++i) expected[i] = elements[i] * elements[i];
    expect([&] { return nopal::map(grain{9}, elements, range, out.begin(), op); });
    std::inclusive_scan(elements.begin(), elements.end(), expected.begin(), op);
    expect([&] { return nopal::scan(grain{1}, range, out.begin(), op); });
    std::exclusive_scan(elements.begin(), elements.end(), expected.begin(), init, op);
    expect([&] {
      return nopal::exclusive_scan(deterministic(grain{65}), range, out.begin(), init, op);
    });
  }

  /// The other forms: what they are made of is the same for all ranges.
  void check_forms() {
    const auto begin = std::ranges::begin(range);
    const auto end = std::ranges::end(range);
    std::atomic<std::size_t> visited{0};
    nopal::for_each(grain{3}, begin, end, [&](const T&) { ++visited; });
    EXPECT_EQ(visited, elements.size());
    EXPECT_EQ(nopal::fold(deterministic(grain{65}), range, init, op), all);
    EXPECT_EQ(nopal::fold(begin, end, init, op), all);
    EXPECT_EQ(nopal::fold(range, op).has_value(), !elements.empty());
    for (std::size_t i = 0; i < elements.size(); ++i) expected[i] = elements[i] * init;
    expect([&] {
      return nopal::map(grain{10}, begin, end, out.begin(), [&](const T& x) { return x * init; });
    });
    for (std::size_t i = 0; i < elements.size(); ++i) expected[i] = elements[i] * elements[i];
    expect([&] { return nopal::map(range, elements, out.begin(), op); });
    expect([&] { return nopal::map(range, range, out.begin(), op); });
    std::inclusive_scan(elements.begin(), elements.end(), expected.begin(), op);
    expect([&] { return nopal::scan(range, out.begin(), op); });
    expect([&] { return nopal::scan(deterministic, begin, end, out.begin(), op); });
    std::inclusive_scan(elements.begin(), elements.end(), expected.begin(), op, init);
    expect([&] { return nopal::scan(range, out.begin(), init, op); });
    expect([&] { return nopal::scan(deterministic(grain{65}), range, out.begin(), init, op); });
    std::exclusive_scan(elements.begin(), elements.end(), expected.begin(), init, op);
    expect([&] { return nopal::exclusive_scan(range, out.begin(), init, op); });
    expect([&] { return nopal::exclusive_scan(grain{66}, range, out.begin(), init, op); });
  }

  const std::multiplies<> op{};
  R& range;
  const std::vector<T>& elements;
  const T init;
  T all;
  std::vector<T> expected, out;
};

template <class R, class T>
void check(R&& range, const std::vector<T>& elements) {
  results_over<std::remove_reference_t<R>, T>(range, elements).check();
}

/// n of them, and those that every_fourth() or so lets pass.
template <class T>
struct numbers {
  template <class Number>
  numbers(std::size_t n, Number number) {
    for (std::size_t i = 0; i < n; ++i) all.push_back(number(i));
    std::ranges::copy_if(all, std::back_inserter(some), every_fourth);
  }
  static bool every_fourth(const T& x) {
    return reinterpret_cast<const unsigned char&>(x) % 4 == 1;
  }

  std::vector<T> all;
  std::vector<T> some;
};

// Each kind of range, and each of values, but not each with each: they take long to compile.
TEST(Walked, SmallValues) {
  everywhere([] {
    for (const std::size_t n : lengths) {
      const numbers<affine> x(n, nopal_test::affine_number);
      const std::list<affine> list(x.all.begin(), x.all.end());
      results_over over_list(list, x.all);
      over_list.check();
      over_list.check_forms();
      check(list | std::views::filter(x.every_fourth), x.some);
      check(std::forward_list<affine>(x.all.begin(), x.all.end()), x.all);
      check(x.all | std::views::take_while([](const affine&) { return true; }),
            x.all);  // random access, and of unknown size
    }
  });
}
TEST(Walked, Values) {
  everywhere([] {
    for (const std::size_t n : lengths) {
      const numbers<matrix> x(n, nopal_test::matrix_number);
      check(x.all | std::views::filter(x.every_fourth), x.some);
    }
  });
}
TEST(Walked, Numbers) {
  everywhere([] {
    for (const std::size_t n : lengths) {
      const numbers<unsigned> x(n, [](std::size_t i) { return nopal_test::scrambled(i) | 1; });
      check(std::list<unsigned>(x.all.begin(), x.all.end()), x.all);
    }
  });
}

TEST(Walked, IsForked) {
  for (const bool caller_works : {false, true}) {
    nopal::runtime r({.workers = 2, .caller_works = caller_works});
    std::atomic<bool> second{false};
    const std::forward_list<int> two{0, 1};
    r.run([&] {
      nopal::for_each(two, [&](int i) {
        if (i == 0)
          until(second);
        else
          second = true;
      });
    });
  }
}

/// Waits before an element of the left half until the right half has been begun, which a thief must
/// have done.
TEST(Walked, AStolenHalfOfAScanIsFoldedAndThenWritten) {
  for (const bool caller_works : {false, true}) {
    nopal::runtime r({.workers = 2, .caller_works = caller_works});
    std::list<std::size_t> numbers(1000);
    std::iota(numbers.begin(), numbers.end(), std::size_t{0});
    std::vector<affine> elements(1000), expected(1000), out(1000);
    for (std::size_t i = 0; i < 1000; ++i) elements[i] = nopal_test::affine_number(i);
    std::inclusive_scan(elements.begin(), elements.end(), expected.begin(), std::multiplies<>{});
    for (const bool ordered : {false, true}) {
      std::atomic<bool> stolen{false};
      const auto look = [&](std::size_t i) {
        if (i == 10) until(stolen);
        if (i == 700) stolen = true;
        return elements[i];
      };
      out.assign(1000, affine{});
      r.run([&] {
        if (ordered)
          nopal::scan(deterministic, numbers, out.begin(), std::multiplies<>{}, look);
        else
          nopal::scan(numbers, out.begin(), std::multiplies<>{}, look);
      });
      EXPECT_EQ(out, expected);
    }
  }
}

/// What a block ends with is not left for the next element: that belongs to the next block.
TEST(Walked, AFilterDoesNotReadWhatOthersWrite) {
  everywhere([] {
    std::vector<int> v(10000);
    std::iota(v.begin(), v.end(), 0);
    const auto even = [](int x) { return x % 2 == 0; };
    nopal::for_each(grain{1}, v | std::views::filter(even), [](int& x) { x += 100000; });
    nopal::for_each(v | std::views::filter(even), [](int& x) { x += 100000; });
    for (int i = 0; i < 10000; ++i)
      EXPECT_EQ(v[static_cast<std::size_t>(i)], i % 2 == 0 ? i + 200000 : i);
  });
}

TEST(Walked, TwoRangesUpToTheShorterEnd) {
  everywhere([] {
    const std::list<int> few{1, 2, 3};
    const std::vector<int> many{10, 20, 30, 40};
    const std::forward_list<std::string> words{"a", "bb", "ccc", "dddd", "eeeee"};
    std::vector<int> out(4, 0);
    EXPECT_EQ(nopal::map(few, many, out.begin(), std::plus<>{}), out.begin() + 3);
    EXPECT_EQ(out, (std::vector<int>{11, 22, 33, 0}));
    const auto plus = [](int a, std::size_t b) { return a + static_cast<int>(b); };
    EXPECT_EQ(nopal::map(many, words, out.begin(), plus, std::negate<>{}, &std::string::size),
              out.end());
    EXPECT_EQ(out, (std::vector<int>{-9, -18, -27, -36}));
    EXPECT_EQ(nopal::map(few.begin(), few.end(), words.begin(), words.end(), out.begin(), plus, {},
                         &std::string::size),
              out.begin() + 3);
    EXPECT_EQ(out, (std::vector<int>{2, 4, 6, -36}));
  });
}

TEST(Walked, TreesAndProjections) {
  everywhere([] {
    std::map<int, std::string> tree;
    for (int i = 0; i < 3000; ++i) tree[i] = std::to_string(i);
    std::string all;
    for (const auto& [i, text] : tree) all += text;
    EXPECT_EQ(*nopal::fold(tree, std::plus<>{}, [](const auto& node) { return node.second; }), all);
    nopal::for_each(
        tree, [](std::string& text) { text += "!"; }, &std::pair<const int, std::string>::second);
    EXPECT_EQ(tree[2999], "2999!");
    std::vector<int> ends(3000);
    nopal::scan(tree, ends.begin(), std::plus<>{},
                [](const auto& node) { return static_cast<int>(node.second.size()); });
    EXPECT_EQ(ends.back(), static_cast<int>(all.size()) + 3000);
  });
}

TEST(Walked, TheSameForAnyNumberOfWorkers) {
  for (const bool caller_works : {false, true}) {
    std::list<double> numbers;
    for (std::size_t i = 0; i < 30000; ++i)
      numbers.push_back(1.0 / (1 + nopal_test::scrambled(i) % 100003));
    std::vector<double> expected, out(numbers.size());
    for (const unsigned workers : {1U, 2U, 3U, 4U, 7U}) {
      nopal::runtime r({.workers = workers, .caller_works = caller_works});
      for (int repeat = 0; repeat < 3; ++repeat) {
        r.run([&] {
          nopal::scan(numbers, out.begin(), std::plus<>{});
          out.push_back(nopal::fold(deterministic, numbers, 0.0, std::plus<>{}));
          out.push_back(nopal::fold(deterministic(grain{33}), numbers, 0.5, std::plus<>{}));
        });
        if (expected.empty()) expected = out;
        EXPECT_TRUE(out == expected) << workers;
        out.resize(numbers.size());
      }
    }
  }
}

TEST(Walked, ExceptionsPropagate) {
  everywhere([] {
    const std::list<int> numbers(10000, 1);
    EXPECT_THROW(nopal::for_each(numbers, [](int) { throw 1; }), int);
    EXPECT_THROW(static_cast<void>(
                     nopal::fold(numbers, [](int, int) -> int { throw std::range_error("no"); })),
                 std::range_error);
    const auto fails = [](int) -> bool { throw std::length_error("while it is walked"); };
    EXPECT_THROW(nopal::for_each(numbers | std::views::filter(fails), [](int) {}),
                 std::length_error);
  });
}

nopal::task<int> sums(std::list<int>& numbers, std::vector<int>& out) {
  const auto odd = [](int x) { return x % 2 == 1; };
  int left = 0;
  co_await nopal::fork(&left, nopal::tasks::fold, numbers | std::views::filter(odd), 0,
                       std::plus<>{});
  const auto all = co_await nopal::tasks::fold(grain{10}, numbers, std::plus<>{});
  co_await nopal::fork(nopal::tasks::scan, numbers, out.begin(), std::plus<>{});
  co_await nopal::join();
  const int last = out.back();
  co_await nopal::tasks::exclusive_scan(numbers.begin(), numbers.end(), out.begin(), 5,
                                        std::plus<>{});
  const int before = out.back();
  co_await nopal::tasks::map(numbers, numbers, out.begin(), std::minus<>{});
  co_await nopal::tasks::for_each(numbers, [](int& x) { x += 1; });
  co_return left + *all + last + before + out.back() + nopal::fold(numbers, 0, std::plus<>{});
}

TEST(Walked, FromCoroutines) {
  everywhere([] {
    std::list<int> numbers(3000, 1);
    std::vector<int> out(3000, 7);
    EXPECT_EQ(nopal::wait(sums(numbers, out)), 3000 + 3000 + 3000 + 3004 + 0 + 6000);
  });
}

}  // namespace
