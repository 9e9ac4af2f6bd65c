// SPDX-License-Identifier: Apache-2.0
// What algorithms do if there is no memory: they throw, keep all elements and lose no memory, or
// do without. And how much of it they take.
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <limits>
#include <new>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

#include "nopal/algorithm.hpp"
#include "nopal/nopal.hpp"
#include "support/build.hpp"
#include "support/ranges.hpp"

namespace {

constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

/// How many allocations succeed before one fails.
std::atomic<std::int64_t> until_failure{never};
/// Bytes that have been allocated and not given back, and the most of them.
std::atomic<std::int64_t> bytes_in_use{0}, most_in_use{0};

void* allocate(std::size_t bytes, std::size_t alignment) noexcept {
  if (until_failure.load() != never && until_failure.fetch_sub(1) == 0) return nullptr;
  void* p = nullptr;
  if (posix_memalign(&p, std::max(alignment, sizeof(void*)), bytes) != 0) return nullptr;
  const auto now = bytes_in_use += static_cast<std::int64_t>(malloc_usable_size(p));
  std::int64_t most = most_in_use;
  while (most < now && !most_in_use.compare_exchange_weak(most, now)) {
  }
  return p;
}

void* allocate_or_throw(std::size_t bytes, std::size_t alignment) {
  if (void* p = allocate(bytes, alignment)) return p;
  throw std::bad_alloc();
}

void give_back(void* p) noexcept {
  bytes_in_use -= static_cast<std::int64_t>(malloc_usable_size(p));
  std::free(p);
}

constexpr std::size_t usual = __STDCPP_DEFAULT_NEW_ALIGNMENT__;

}  // namespace

void* operator new(std::size_t bytes) { return allocate_or_throw(bytes, usual); }
void* operator new(std::size_t bytes, const std::nothrow_t& /*tag*/) noexcept {
  return allocate(bytes, usual);
}
void* operator new(std::size_t bytes, std::align_val_t a) {
  return allocate_or_throw(bytes, static_cast<std::size_t>(a));
}
void* operator new(std::size_t bytes, std::align_val_t a, const std::nothrow_t& /*tag*/) noexcept {
  return allocate(bytes, static_cast<std::size_t>(a));
}
void operator delete(void* p) noexcept { give_back(p); }
void operator delete(void* p, std::size_t /*bytes*/) noexcept { give_back(p); }
void operator delete(void* p, std::align_val_t /*a*/) noexcept { give_back(p); }
void operator delete(void* p, std::size_t /*bytes*/, std::align_val_t /*a*/) noexcept {
  give_back(p);
}

