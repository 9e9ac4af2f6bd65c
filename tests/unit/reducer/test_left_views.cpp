// SPDX-License-Identifier: Apache-2.0
// How blocks of segments are merged that are left at one join.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

#include "nopal/detail/join/left_views.hpp"

namespace {

using nopal::detail::left_views;
using nopal::detail::strand_views;

struct numbers final : strand_views {
  static std::atomic<int> alive;

  explicit numbers(unsigned n) : all{n} { ++alive; }
  ~numbers() override { --alive; }
  void absorb(strand_views* right) noexcept override {
    auto* r = static_cast<numbers*>(right);
    all.insert(all.end(), r->all.begin(), r->all.end());
    delete r;
  }
  void drop() noexcept override { all.clear(); }
  [[nodiscard]] bool empty() const noexcept override { return all.empty(); }

  std::vector<unsigned> all;
};
std::atomic<int> numbers::alive{0};

/// What a parent finds that has no views of its own.
std::vector<unsigned> merged(left_views& left) {
  strand_views* list = left.take();
  if (list == nullptr) return {};
  nopal::detail::go_on_with_product(list);
  auto* product = static_cast<numbers*>(nopal::detail::take_views_of_strand());
  std::vector<unsigned> all = product != nullptr ? product->all : std::vector<unsigned>{};
  delete product;
  EXPECT_EQ(numbers::alive, 0);
  return all;
}
unsigned length(left_views& left) {
  strand_views* list = left.take();
  unsigned n = 0;
  for (strand_views* v = list; v != nullptr; v = v->next) ++n;
  if (list != nullptr) nopal::detail::go_on_with_product(list);
  delete nopal::detail::take_views_of_strand();
  return n;
}
std::vector<unsigned> first(unsigned n) {
  std::vector<unsigned> v(n);
  std::iota(v.begin(), v.end(), 0U);
  return v;
}

TEST(LeftViews, InAnyOrder) {
  std::vector<unsigned> order = first(7);
  do {
    left_views left;
    for (const unsigned i : order) left.leave(new numbers(i), i);
    ASSERT_EQ(numbers::alive, 1);  // one block, whatever the order
    ASSERT_EQ(merged(left), first(7));
  } while (std::ranges::next_permutation(order).found);
}

TEST(LeftViews, KeepsNoNeighbours) {
  std::mt19937 random(1);
  std::vector<unsigned> order = first(200);
  for (unsigned round = 0; round < 20; ++round) {
    std::ranges::shuffle(order, random);
    left_views left;
    std::vector<bool> is_left(202);
    for (const unsigned i : order) {
      left.leave(new numbers(i), i);
      is_left[i + 1] = true;
      int blocks = 0;
      for (unsigned j = 1; j < 202; ++j) blocks += is_left[j] && !is_left[j - 1] ? 1 : 0;
      ASSERT_EQ(numbers::alive, blocks);
    }
    ASSERT_EQ(merged(left), first(200));
  }
}

TEST(LeftViews, ASegmentWithoutViewsJoinsItsNeighbours) {
  left_views left;
  left.leave(new numbers(0), 0);
  left.leave(new numbers(2), 2);
  EXPECT_EQ(numbers::alive, 2);
  left.leave(nopal::detail::block_without_views(), 1);
  EXPECT_EQ(numbers::alive, 1);
  EXPECT_EQ(merged(left), (std::vector{0U, 2U}));
}

TEST(LeftViews, WhatFollowsAnExceptionIsDropped) {
  for (const bool with_views : {true, false}) {
    std::vector<unsigned> order = first(5);
    do {
      left_views left;
      for (const unsigned i : order) {
        strand_views* v = new numbers(i);
        if (i == 2) {
          if (!with_views) {
            delete v;
            v = nopal::detail::block_without_views();
          }
          v->thrown = true;
        }
        left.leave(v, i);
      }
      ASSERT_EQ(merged(left), first(with_views ? 3 : 2));
    } while (std::ranges::next_permutation(order).found);
  }
}

TEST(LeftViews, OnesOwnComeFirst) {
  left_views left;
  left.leave(new numbers(1), 0);
  nopal::detail::set_views_of_strand(new numbers(0));
  EXPECT_EQ(merged(left), first(2));
}

TEST(LeftViews, ThreadsLeaveAtTheSameTime) {
  constexpr unsigned threads = 4;
  constexpr unsigned each = 2000;
  for (unsigned round = 0; round < 5; ++round) {
    left_views left;
    std::vector<std::thread> all;
    for (unsigned t = 0; t < threads; ++t)
      all.emplace_back([&, t] {
        for (unsigned i = 0; i < each; ++i) {
          const unsigned number = i * threads + (t + i) % threads;
          left.leave(new numbers(number), number);
        }
      });
    for (std::thread& t : all) t.join();
    EXPECT_EQ(numbers::alive, 1);
    ASSERT_EQ(merged(left), first(threads * each));
  }
}

TEST(LeftViews, ThreadsLeaveWithoutOrder) {
  constexpr unsigned threads = 4;
  constexpr unsigned each = 1000;
  left_views left;
  std::vector<std::thread> all;
  for (unsigned t = 0; t < threads; ++t)
    all.emplace_back([&, t] {
      for (unsigned i = 0; i < each; ++i) left.leave_unordered(new numbers(t * each + i));
    });
  for (std::thread& t : all) t.join();
  EXPECT_EQ(length(left), 1U);
  EXPECT_EQ(numbers::alive, 0);
}

}  // namespace
