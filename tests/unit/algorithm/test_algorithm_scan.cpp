// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <numeric>
#include <ranges>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "nopal/nopal.hpp"
#include "support/algorithm.hpp"
#include "support/build.hpp"
#include "support/everywhere.hpp"
#include "support/ranges.hpp"

namespace {

using nopal::deterministic;
using nopal::exclusive_scan;
using nopal::grain;
using nopal::scan;
using nopal_test::affine;
using nopal_test::everywhere;
using nopal_test::lengths;
using nopal_test::matrix;
using nopal_test::takes;
using nopal_test::until;

/// What a vector holds, and the results of the serial loops.
template <class T>
struct scans_of {
  scans_of(const std::vector<T>& elements, const T& initial)
      : v(elements), init(initial), inclusive(v.size()), onto_init(v.size()), exclusive(v.size()) {
    std::inclusive_scan(v.begin(), v.end(), inclusive.begin(), op);
    std::inclusive_scan(v.begin(), v.end(), onto_init.begin(), op, init);
    std::exclusive_scan(v.begin(), v.end(), exclusive.begin(), init, op);
  }

  template <class Run>
  void expect(const std::vector<T>& expected, Run&& run) {
    out.assign(v.size(), T{});
    EXPECT_EQ(run(), out.begin() + static_cast<std::ptrdiff_t>(v.size()));
    EXPECT_EQ(out, expected) << v.size();
  }

  /// Each kind of scan, with each order of the operations.
  void check() {
    expect(inclusive, [&] { return scan(v, out.begin(), op); });
    expect(inclusive, [&] { return scan(deterministic(grain{65}), v, out.begin(), op); });
    expect(onto_init, [&] { return scan(grain{1}, v, out.begin(), init, op); });
    expect(exclusive, [&] { return exclusive_scan(grain{1}, v, out.begin(), init, op); });
    expect(exclusive,
           [&] { return exclusive_scan(deterministic(grain{65}), v, out.begin(), init, op); });
    out = v;
    exclusive_scan(grain{70}, out, out.begin(), init, op);
    EXPECT_EQ(out, exclusive) << "in place";
  }

  /// The other forms: what they are made of is the same for all types.
  void check_forms() {
    expect(inclusive, [&] { return scan(grain{1}, v, out.begin(), op); });
    expect(inclusive, [&] { return scan(v.begin(), v.end(), out.begin(), op); });
    expect(inclusive, [&] { return scan(deterministic, v.begin(), v.end(), out.begin(), op); });
    expect(onto_init, [&] { return scan(v, out.begin(), init, op); });
    expect(onto_init, [&] { return scan(v.begin(), v.end(), out.begin(), init, op); });
    expect(onto_init, [&] {
      return scan(deterministic(grain{65}), v.begin(), v.end(), out.begin(), init, op);
    });
    expect(exclusive, [&] { return exclusive_scan(v, out.begin(), init, op); });
    expect(exclusive, [&] { return exclusive_scan(v.begin(), v.end(), out.begin(), init, op); });
    expect(exclusive, [&] {
      return exclusive_scan(deterministic(grain{65}), v.begin(), v.end(), out.begin(), init, op);
    });
    out = v;
    scan(out, out.begin(), op);
    EXPECT_EQ(out, inclusive) << "in place";
    out = v;
    scan(grain{70}, out, out.begin(), init, op);
    EXPECT_EQ(out, onto_init) << "in place";
  }