namespace {

using pairs = std::vector<std::pair<int, int>>;

constexpr std::size_t n = nopal_test::with_sanitizer ? 20'000 : 70'000;

std::vector<int> numbers() {
  std::vector<int> v(n);
  for (std::size_t i = 0; i < n; ++i) v[i] = static_cast<int>(nopal_test::scrambled(i) % 5000);
  return v;
}
pairs some_pairs() {
  pairs v(n);
  for (std::size_t i = 0; i < n; ++i)
    v[i] = {static_cast<int>(nopal_test::scrambled(i) % 3000), static_cast<int>(i)};
  return v;
}
std::vector<std::string> texts() {
  std::vector<std::string> v;
  for (const int i : numbers())
    v.push_back("a text that has memory of its own " + std::to_string(i));
  return v;
}

/// Runs f on a copy of `all`, again and again. Each time another allocation fails, until none does.
/// \param f  an algorithm that changes the order of the elements only, or nothing.
/// \returns how often it threw std::bad_alloc.
template <class T, class F>
int without_memory(const std::vector<T>& all, const F& f) {
  nopal::runtime r({.workers = 2});
  std::vector<T> sorted = all;
  std::ranges::sort(sorted);
  int failures = 0;
  for (std::int64_t k = 0;; k += 1 + k / 4) {
    std::vector<T> v = all;
    const std::int64_t before = bytes_in_use;
    r.run([&] {
      until_failure = k;
      try {
        f(v);
      } catch (const std::bad_alloc&) {
        ++failures;
      }
    });
    const bool failed = until_failure.exchange(never) < 0;
    // What a worker keeps for later has a bound.
    EXPECT_LT(bytes_in_use - before, 100'000) << "allocation " << k;
    std::ranges::sort(v);
    EXPECT_TRUE(v == sorted) << "allocation " << k;
    if (!failed) break;
  }
  return failures;
}

TEST(WithoutMemory, SortsInPlace) {
  without_memory(numbers(), [](auto& v) { nopal::sort(v); });
  without_memory(numbers(), [](auto& v) { nopal::sort(v, [](int a, int b) { return a > b; }); });
  without_memory(texts(), [](auto& v) { nopal::sort(v); });
  without_memory(texts(), [](auto& v) { nopal::nth_element(v, v.begin() + 100); });
  without_memory(texts(), [](auto& v) { nopal::partial_sort(v, v.begin() + 100); });
}

TEST(WithoutMemory, AStableSortMergesInPlace) {
  std::vector<std::string> v = texts();
  until_failure = 0;
  nopal::stable_sort(v, std::less<>());
  EXPECT_LT(until_failure.exchange(never), 0);
  EXPECT_TRUE(std::ranges::is_sorted(v));
  EXPECT_EQ(without_memory(texts(), [](auto& w) { nopal::stable_sort(w, std::less<>()); }), 0);
}

TEST(WithoutMemory, IntegerSorts) {
  const auto first = &pairs::value_type::first;
  EXPECT_GT(without_memory(some_pairs(), [=](auto& v) { nopal::integer_sort(v, first); }), 0);
  pairs out(n);
  EXPECT_GT(without_memory(some_pairs(),
                           [&](auto& v) { nopal::counting_sort(v, out.begin(), 3000, first); }),
            0);
  const auto number = [](const std::string& s) { return std::stoi(s.substr(34)); };
  EXPECT_GT(without_memory(texts(), [=](auto& v) { nopal::integer_sort(v, number); }), 0);
}

TEST(WithoutMemory, Keys) {
  EXPECT_GT(without_memory(some_pairs(), [](auto& v) { nopal::reduce_by_key(v); }), 0);
  EXPECT_GT(
      without_memory(some_pairs(), [](auto& v) { nopal::group_by(v, &pairs::value_type::first); }),
      0);
  EXPECT_GT(without_memory(texts(), [](auto& v) { nopal::group_by(v, std::identity()); }), 0);
  EXPECT_GT(without_memory(texts(), [](auto& v) { nopal::remove_duplicates(v); }), 0);
  EXPECT_GT(without_memory(numbers(), [](auto& v) { nopal::remove_duplicates(v); }), 0);
  EXPECT_GT(without_memory(numbers(), [](auto& v) { nopal::histogram(v, 5000); }), 0);
}

TEST(WithoutMemory, Orders) {
  const auto is_even = [](int i) { return i % 2 == 0; };
  EXPECT_GT(without_memory(texts(), [](auto& v) { nopal::shuffle(v, 3); }), 0);
  without_memory(numbers(), [&](auto& v) { nopal::partition(v, is_even); });
  without_memory(texts(), [](auto& v) { nopal::reverse(v); });
  without_memory(texts(), [](auto& v) { nopal::rotate(v, v.begin() + 1000); });
}

/// Calls f(v) without any memory, which throws and changes nothing.
template <class T, class F>
void has_not_begun(std::vector<T> v, const F& f) {
  const std::vector<T> before = v;
  until_failure = 0;
  EXPECT_THROW(f(v), std::bad_alloc);
  until_failure = never;
  EXPECT_EQ(v, before);
}

TEST(WithoutMemory, AStablePartitionDoesNotBegin) {
  has_not_begun(numbers(),
                [](auto& v) { nopal::stable_partition(v, [](int i) { return i % 2 == 0; }); });
  has_not_begun(texts(), [](auto& v) {
    nopal::stable_partition(v, [](const std::string& s) { return s.back() == '3'; });
  });
}

TEST(WithoutMemory, Results) {
  const auto is_even = [](int i) { return i % 2 == 0; };
  EXPECT_GT(without_memory(numbers(), [&](auto& v) { nopal::filter(v, is_even); }), 0);
  EXPECT_GT(without_memory(texts(), [](auto& v) { nopal::fold(v, std::string(), std::plus<>()); }),
            0);
  EXPECT_GT(without_memory(numbers(),
                           [](auto& v) {
                             nopal::for_each(v | std::views::filter([](int) { return true; }),
                                             [](int&) {});
                           }),
            0);
  without_memory(numbers(), [](auto& v) { nopal::fold(v, 0, std::plus<>()); });
  without_memory(numbers(), [](auto& v) {
    static_cast<void>(nopal::find_if(v, [](int i) { return i < 0; }));
  });
}

/// Returns the most memory that f takes beside what there is when it begins.
template <class F>
std::int64_t memory_of(const F& f) {
  nopal::runtime r({.workers = 2});
  std::int64_t before = 0;
  r.run([&] {
    before = bytes_in_use;
    most_in_use = before;
    f();
  });
  return most_in_use - before;
}

// As docs/reference.md says.
TEST(Memory, ASortInPlaceTakesLittle) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> v(200'000);
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = {nopal_test::scrambled(i), i};
  const auto bytes = static_cast<std::int64_t>(v.size() * sizeof v[0]);
  EXPECT_LT(memory_of([&] { nopal::sort(v); }), bytes / 20);
  EXPECT_TRUE(std::ranges::is_sorted(v));
  std::vector<std::uint64_t> u(400'000);
  for (std::size_t i = 0; i < u.size(); ++i) u[i] = nopal_test::scrambled(i);
  EXPECT_LT(memory_of([&] { nopal::sort(u); }), bytes / 20);
  EXPECT_TRUE(std::ranges::is_sorted(u));
}

TEST(Memory, AStableSortTakesAsMuchAsTheElements) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> v(200'000);
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = {nopal_test::scrambled(i) % 1000, i};
  const auto bytes = static_cast<std::int64_t>(v.size() * sizeof v[0]);
  EXPECT_LT(memory_of([&] {
              nopal::stable_sort(v, {}, &std::pair<std::uint64_t, std::uint64_t>::first);
            }),
            bytes + bytes / 20);
}

}  // namespace
