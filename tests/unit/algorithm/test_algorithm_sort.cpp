// SPDX-License-Identifier: Apache-2.0
// Sorting and selection.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <ranges>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "nopal/algorithm/nth_element.hpp"
#include "nopal/algorithm/partial_sort.hpp"
#include "nopal/algorithm/sort.hpp"
#include "nopal/algorithm/stable_sort.hpp"
#include "nopal/nopal.hpp"
#include "support/everywhere.hpp"
#include "support/order.hpp"
#include "support/ranges.hpp"

namespace {

using nopal::grain;
using nopal_test::everywhere;
using nopal_test::keyed;
using nopal_test::lengths_to_sort;
using nopal_test::patterns;
using nopal_test::record;
using nopal_test::scrambled;

/// Sorts all patterns of keys, each as an element of type T.
template <class T, class Sort, class Comp>
void sorts_patterns(const Sort& sort, const Comp& comp) {
  for (const std::size_t n : lengths_to_sort)
    for (const auto& pattern : patterns) {
      std::vector<T> v(n);
      for (std::size_t i = 0; i < n; ++i) v[i] = static_cast<T>(pattern(i, n));
      std::vector<T> expected = v;
      std::sort(expected.begin(), expected.end(), comp);
      sort(v);
      ASSERT_EQ(v, expected) << "of " << n << ", pattern " << &pattern - patterns.data();
    }
}

TEST(Sort, PatternsOfKeys) {
  everywhere([] {
    sorts_patterns<int>([](auto& v) { EXPECT_EQ(nopal::sort(v), v.end()); }, std::less<>());
    sorts_patterns<int>([](auto& v) { nopal::sort(grain{100}, v, std::greater<>()); },
                        std::greater<>());
    sorts_patterns<double>([](auto& v) { nopal::sort(v.begin(), v.end()); }, std::less<>());
  });
}

TEST(Sort, PatternsWithAnyComparison) {
  const auto less = [](int a, int b) { return a < b; };
  everywhere([less] {
    sorts_patterns<int>([less](auto& v) { nopal::sort(v, less); }, less);
    sorts_patterns<int>([less](auto& v) { nopal::sort(grain{50}, v, less); }, less);
  });
}

/// Sorts numbers of type T upwards and downwards.
template <class T>
void sorts_both_ways() {
  std::vector<T> v(3000);
  for (std::size_t i = 0; i < v.size(); ++i)
    v[i] = static_cast<T>(static_cast<std::int64_t>(scrambled(i)) - (std::int64_t{1} << 31));
  v[17] = std::numeric_limits<T>::max();
  v[18] = std::numeric_limits<T>::lowest();
  nopal::sort(v);
  EXPECT_TRUE(std::ranges::is_sorted(v));
  nopal::sort(v, std::greater<T>());
  EXPECT_TRUE(std::ranges::is_sorted(v, std::greater<T>()));
  std::ranges::swap(v[0], v[2000]);
  nopal::sort(v, std::ranges::greater());
  EXPECT_TRUE(std::ranges::is_sorted(v, std::greater<T>()));
}

TEST(Sort, EveryTypeOfNumber) {
  everywhere([] {
    sorts_both_ways<signed char>();
    sorts_both_ways<unsigned char>();
    sorts_both_ways<short>();
    sorts_both_ways<unsigned short>();
    sorts_both_ways<unsigned>();
    sorts_both_ways<long>();
    sorts_both_ways<unsigned long>();
    sorts_both_ways<long long>();
    sorts_both_ways<unsigned long long>();
    sorts_both_ways<float>();
    sorts_both_ways<long double>();
  });
}

TEST(Sort, ZerosAndInfinities) {
  everywhere([] {
    std::vector<double> v(70000);
    for (std::size_t i = 0; i < v.size(); ++i) {
      const double values[] = {0.0, -0.0, HUGE_VAL, -HUGE_VAL, 1e-310, -1e-310, 3.5};
      v[i] = values[scrambled(i) % 7];
    }
    const auto zeros = [&v] {
      return std::ranges::count_if(v, [](double x) { return x == 0 && std::signbit(x); });
    };
    const auto negative = zeros();
    nopal::sort(v);
    EXPECT_TRUE(std::ranges::is_sorted(v));
    EXPECT_EQ(zeros(), negative);
  });
}

TEST(Sort, NotANumberIsNoOrderAndNoCrash) {
  everywhere([] {
    std::vector<double> v(50000);
    for (std::size_t i = 0; i < v.size(); ++i)
      v[i] = i % 5 == 0 ? std::numeric_limits<double>::quiet_NaN() : scrambled(i);
    nopal::sort(v);
    EXPECT_EQ(v.size(), 50000U);
  });
}

TEST(Sort, ProjectionsRecordsAndStrings) {
  everywhere([] {
    std::vector<record> records(20000);
    for (std::size_t i = 0; i < records.size(); ++i) records[i] = record(scrambled(i) % 5000);
    nopal::sort(records, {}, &record::key);
    EXPECT_TRUE(std::ranges::is_sorted(records, {}, &record::key));
    EXPECT_TRUE(std::ranges::all_of(records, &record::is_whole));
    std::vector<std::string> words(9000);
    for (std::size_t i = 0; i < words.size(); ++i)
      words[i] = std::string(i % 20, 'x') + std::to_string(scrambled(i));
    std::vector<std::string> expected = words;
    std::ranges::sort(expected);
    nopal::sort(words);
    EXPECT_EQ(words, expected);
  });
}

TEST(Sort, MovesOnly) {
  everywhere([] {
    std::vector<std::unique_ptr<unsigned>> v;
    for (std::size_t i = 0; i < 6000; ++i)
      v.push_back(std::make_unique<unsigned>(scrambled(i) % 3000));
    const auto value = [](const std::unique_ptr<unsigned>& p) { return *p; };
    nopal::sort(v, std::ranges::greater(), value);
    EXPECT_TRUE(std::ranges::is_sorted(v, std::ranges::greater(), value));
    nopal::stable_sort(v, {}, value);
    EXPECT_TRUE(std::ranges::is_sorted(v, {}, value));
    nopal::nth_element(v.begin(), v.begin() + 500, v.end(), std::ranges::greater(), value);
    EXPECT_EQ(std::ranges::count_if(v, [&](auto& p) { return *p > *v[500]; }) <= 500, true);
  });
}

TEST(Sort, DequesSubrangesAndWhatIsLeftAlone) {
  everywhere([] {
    std::deque<int> d;
    for (std::size_t i = 0; i < 9000; ++i) d.push_back(static_cast<int>(scrambled(i) % 100000));
    nopal::sort(d);
    EXPECT_TRUE(std::ranges::is_sorted(d));
    std::vector<int> v(5000);
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = static_cast<int>(scrambled(i) >> 4);
    const int front = v[0] = std::numeric_limits<int>::max(), back = v.back() = -1;
    nopal::sort(std::ranges::subrange(v.begin() + 1, v.end() - 1), [](int a, int b) { return a < b; });
    EXPECT_EQ(v[0], front);
    EXPECT_EQ(v.back(), back);
    EXPECT_TRUE(std::is_sorted(v.begin() + 1, v.end() - 1));
    nopal::sort(std::views::reverse(v));
    EXPECT_TRUE(std::ranges::is_sorted(v, std::greater<>()));
  });
}

TEST(Sort, ComparisonWithState) {
  everywhere([] {
    std::vector<std::size_t> rank(4000), v(4000);
    for (std::size_t i = 0; i < v.size(); ++i) rank[v[i] = i] = i * 1237 % 4000;
    nopal::sort(v, [&rank](std::size_t a, std::size_t b) { return rank[a] < rank[b]; });
    for (std::size_t i = 0; i < v.size(); ++i) EXPECT_EQ(rank[v[i]], i);
  });
}

/// A comparison that decides about elements when they are compared, and so that a pivot is as bad
/// as can be (McIlroy, 1999). It also counts.
class adversary {
 public:
  explicit adversary(std::size_t n) : values_(n, not_yet) {}