  const std::multiplies<> op{};
  const std::vector<T>& v;
  const T init;
  std::vector<T> inclusive, onto_init, exclusive, out;
};

template <class T, class Number>
scans_of<T> scans_of_first(std::vector<T>& v, std::size_t n, Number number) {
  v.resize(n);
  for (std::size_t i = 0; i < n; ++i) v[i] = number(i);
  return {v, number(54321)};
}

TEST(Scan, OperationsThatDoNotCommute) {
  everywhere([] {
    for (const std::size_t n : lengths) {
      std::vector<affine> small;
      auto of_small = scans_of_first(small, n, nopal_test::affine_number);
      of_small.check();
      of_small.check_forms();
      std::vector<matrix> large;
      scans_of_first(large, n, nopal_test::matrix_number).check();
      std::vector<unsigned> numbers;
      scans_of_first(numbers, n, [](std::size_t i) {
        return nopal_test::scrambled(i) | 1;
      }).check();
    }
  });
}

TEST(Scan, MoreThanOneStretch) {
  everywhere([] {
    const auto n = static_cast<std::uint32_t>((1U << 20) * 2 + 777);
    std::vector<std::uint32_t> v(n), out(n);
    std::iota(v.begin(), v.end(), 0U);
    scan(v, out.begin(), std::plus<>{});
    for (std::uint32_t i = 0, sum = 0; i < n; ++i) {
      sum += i;
      ASSERT_EQ(out[i], sum) << i;
    }
    const std::uint32_t few = nopal_test::with_sanitizer ? 1000 : 100000;
    exclusive_scan(deterministic(grain{1}), v.begin(), v.begin() + few, v.begin(), 7U,
                   std::plus<>{});
    for (std::uint32_t i = 0, sum = 7; i < few; sum += i++) ASSERT_EQ(v[i], sum) << i;
  });
}

/// Waits before an element of the left half until the right half has been begun, which a thief must
/// have done.
TEST(Scan, AStolenHalfIsFoldedAndThenWritten) {
  for (const bool caller_works : {false, true}) {
    nopal::runtime r({.workers = 2, .caller_works = caller_works});
    for (const bool ordered : {false, true}) {
      std::atomic<bool> stolen{false};
      const std::vector<affine> v(1000, affine{3, 5});
      std::vector<affine> expected(1000), out(1000);
      std::inclusive_scan(v.begin(), v.end(), expected.begin(), std::multiplies<>{});
      const auto look = [&](const affine& x) {
        const auto i = static_cast<std::size_t>(&x - v.data());
        if (i == 10) until(stolen);
        if (i == 700) stolen = true;
        return x;
      };
      r.run([&] {
        if (ordered)
          scan(deterministic, v, out.begin(), std::multiplies<>{}, look);
        else
          scan(v, out.begin(), std::multiplies<>{}, look);
      });
      EXPECT_EQ(out, expected);
    }
    EXPECT_GE(r.stats().total.steals, 2U);
  }
}

TEST(Scan, OnePassWhereNobodySteals) {
  for (const bool caller_works : {false, true}) {
    nopal::runtime r({.workers = 1, .caller_works = caller_works});
    std::vector<std::string> v(2000, "x"), out(2000);
    std::size_t operations = 0;
    r.run([&] {
      scan(v, out.begin(), [&](std::string a, const std::string& b) {
        ++operations;
        return std::move(a) + b;
      });
    });
    EXPECT_EQ(operations, 1999U);
    EXPECT_EQ(out.back().size(), 2000U);
  }
}

TEST(Scan, AProjectionIsCalledOncePerElementWhereNobodySteals) {
  nopal::runtime r({.workers = 1, .caller_works = false});
  const std::vector<int> v(3000, 1);
  std::vector<std::size_t> out(v.size());
  std::size_t calls = 0;
  const auto number = [&](int n) { return ++calls, static_cast<std::size_t>(n); };
  r.run([&] { scan(v, out.begin(), std::plus<>{}, number); });
  EXPECT_EQ(std::exchange(calls, 0), v.size());
  EXPECT_EQ(out.back(), 3000U);
  r.run([&] { exclusive_scan(v, out.begin(), std::size_t{0}, std::plus<>{}, number); });
  EXPECT_EQ(std::exchange(calls, 0), v.size());
  EXPECT_EQ(out.back(), 2999U);
  r.run([&] { scan(deterministic, v, out.begin(), std::size_t{1}, std::plus<>{}, number); });
  EXPECT_EQ(std::exchange(calls, 0), v.size());
  EXPECT_EQ(out.back(), 3001U);
}

/// A number that can be moved only.
struct moved_number {
  std::unique_ptr<int> number;
  operator int() const { return *number; }
};

// What cannot be copied is asked for twice.
TEST(Scan, ProjectionsToWhatMovesOnly) {
  everywhere([] {
    const std::vector<int> v(3000, 1);
    std::vector<int> out(v.size());
    const auto owned = [](int n) { return moved_number{std::make_unique<int>(n)}; };
    scan(v, out.begin(), 0, [](int sum, int n) { return sum + n; }, owned);
    EXPECT_EQ(out.back(), 3000);
  });
}

TEST(Scan, Strings) {
  everywhere([] {
    std::vector<std::string> words(500), expected(500), out(500);
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = std::to_string(i);
    std::inclusive_scan(words.begin(), words.end(), expected.begin(), std::plus<>{});
    scan(grain{1}, words, out.begin(), std::plus<>{});
    EXPECT_EQ(out, expected);
    scan(grain{3}, words, out.begin(), "-",
         [](const std::string& a, const std::string& b) { return a + b; });
    EXPECT_EQ(out.front(), "-0");
    EXPECT_EQ(out.back(), "-" + expected.back());
    exclusive_scan(grain{3}, words, out.begin(), "",
                   [](const std::string& a, const std::string& b) { return a + b; });
    EXPECT_EQ(out.front(), "");
    EXPECT_EQ(out.back(), expected[498]);
  });
}

/// A value without a default.
struct no_default {
  explicit no_default(int n) : value(n) {}
  int value;
  friend no_default operator+(const no_default& a, const no_default& b) {
    return no_default(a.value + b.value);
  }
};

TEST(Scan, ValuesWithoutADefault) {
  everywhere([] {
    std::vector<no_default> v(3000, no_default(2));
    scan(grain{10}, v, v.begin(), std::plus<>{});
    for (std::size_t i = 0; i < v.size(); ++i) ASSERT_EQ(v[i].value, 2 * static_cast<int>(i + 1));
  });
}

TEST(Scan, ProjectionsViewsAndTypes) {
  everywhere([] {
    const std::vector<std::string> words(2000, "abc");
    std::vector<std::size_t> ends(2000), begins(2000);
    scan(words, ends.begin(), std::plus<>{}, &std::string::size);
    exclusive_scan(words, begins.begin(), std::size_t{0}, std::plus<>{}, &std::string::size);
    for (std::size_t i = 0; i < 2000; ++i) {
      ASSERT_EQ(begins[i], 3 * i);
      ASSERT_EQ(ends[i], 3 * i + 3);
    }
    std::vector<double> sums(1000);
    scan(std::views::iota(1, 9999) | std::views::take(1000), sums.begin(), std::plus<>{});
    EXPECT_EQ(sums.back(), 500500.0);
    const std::vector<bool> bits(1000, true);
    exclusive_scan(bits, sums.begin(), 0, std::plus<>{});
    EXPECT_EQ(sums.back(), 999.0);
    const int c[] = {1, 2, 3};
    int out[3];
    EXPECT_EQ(scan(c, nopal_test::length_sentinel{c + 3}, out, std::plus<>{}), out + 3);
    EXPECT_EQ(out[2], 6);
    const std::vector<int> most{3, 1, 4, 1, 5};
    std::vector<int> so_far(5);
    scan(most, so_far.begin(), std::ranges::max);
    EXPECT_EQ(so_far, (std::vector<int>{3, 3, 4, 4, 5}));
  });
}

TEST(Scan, TheSameForAnyNumberOfWorkers) {
  for (const bool caller_works : {false, true}) {
    struct boxed {
      double value;
      boxed operator+(const boxed& other) const { return {value + other.value}; }
    };
    const std::size_t n = nopal_test::with_sanitizer ? 50000 : 500000;
    std::vector<double> v(n), expected, out(n);
    std::vector<boxed> boxes(n), boxes_out(n);
    for (std::size_t i = 0; i < n; ++i)
      boxes[i].value = v[i] = 1.0 / (1 + nopal_test::scrambled(i) % 100003);
    std::vector<std::uint64_t> box_bits;
    for (const unsigned workers : {1U, 2U, 3U, 4U, 7U}) {
      nopal::runtime r({.workers = workers, .caller_works = caller_works});
      for (int repeat = 0; repeat < 3; ++repeat) {
        r.run([&] {
          scan(v, out.begin(), std::plus<>{});
          scan(deterministic(grain{20}), boxes, boxes_out.begin(), std::plus<>{});
        });
        std::vector<std::uint64_t> bits;
        for (const boxed& b : boxes_out) bits.push_back(std::bit_cast<std::uint64_t>(b.value));
        if (expected.empty()) {
          expected = out;
          box_bits = bits;
        }
        EXPECT_TRUE(out == expected) << workers;
        EXPECT_TRUE(bits == box_bits) << workers;
      }
    }
  }
}

TEST(Scan, ExceptionsPropagate) {
  everywhere([] {
    std::vector<std::string> v(2000, "x");
    const auto fails = [](const std::string& a, const std::string& b) {
      return a.size() > 900 ? throw std::length_error("too long") : a + b;
    };
    EXPECT_THROW(scan(grain{5}, v, v.begin(), fails), std::length_error);
    EXPECT_THROW(scan(grain{5}, v, v.begin(),
                      [](const std::string&, const std::string&) -> std::string { throw 1; }),
                 int);
  });
}

/// An array may stand for its first element. Here the operation cannot be called with the
/// iterators.
TEST(Scan, FormsAreToldApart) {
  const auto product = [](auto a, auto b) { return a * b; };
  const auto twice = [](auto x) { return 2 * x; };
  const int c[] = {1, 2, 3};
  int d[] = {4, 5, 6};
  int out[3];
  scan(c, c + 3, out, product);
  EXPECT_EQ(out[2], 6);
  scan(d, d + 3, out, product);
  EXPECT_EQ(out[2], 120);
  scan(c, out, product, twice);
  EXPECT_EQ(out[2], 48);
  scan(c, out, 10, product);
  EXPECT_EQ(out[2], 60);
  scan(c, out, 10, product, twice);
  EXPECT_EQ(out[2], 480);
  scan(c, c + 3, out, 10, product, twice);
  EXPECT_EQ(out[2], 480);
}

nopal::task<long> scans(const std::vector<long>& v, std::vector<long>& a, std::vector<long>& b) {
  co_await nopal::tasks::scan(v, b.begin(), 5L, std::plus<>{});
  const long onto_init = b.back();
  co_await nopal::fork(nopal::tasks::scan, v, a.begin(), std::plus<>{});
  const auto end =
      co_await nopal::tasks::exclusive_scan(grain{100}, v, b.begin(), 10L, std::plus<>{});
  co_await nopal::join();
  co_return onto_init + a.back() + b.back() + (end - b.begin());
}

TEST(Scan, FromCoroutines) {
  everywhere([] {
    const std::vector<long> v(10000, 1);
    std::vector<long> a(10000), b(10000);
    EXPECT_EQ(nopal::wait(scans(v, a, b)), 10005 + 10000 + 10009 + 10000);
  });
}

// What must not compile.
using scan_type = nopal::algorithm_detail::scan_function;
static_assert(takes<scan_type, std::vector<int>&, int*, std::plus<>>);
static_assert(!takes<scan_type, std::ranges::istream_view<int>, int*, std::plus<>>,
              "it can be read once");
static_assert(!takes<scan_type, std::vector<int>&, std::list<int>::iterator, std::plus<>>);
static_assert(!takes<scan_type, std::vector<int>&, std::vector<bool>::iterator, std::plus<>>);
static_assert(!takes<scan_type, std::vector<int>&, const int*, std::plus<>>);

}  // namespace
