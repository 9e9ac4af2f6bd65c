// SPDX-License-Identifier: Apache-2.0
// What sorting leaves behind when a comparison throws, and how many comparisons it makes at most.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <stop_token>
#include <vector>

#include "nopal/algorithm/inplace_merge.hpp"
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
using nopal_test::scrambled;

/// Sorts 700 owned numbers by a comparison that throws at its k-th call, for many k, and counts
/// that all are left.
template <class Sort>
void loses_none(const Sort& sort) {
  constexpr unsigned n = 700;
  const auto fill = [](std::vector<std::unique_ptr<unsigned>>& v) {
    for (unsigned i = 0; i < n; ++i)
      v.push_back(std::make_unique<unsigned>(scrambled(i) % 97 * n + i));
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
      std::ranges::sort(v.begin(), v.begin() + 300, std::less<>(), [](auto& p) { return *p; });
      std::ranges::sort(v.begin() + 300, v.end(), std::less<>(), [](auto& p) { return *p; });
      nopal::inplace_merge(grain{20}, v, v.begin() + 300, less);
    });
    loses_none(
        [](auto& v, auto& less) { nopal::algorithm_detail::sort_as_heap(v.begin(), 700, less); });
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

}  // namespace