  bool operator()(std::size_t a, std::size_t b) {
    ++comparisons_;
    if (values_[a] == not_yet && values_[b] == not_yet) values_[a == candidate_ ? a : b] = next_++;
    if (values_[a] == not_yet)
      candidate_ = a;
    else if (values_[b] == not_yet)
      candidate_ = b;
    return values_[a] < values_[b];
  }
  [[nodiscard]] std::size_t comparisons() const { return comparisons_; }

 private:
  static constexpr std::size_t not_yet = SIZE_MAX;
  std::vector<std::size_t> values_;
  std::size_t candidate_ = 0;
  std::size_t next_ = 0;
  std::size_t comparisons_ = 0;
};

TEST(Sort, NoInputTakesQuadraticTime) {
  nopal_test::on_one_worker([] {
    constexpr std::size_t n = 30000;
    for (const int what : {0, 1, 2, 3}) {
      adversary a(n);
      std::vector<std::size_t> v(n);
      std::iota(v.begin(), v.end(), 0U);
      if (what == 0) nopal::sort(v, std::ref(a));
      if (what == 1) nopal::stable_sort(v, std::ref(a));
      if (what == 2) nopal::nth_element(v.begin(), v.begin() + n / 2, v.end(), std::ref(a));
      if (what == 3) nopal::partial_sort(v.begin(), v.begin() + n / 3, v.end(), std::ref(a));
      EXPECT_LT(a.comparisons(), n * 80) << what;
    }
  });
}

TEST(Sort, SortedAndReversedAreOnlyLookedAt) {
  nopal_test::on_one_worker([] {
    std::vector<int> v(100000);
    std::iota(v.begin(), v.end(), 0);
    std::size_t comparisons = 0;
    const auto less = [&](int a, int b) {
      ++comparisons;
      return a < b;
    };
    nopal::sort(v, less);
    nopal::stable_sort(v, less);
    EXPECT_LE(comparisons, 2 * v.size());
    std::ranges::reverse(v);
    nopal::sort(v, less);
    EXPECT_LE(comparisons, 3 * v.size() + 10);
    EXPECT_TRUE(std::ranges::is_sorted(v));
  });
}

TEST(StableSort, Patterns) {
  everywhere([] {
    for (const std::size_t n : lengths_to_sort)
      for (const auto& pattern : patterns) {
        std::vector<keyed> v(n);
        for (std::size_t i = 0; i < n; ++i) v[i] = {pattern(i, n), static_cast<int>(i)};
        std::vector<keyed> expected = v, w = v;
        std::stable_sort(expected.begin(), expected.end(), keyed::less);
        EXPECT_EQ(nopal::stable_sort(v, keyed::less), v.end());
        ASSERT_EQ(v, expected) << "of " << n << ", pattern " << &pattern - patterns.data();
        nopal::stable_sort(grain{10}, w, {}, &keyed::key);
        ASSERT_EQ(w, expected) << "of " << n << ", pattern " << &pattern - patterns.data();
      }
  });
}

TEST(StableSort, OtherElements) {
  everywhere([] {
    std::vector<double> zeros(5000);
    for (std::size_t i = 0; i < zeros.size(); ++i) zeros[i] = i % 3 == 0 ? -0.0 : i % 3 == 1 ? 0.0 : -1;
    std::vector<double> expected = zeros;
    std::ranges::stable_sort(expected);
    nopal::stable_sort(zeros);
    for (std::size_t i = 0; i < zeros.size(); ++i)
      ASSERT_EQ(std::signbit(zeros[i]), std::signbit(expected[i])) << i;
    std::vector<std::string> words(9000);
    for (std::size_t i = 0; i < words.size(); ++i)
      words[i] = std::to_string(scrambled(i) % 1000) + std::string(i % 30, 'y');
    std::vector<std::string> sorted = words;
    std::ranges::stable_sort(sorted, {}, &std::string::size);
    nopal::stable_sort(words, {}, &std::string::size);
    EXPECT_EQ(words, sorted);
    std::vector<record> records(3000);
    for (std::size_t i = 0; i < records.size(); ++i) records[i] = record(scrambled(i) % 500);
    nopal::stable_sort(records, {}, &record::key);
    EXPECT_TRUE(std::ranges::is_sorted(records, {}, &record::key));
    EXPECT_TRUE(std::ranges::all_of(records, &record::is_whole));
    std::deque<int> d;
    for (std::size_t i = 0; i < 5000; ++i) d.push_back(static_cast<int>(scrambled(i) >> 1));
    nopal::stable_sort(d);
    EXPECT_TRUE(std::ranges::is_sorted(d));
  });
}

TEST(StableSort, WithoutMemory) {
  everywhere([] {
    for (const std::size_t n : lengths_to_sort) {
      if (n > 20000) continue;
      std::vector<keyed> v(n);
      for (std::size_t i = 0; i < n; ++i)
        v[i] = {static_cast<int>(scrambled(i) % 300), static_cast<int>(i)};
      std::vector<keyed> expected = v;
      std::stable_sort(expected.begin(), expected.end(), keyed::less);
      nopal::algorithm_detail::merge_sort_by_rotations(
          v.data(), {0, static_cast<std::ptrdiff_t>(n)}, 100, keyed::less);
      ASSERT_EQ(v, expected);
    }
  });
}

TEST(NthElement, Patterns) {
  everywhere([] {
    for (const std::size_t n : lengths_to_sort)
      for (const auto& pattern : patterns) {
        if (n == 0) continue;
        std::vector<int> sorted(n);
        for (std::size_t i = 0; i < n; ++i) sorted[i] = pattern(i, n);
        const std::vector<int> all = sorted;
        std::ranges::sort(sorted);
        for (const std::size_t k : {std::size_t{0}, n / 100, n / 2, n - 1 - n / 5, n - 1}) {
          std::vector<int> v = all;
          const auto nth = v.begin() + static_cast<std::ptrdiff_t>(k);
          EXPECT_EQ(nopal::nth_element(v.begin(), nth, v.end()), v.end());
          ASSERT_EQ(*nth, sorted[k]) << k << " of " << n;
          ASSERT_TRUE(std::all_of(v.begin(), nth, [=](int x) { return x <= *nth; }));
          ASSERT_TRUE(std::all_of(nth, v.end(), [=](int x) { return x >= *nth; }));
          std::ranges::sort(v);
          ASSERT_EQ(v, sorted);
        }
      }
  });
}

TEST(NthElement, EndAndEmpty) {
  std::vector<int> v{3, 1, 2}, none;
  EXPECT_EQ(nopal::nth_element(v, v.end()), v.end());
  EXPECT_EQ(v, (std::vector<int>{3, 1, 2}));
  EXPECT_EQ(nopal::nth_element(none, none.begin()), none.end());
  EXPECT_EQ(nopal::partial_sort(none, none.begin()), none.end());
  nopal::nth_element(v, v.begin(), std::greater<>());
  EXPECT_EQ(v[0], 3);
}

TEST(PartialSort, Patterns) {
  everywhere([] {
    for (const std::size_t n : lengths_to_sort)
      for (const auto& pattern : patterns) {
        std::vector<int> sorted(n);
        for (std::size_t i = 0; i < n; ++i) sorted[i] = pattern(i, n);
        const std::vector<int> all = sorted;
        std::ranges::sort(sorted, std::greater<>());
        for (const std::size_t k : {std::size_t{0}, n / 100, n / 2, n}) {
          std::vector<int> v = all;
          const auto middle = static_cast<std::ptrdiff_t>(k);
          nopal::partial_sort(v.begin(), v.begin() + middle, v.end(), std::greater<>());
          ASSERT_TRUE(std::equal(v.begin(), v.begin() + middle, sorted.begin()));
          std::ranges::sort(v, std::greater<>());
          ASSERT_EQ(v, sorted);
        }
      }
  });
}

/// Sorts 700 owned numbers by a comparison that throws at its k-th call, for many k, and counts
/// that all are left.
template <class Sort>
void loses_none(const Sort& sort) {
  constexpr unsigned n = 700;
  const auto fill = [](std::vector<std::unique_ptr<unsigned>>& v) {
    for (unsigned i = 0; i < n; ++i) v.push_back(std::make_unique<unsigned>(scrambled(i) % 97 * n + i));
  };
  std::vector<std::unique_ptr<unsigned>> before;
  fill(before);
  std::vector<unsigned> expected;
  for (const auto& p : before) expected.push_back(*p);
  std::ranges::sort(expected);
  bool has_thrown = true;
  for (int k = 0; has_thrown; k += 1 + k / 16) {
    std::vector<std::unique_ptr<unsigned>> v;
    fill(v);
    has_thrown = false;
    std::atomic<int> left{k};
    const auto less = [&left](const std::unique_ptr<unsigned>& a,
                              const std::unique_ptr<unsigned>& b) {
      if (left.fetch_sub(1) <= 0) throw std::runtime_error("comparison");
      return *a < *b;
    };
    try {
      sort(v, less);
    } catch (const std::runtime_error& e) {
      EXPECT_STREQ(e.what(), "comparison");
      has_thrown = true;
    }
    std::vector<unsigned> after;
    for (const auto& p : v) {
      ASSERT_NE(p, nullptr) << "call " << k;
      after.push_back(*p);
    }
    std::ranges::sort(after);
    ASSERT_EQ(after, expected) << "call " << k;
  }
}

TEST(Sort, ThrowingComparisonLosesNone) {
  everywhere([] {
    loses_none([](auto& v, auto& less) { nopal::sort(grain{50}, v, less); });
    loses_none([](auto& v, auto& less) { nopal::stable_sort(grain{20}, v, less); });
    loses_none([](auto& v, auto& less) { nopal::nth_element(v, v.begin() + 300, less); });
    loses_none([](auto& v, auto& less) { nopal::partial_sort(v, v.begin() + 100, less); });
    loses_none([](auto& v, auto& less) {
      nopal::algorithm_detail::sort_as_heap(v.begin(), 700, less);
    });
    loses_none([](auto& v, auto& less) {
      nopal::algorithm_detail::merge_sort_by_rotations(v.begin(), {0, 700}, 30, less);
    });
  });
}

TEST(StableSort, ThrowingComparisonOfSmallValues) {
  everywhere([] {
    for (int k = 1; k < 30000; k += 1 + k / 8) {
      std::vector<int> v(2000), expected;
      for (std::size_t i = 0; i < v.size(); ++i) v[i] = static_cast<int>(scrambled(i) % 10000);
      expected = v;
      std::atomic<int> left{k};
      try {
        nopal::stable_sort(grain{100}, v, [&left](int a, int b) {
          if (left.fetch_sub(1) <= 0) throw std::runtime_error("comparison");
          return a < b;
        });
      } catch (const std::runtime_error&) {
      }
      std::ranges::sort(expected);
      std::ranges::sort(v);
      ASSERT_EQ(v, expected) << k;
    }
  });
}

TEST(Sort, Stops) {
  everywhere([] {
    for (const bool stably : {false, true}) {
      std::stop_source source;
      std::vector<std::unique_ptr<unsigned>> v;
      for (unsigned i = 0; i < 20000; ++i) v.push_back(std::make_unique<unsigned>(scrambled(i)));
      std::atomic<int> left{50000};
      const auto less = [&](const auto& a, const auto& b) {
        if (left.fetch_sub(1) == 0) source.request_stop();
        return *a < *b;
      };
      if (stably)
        EXPECT_THROW(nopal::stable_sort(v, less, {.stop = source.get_token()}), nopal::stopped);
      else
        EXPECT_THROW(nopal::sort(v, less, {.stop = source.get_token()}), nopal::stopped);
      EXPECT_TRUE(std::ranges::none_of(v, [](const auto& p) { return p == nullptr; }));
    }
  });
}

}  // namespace
