// SPDX-License-Identifier: Apache-2.0
// Forks for which the deque has no room and finds no memory to grow. They are calls.
#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <type_traits>

#include "nopal/detail/deque/deque.hpp"
#include "nopal/detail/deque/deque_asymmetric.hpp"
#include "nopal/nopal.hpp"
#include "support/counted.hpp"

namespace {

using nopal_test::counted;

std::atomic<bool> no_memory{false};
std::atomic<unsigned> refused{0};

}  // namespace

void* operator new(std::size_t bytes) {
  if (no_memory.load(std::memory_order_relaxed)) {
    refused.fetch_add(1, std::memory_order_relaxed);
    throw std::bad_alloc();
  }
  if (void* p = std::malloc(bytes)) return p;
  throw std::bad_alloc();
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }

namespace {

constexpr unsigned depth = 700;  // a new deque has room for less than half of it

class FullDeque : public testing::Test {
 protected:
  void SetUp() override { refused = 0; }

  /// Calls `leaf` under `depth` forks of two or three closures by turns, without memory.
  template <class F>
  void run(const F& leaf) {
    without_memory([&] { nest(0, leaf); });
  }

  template <class F>
  void without_memory(const F& f) {
    one_.run([&] {
      no_memory = true;
      try {
        f();
      } catch (...) {
        no_memory = false;
        throw;
      }
      no_memory = false;
    });
  }

  template <class F>
  void nest(unsigned level, const F& leaf) {
    if (level == depth) return leaf();
    const auto deeper = [&] { nest(level + 1, leaf); };
    const auto count = [&] {
      EXPECT_EQ(left_, level + 1);
      left_ = level;
      ++begun_;
    };
    if (level % 2 == 0)
      nopal::parallel_invoke(deeper, count);
    else
      nopal::parallel_invoke(deeper, count, [&] { ++begun_; });
  }

  /// The same by closures that return how many have ended.
  template <class F>
  counted nest_returning(unsigned level, const F& leaf) {
    if (level == depth) {
      leaf();
      return counted(0);
    }
    const auto deeper = [&] { return nest_returning(level + 1, leaf); };
    const auto count = [&] {
      EXPECT_EQ(left_, level + 1);
      left_ = level;
      return counted(1);
    };
    if (level % 2 == 0) {
      const auto [below, one] = nopal::parallel_invoke(deeper, count);
      return counted(below.value() + one.value());
    }
    const auto [below, one, two] = nopal::parallel_invoke(deeper, count, [] { return counted(2); });
    return counted(below.value() + one.value() + two.value());
  }

  nopal::runtime one_{{.workers = 1, .stack_bytes = std::size_t{4} << 20}};
  unsigned left_ = depth;  ///< The level whose nested fork has ended last.
  unsigned begun_ = 0;     ///< Closures that come after a nested fork.
};

void expect_refused() {
  // Not all variants grow.
  if (std::is_same_v<nopal::detail::deque, nopal::detail::deque_asymmetric>)
    EXPECT_GT(refused.load(), 0U);
}

TEST_F(FullDeque, ForksAreCalls) {
  run([] {});
  expect_refused();
  EXPECT_EQ(begun_, 3 * depth / 2);
}

TEST_F(FullDeque, ForksMayBeStolenOnceThereIsMemoryAgain) {
  run([] { no_memory = false; });
  expect_refused();
  EXPECT_EQ(begun_, 3 * depth / 2);
}

TEST_F(FullDeque, AnExceptionPassesForksThatAreCalls) {
  EXPECT_THROW(run([] { throw 1; }), int);
  expect_refused();
  EXPECT_EQ(begun_, 0U) << "what comes after the closure that throws never begins";
}

TEST_F(FullDeque, ForksThatReturnAreCalls) {
  for (const bool memory_again : {false, true}) {
    refused = 0;
    left_ = depth;
    int ended = 0;
    without_memory([&] {
      ended = nest_returning(0, [&] {
                if (memory_again) no_memory = false;
              }).value();
    });
    expect_refused();
    EXPECT_EQ(ended, static_cast<int>(2 * depth));
    EXPECT_EQ(counted::alive, 0);
  }
}

TEST_F(FullDeque, AnExceptionPassesForksThatReturn) {
  EXPECT_THROW(without_memory([&] { nest_returning(0, [] { throw 1; }); }), int);
  expect_refused();
  EXPECT_EQ(left_, depth) << "what comes after the closure that throws never begins";
  EXPECT_EQ(counted::alive, 0);
}

TEST_F(FullDeque, LoopsRunBlockByBlock) {
  int next = 0;
  run([&] {
    nopal::for_each(nopal::grain{1}, 0, 100, [&](int i) {
      EXPECT_EQ(i, next++);
      if (i == 50) no_memory = false;
    });
  });
  expect_refused();
  EXPECT_EQ(next, 100);
}

}  // namespace
