// SPDX-License-Identifier: Apache-2.0
// What a pool promises with any mechanism below it. SALSA's own is in test_pool.cpp.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "nopal/detail/pool/salsa.hpp"
#include "nopal/pool.hpp"
#include "variants/pool/concurrent_bag.hpp"
#include "variants/pool/lifo_stack.hpp"
#include "variants/pool/ms_queue.hpp"
#include "variants/pool/salsa_cas.hpp"

namespace {

using nopal::pool;
using nopal::detail::concurrent_bag;
using nopal::detail::lifo_stack;
using nopal::detail::ms_queue;
using nopal::detail::salsa;
using nopal::detail::salsa_cas;

template <template <class> class M>
struct mechanism {
  template <class T>
  using pool_of = pool<T, M<T>>;
};

/// Counts the objects that live; its move throws when told so.
struct counted {
  static inline int alive = 0;
  static inline bool throws = false;

  explicit counted(int v) : value(v) {
    if (throws) throw std::runtime_error("constructor");
    ++alive;
  }
  counted(counted&& other) : value(other.value) {
    if (throws) throw std::runtime_error("move");
    ++alive;
  }
  ~counted() { --alive; }

  int value;
};

template <class M>
class PoolMechanism : public testing::Test {
 protected:
  void TearDown() override {
    counted::throws = false;
    EXPECT_EQ(counted::alive, 0);
  }
};

using all = testing::Types<mechanism<salsa>, mechanism<salsa_cas>, mechanism<concurrent_bag>,
                           mechanism<ms_queue>, mechanism<lifo_stack>>;
TYPED_TEST_SUITE(PoolMechanism, all);

TYPED_TEST(PoolMechanism, WhatIsPutComesOutOnce) {
  typename TypeParam::template pool_of<int> p({.chunk = 3});
  auto in = p.producer();
  auto out = p.consumer();
  EXPECT_EQ(out.get(), std::nullopt);
  std::array<int, 200> times{};
  for (int i = 0; i < 100; ++i) {
    in.put(2 * i);
    in.put(2 * i + 1);
    ++times.at(static_cast<std::size_t>(out.get().value()));
  }
  while (const auto x = out.get()) ++times.at(static_cast<std::size_t>(*x));
  for (const int t : times) EXPECT_EQ(t, 1);
}

TYPED_TEST(PoolMechanism, AnyConsumerGetsWhatAnyProducerPut) {
  typename TypeParam::template pool_of<int> p({.producers = 3, .consumers = 4, .chunk = 2});
  std::vector<decltype(p.producer())> in;
  for (int i = 0; i < 3; ++i) in.push_back(p.producer());
  std::vector<decltype(p.consumer())> out;
  for (int i = 0; i < 4; ++i) out.push_back(p.consumer());
  for (std::size_t round = 0; round < 40; ++round) {
    for (int k = 0; k < 7; ++k)
      for (auto& i : in) i.put(1);
    int got = 0;
    for (std::size_t k = round; const auto x = out[k % out.size()].get(); k += round % 3) got += *x;
    EXPECT_EQ(got, 21);
    for (auto& o : out) EXPECT_EQ(o.get(), std::nullopt);
  }
}

TYPED_TEST(PoolMechanism, OnlyMovable) {
  typename TypeParam::template pool_of<std::unique_ptr<int>> p({.chunk = 2});
  auto in = p.producer();
  auto out = p.consumer();
  for (int i = 0; i < 5; ++i) in.put(std::make_unique<int>(i));
  int sum = 0;
  for (int i = 0; i < 5; ++i) sum += **out.get();
  EXPECT_EQ(sum, 10);
}

TYPED_TEST(PoolMechanism, OverAligned) {
  struct alignas(512) wide {
    int value;
  };
  typename TypeParam::template pool_of<wide> p({.chunk = 3});
  auto in = p.producer();
  auto out = p.consumer();
  for (int i = 0; i < 10; ++i) in.put(wide{i});
  for (int i = 0; i < 10; ++i) {
    const auto x = out.get();
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&*x) % 512, 0U);
  }
}

TYPED_TEST(PoolMechanism, ATaskWhoseMoveThrowsIsTaken) {
  typename TypeParam::template pool_of<counted> p({.chunk = 2});
  auto in = p.producer();
  auto out = p.consumer();
  for (int i = 0; i < 6; ++i) in.emplace(i);
  for (int i = 0; i < 6; ++i) {
    counted::throws = i % 2 == 0;
    if (counted::throws)
      EXPECT_THROW(static_cast<void>(out.get()), std::runtime_error);
    else
      EXPECT_TRUE(out.get().has_value());
  }
  EXPECT_FALSE(out.get().has_value());
}

TYPED_TEST(PoolMechanism, APutWhoseConstructorThrowsLeavesNothing) {
  typename TypeParam::template pool_of<counted> p({.chunk = 2});
  auto in = p.producer();
  auto out = p.consumer();
  for (int i = 0; i < 5; ++i) {
    counted::throws = true;
    EXPECT_THROW(in.emplace(i), std::runtime_error);
    counted::throws = false;
    in.emplace(i);
    EXPECT_EQ(out.get()->value, i);
    EXPECT_FALSE(out.get().has_value());
  }
}

TYPED_TEST(PoolMechanism, TasksInsideAreDestroyedWithIt) {
  typename TypeParam::template pool_of<counted> p({.producers = 2, .consumers = 2, .chunk = 3});
  auto a = p.producer();
  auto b = p.producer();
  for (int i = 0; i < 10; ++i) {
    a.emplace(i);
    b.emplace(i);
  }
  auto out = p.consumer();
  for (int i = 0; i < 7; ++i) EXPECT_TRUE(out.get().has_value());
  EXPECT_EQ(counted::alive, 13);
}

TYPED_TEST(PoolMechanism, AHandleGivenBackIsTakenAgain) {
  typename TypeParam::template pool_of<int> p({.consumers = 2, .chunk = 2});
  auto in = p.producer();
  for (int i = 0; i < 50; ++i) {
    for (int k = 0; k < 3; ++k) in.put(1);
    int got = 0;
    while (p.consumer().get()) ++got;
    EXPECT_EQ(got, 3);
  }
}

}  // namespace
