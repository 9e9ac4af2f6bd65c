// SPDX-License-Identifier: Apache-2.0
// All five deques against one specification. One thread plays owner and thief, except where a deque
// grows under thieves.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "nopal/detail/deque/deque_asymmetric.hpp"
#include "nopal/detail/deque/deque_fenced.hpp"
#include "nopal/detail/platform/fence.hpp"
#include "variants/deque/deque_abp.hpp"
#include "variants/deque/deque_split.hpp"
#include "variants/deque/deque_the.hpp"

namespace {

using nopal::detail::continuation;
using nopal::detail::deque_abp;
using nopal::detail::deque_asymmetric;
using nopal::detail::deque_fenced;
using nopal::detail::deque_split;
using nopal::detail::deque_the;

template <class D>
class Deque : public testing::Test {
 protected:
  static constexpr bool bounded = std::is_same_v<D, deque_abp>;

  Deque() : elements_(4096) {}

  static void SetUpTestSuite() {
    nopal::detail::asymmetric_fences = nopal::detail::register_process_wide_fence(true);
  }

  continuation* element(std::size_t i) { return &elements_[i]; }
  std::int64_t push(std::size_t i) {
    const std::int64_t position = deque_.push(element(i));
    if (position < 0) return position;
    if (at_.size() <= static_cast<std::size_t>(position))
      at_.resize(static_cast<std::size_t>(position) + 1);
    at_[static_cast<std::size_t>(position)] = element(i);
    return position;
  }
  bool pop(std::int64_t position) { return deque_.pop(position); }
  continuation* take() {
    const std::int64_t newest = deque_.newest();
    return deque_.pop(newest) ? at_[static_cast<std::size_t>(newest)] : nullptr;
  }

  continuation* steal() {
    return steal([] { return true; });
  }
  /// A thief of the split deque gets what it has asked for, by looking, at the owner's next push.
  template <class Still>
  continuation* steal(Still still) {
    if constexpr (std::is_same_v<D, deque_split>) {
      if (deque_.looks_empty()) return nullptr;
      EXPECT_TRUE(deque_.pop(deque_.push(&asked_)));
    }
    return deque_.steal(still);
  }
  void expect_empty() {
    EXPECT_TRUE(deque_.looks_empty());
    EXPECT_FALSE(deque_.pop(deque_.newest()));
    EXPECT_EQ(deque_.steal(), nullptr);
    EXPECT_TRUE(deque_.looks_empty());
  }

  D deque_;

 private:
  std::vector<continuation> elements_;
  std::vector<continuation*> at_;  ///< What was pushed at each position last.
  continuation asked_{};
};

struct name_of_deque {
  template <class D>
  static std::string GetName(int) {
    if constexpr (std::is_same_v<D, deque_asymmetric>) return "Asymmetric";
    if constexpr (std::is_same_v<D, deque_fenced>) return "Fenced";
    if constexpr (std::is_same_v<D, deque_split>) return "Split";
    if constexpr (std::is_same_v<D, deque_abp>) return "Abp";
    if constexpr (std::is_same_v<D, deque_the>) return "The";
  }
};

using all_deques =
    testing::Types<deque_asymmetric, deque_fenced, deque_split, deque_abp, deque_the>;
TYPED_TEST_SUITE(Deque, all_deques, name_of_deque);

TYPED_TEST(Deque, EmptyAtFirst) {
  this->expect_empty();
  this->expect_empty();
}

TYPED_TEST(Deque, TheOwnerPopsLastInFirstOut) {
  std::vector<std::int64_t> positions;
  for (std::size_t i = 0; i < 100; ++i) positions.push_back(this->push(i));
  EXPECT_FALSE(this->deque_.looks_empty());
  for (std::size_t i = 100; i-- > 0;) EXPECT_TRUE(this->pop(positions[i])) << i;
  this->expect_empty();
}

TYPED_TEST(Deque, TakeSaysWhichElementItWas) {
  for (std::size_t i = 0; i < 100; ++i) this->push(i);
  for (std::size_t i = 100; i-- > 0;) EXPECT_EQ(this->take(), this->element(i));
  this->expect_empty();
}

TYPED_TEST(Deque, TakeOldestTakesAsAThiefWould) {
  for (std::size_t n = 1; n < 100; ++n) {
    std::vector<std::int64_t> positions;
    for (std::size_t i = 0; i < n; ++i) positions.push_back(this->push(i));
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(this->deque_.take_oldest(), this->element(i));
    EXPECT_TRUE(this->deque_.looks_empty());
    EXPECT_EQ(this->deque_.take_oldest(), nullptr);
    for (std::size_t i = n; i-- > 0;) ASSERT_FALSE(this->pop(positions[i]));
    this->expect_empty();
  }
}

TYPED_TEST(Deque, ThievesTakeFirstInFirstOut) {
  for (std::size_t i = 0; i < 100; ++i) this->push(i);
  for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(this->steal(), this->element(i));
  this->expect_empty();
}

TYPED_TEST(Deque, AThiefThatThinksBetterOfItTakesNothing) {
  for (std::size_t i = 0; i < 10; ++i) this->push(i);
  for (std::size_t i = 0; i < 10; ++i) {
    EXPECT_EQ(this->steal([] { return false; }), nullptr);
    EXPECT_EQ(this->steal(), this->element(i));
  }
  bool asked = false;
  EXPECT_EQ(this->steal([&] { return asked = true; }), nullptr);
  EXPECT_FALSE(asked) << "there is nothing";
  this->expect_empty();
}

TYPED_TEST(Deque, APromiseChangesNothingButTheWay) {
  for (std::size_t i = 0; i < 100; ++i) {
    this->deque_.promise_next();
    const std::int64_t older = this->push(2 * i);
    const std::int64_t newer = this->push(2 * i + 1);
    EXPECT_TRUE(this->pop(newer));
    if (i % 3 == 0) {
      EXPECT_EQ(this->steal(), this->element(2 * i));
      EXPECT_FALSE(this->pop(older));
    } else {
      EXPECT_TRUE(this->pop(older));
    }
    this->expect_empty();
  }
}

TYPED_TEST(Deque, WhatIsPushedAgainIsStolen) {
  std::int64_t at = this->push(0);
  for (const bool wanted : {true, true, false, true}) {
    if (wanted) {
      EXPECT_EQ(this->steal([] { return false; }), nullptr);  // pop is then a steal
    }
    EXPECT_TRUE(this->pop(at));
    at = this->deque_.push_again(this->element(0), at);
  }
  EXPECT_EQ(this->steal(), this->element(0));
  this->expect_empty();
}

// The thief has seen the oldest element and ordered itself with the owner, and takes it a while
// later.
TYPED_TEST(Deque, AThiefMayTakeItsTime) {
  if constexpr (std::is_same_v<TypeParam, deque_the>)
    GTEST_SKIP() << "the thief has a lock by then";
  for (std::size_t n = 1; n < 6; ++n) {
    for (std::size_t popped = 0; popped <= n; ++popped) {
      for (const bool has_tried : {false, true}) {
        std::vector<std::int64_t> positions;
        for (std::size_t i = 0; i < n; ++i) positions.push_back(this->push(i));
        if (has_tried) {
          ASSERT_EQ(this->steal([] { return false; }), nullptr);
          ASSERT_TRUE(this->pop(this->push(n)));
        }
        continuation* stolen = this->steal([&] {
          for (std::size_t i = n; i-- > n - popped;)
            EXPECT_TRUE(this->pop(positions[i])) << i << " of " << n;
          return true;
        });
        ASSERT_EQ(stolen, popped < n ? this->element(0) : nullptr) << popped << " of " << n;
        for (std::size_t i = n - popped; i-- > 0;) ASSERT_EQ(this->pop(positions[i]), i > 0);
        this->expect_empty();
      }
    }
  }
}

// The owner takes the oldest element itself, and comes to the forks whose elements are gone later.
TYPED_TEST(Deque, AThiefThinksBetterOfItAndTheOwnerTakesTheOldest) {
  for (std::size_t n = 1; n < 6; ++n) {
    std::vector<std::int64_t> positions;
    for (std::size_t i = 0; i < n; ++i) positions.push_back(this->push(i));
    ASSERT_EQ(this->steal([] { return false; }), nullptr);
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(this->deque_.take_oldest(), this->element(i));
    for (std::size_t i = n; i-- > 0;) ASSERT_FALSE(this->pop(positions[i])) << i << " of " << n;
    this->expect_empty();
  }
}

TYPED_TEST(Deque, OwnerAndThievesMeetInTheMiddle) {
  for (std::size_t n = 1; n < 40; ++n) {
    for (std::size_t stolen = 0; stolen <= n; ++stolen) {
      std::vector<std::int64_t> positions;
      for (std::size_t i = 0; i < n; ++i) positions.push_back(this->push(i));
      for (std::size_t i = 0; i < stolen; ++i) ASSERT_EQ(this->steal(), this->element(i));
      for (std::size_t i = n; i-- > 0;)
        ASSERT_EQ(this->pop(positions[i]), i >= stolen) << i << " of " << n;
      this->expect_empty();
    }
  }
}

TYPED_TEST(Deque, StealsBetweenPushes) {
  std::size_t oldest = 0;
  for (std::size_t i = 0; i < 1000; ++i) {
    this->push(i);
    if (i % 3 == 0) continue;
    ASSERT_EQ(this->steal(), this->element(oldest++));
  }
  for (std::size_t i = 1000; i-- > oldest;) ASSERT_EQ(this->take(), this->element(i));
  this->expect_empty();
}

TYPED_TEST(Deque, StealsBetweenPops) {
  for (std::size_t i = 0; i < 1000; ++i) this->push(i);
  for (std::size_t i = 0; i < 500; ++i) {
    ASSERT_EQ(this->steal(), this->element(i));
    ASSERT_EQ(this->take(), this->element(999 - i));
  }
  this->expect_empty();
}

TYPED_TEST(Deque, IsUsedAgainAfterItsLastElementWasStolen) {
  for (std::size_t i = 0; i < 1000; ++i) {
    const std::int64_t position = this->push(i);
    ASSERT_EQ(this->steal(), this->element(i));
    ASSERT_FALSE(this->pop(position));
    ASSERT_TRUE(this->deque_.looks_empty());
  }
  this->expect_empty();
}

// A strand forks, and in its child again; all is stolen. It leaves at a join, and its worker runs
// others before it is resumed there and comes to the position of its first fork.
TYPED_TEST(Deque, AStrandThatLeftAndCameBackFindsNothing) {
  for (std::size_t deep = 1; deep < 5; ++deep) {
    for (std::size_t others = 0; others < 600; others = 2 * others + 1) {
      for (const bool others_are_stolen : {false, true}) {
        std::vector<std::int64_t> positions;
        for (std::size_t i = 0; i < deep; ++i) positions.push_back(this->push(i));
        for (std::size_t i = 0; i < deep; ++i) ASSERT_EQ(this->steal(), this->element(i));
        ASSERT_FALSE(this->pop(positions.back()));
        positions.pop_back();

        std::vector<std::int64_t> of_others;
        for (std::size_t i = 0; i < others; ++i) of_others.push_back(this->push(i));
        for (std::size_t i = 0; others_are_stolen && i < others; ++i)
          ASSERT_EQ(this->steal(), this->element(i));
        for (std::size_t i = others; i-- > 0;)
          ASSERT_EQ(this->pop(of_others[i]), !others_are_stolen);

        for (std::size_t i = positions.size(); i-- > 0;)
          ASSERT_FALSE(this->pop(positions[i])) << deep << ' ' << others;
        this->expect_empty();
        const std::int64_t next = this->push(0);
        ASSERT_TRUE(this->pop(next));
        this->push(1);
        ASSERT_EQ(this->steal(), this->element(1));
        this->expect_empty();
      }
    }
  }
}

// The same, with nothing but the strand's own elements: nobody has used the deque in between.
TYPED_TEST(Deque, AllElementsOfAStrandAreStolenBeforeItsFirstPop) {
  std::vector<std::int64_t> positions;
  for (std::size_t i = 0; i < 10; ++i) positions.push_back(this->push(i));
  for (std::size_t i = 0; i < 10; ++i) ASSERT_EQ(this->steal(), this->element(i));
  // Not its newest position: the child that pushed that one has gone on elsewhere.
  EXPECT_FALSE(this->pop(positions[4]));
  this->expect_empty();
  this->push(0);
  EXPECT_EQ(this->take(), this->element(0));
}

TYPED_TEST(Deque, GrowsWhateverTheIndicesAreAtThatMoment) {
  if constexpr (TestFixture::bounded) GTEST_SKIP() << "has a fixed size";
  std::size_t moved = 0;
  for (std::size_t n = 1; n <= 4096; n = 2 * n + moved % 2) {
    for (std::size_t i = 0; i < n; ++i) ASSERT_GE(this->push(i), 0);
    for (std::size_t i = 0; i < n / 2; ++i) ASSERT_EQ(this->steal(), this->element(i));
    for (std::size_t i = n; i-- > n / 2;) ASSERT_EQ(this->take(), this->element(i));
    this->expect_empty();
    for (; moved % 101 != 0; ++moved) {
      this->push(0);
      ASSERT_EQ(this->steal(), this->element(0));
    }
    ++moved;
  }
}

TYPED_TEST(Deque, ALongQueueKeepsItsSize) {
  // With 100 elements at any time it turns round in its array many times, with no reason to grow or
  // to be full.
  if constexpr (TestFixture::bounded)
    GTEST_SKIP() << "uses a slot again only when it has been empty";
  for (std::size_t i = 0; i < 100000; ++i) {
    ASSERT_GE(this->push(i % 4096), 0);
    if (i < 100) continue;
    ASSERT_EQ(this->steal(), this->element((i - 100) % 4096));
  }
}

TYPED_TEST(Deque, GrowsWhileThievesSteal) {
  constexpr std::size_t count = TestFixture::bounded ? 4096 : 200000;
  std::vector<continuation> elements(count);
  std::vector<std::atomic<int>> taken(count);
  const auto note = [&](continuation* c) {
    taken[static_cast<std::size_t>(c - elements.data())].fetch_add(1);
  };
  std::atomic<bool> over{false};
  const auto steal = [&] {
    std::size_t at_least = 0;
    bool in_order = true;
    while (!over.load() || !this->deque_.looks_empty()) {
      continuation* c = this->deque_.looks_empty() ? nullptr : this->deque_.steal();
      if (c == nullptr) {
        std::this_thread::yield();
        continue;
      }
      const auto i = static_cast<std::size_t>(c - elements.data());
      in_order = in_order && i >= at_least;
      at_least = i + 1;
      note(c);
    }
    EXPECT_TRUE(in_order) << "a thief must find older elements first";
  };
  std::thread a(steal), b(steal);
  for (std::size_t i = 0; i < count; ++i) ASSERT_GE(this->deque_.push(&elements[i]), 0);
  for (std::int64_t i = this->deque_.newest(); this->deque_.pop(i); i = this->deque_.newest())
    note(&elements[static_cast<std::size_t>(i)]);
  over.store(true);
  a.join();
  b.join();
  for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(taken[i].load(), 1) << i;
}

// Nobody pops: the strands whose elements these were are suspended.
TYPED_TEST(Deque, TakeOldestLeavesRoomForMore) {
  for (std::size_t i = 0; i < 20000; ++i) {
    ASSERT_GE(this->push(i % 4096), 0) << i;
    ASSERT_EQ(this->deque_.take_oldest(), this->element(i % 4096));
  }
  this->expect_empty();
}

class AsymmetricDeque : public testing::TestWithParam<bool> {
 protected:
  AsymmetricDeque() {
    nopal::detail::asymmetric_fences =
        nopal::detail::register_process_wide_fence(true) && GetParam();
    deque_.emplace();
  }
  ~AsymmetricDeque() override {
    nopal::detail::asymmetric_fences = nopal::detail::register_process_wide_fence(true);
  }

  std::optional<deque_asymmetric> deque_;
  std::array<continuation, 3> e_;
};

// The deque of the worker that a strand has come to. What the strand had pushed elsewhere, at any
// position below the one that it brings, has been stolen.
TEST_P(AsymmetricDeque, NothingIsBelowThePositionThatAStrandBrings) {
  deque_asymmetric& d = *deque_;
  for (const std::int64_t end : {1, 7, 700, 701}) {
    d.begin_above(end);
    EXPECT_EQ(d.end(), end);
    for (const std::int64_t p : {std::int64_t{0}, end / 2, end - 1}) {
      EXPECT_FALSE(d.pop(p)) << p;
      EXPECT_TRUE(d.looks_empty());
    }
    EXPECT_EQ(d.steal(), nullptr);
    const std::int64_t mine = d.push(e_.data());
    EXPECT_EQ(mine, end);
    EXPECT_TRUE(d.pop(mine));
    EXPECT_FALSE(d.pop(end - 1));
    const std::int64_t stolen = d.push(&e_[1]);
    EXPECT_EQ(d.steal(), &e_[1]);
    EXPECT_FALSE(d.pop(stolen));
    EXPECT_FALSE(d.pop(end - 1));
  }
}

TEST_P(AsymmetricDeque, StaysWhereItIsIfAStrandBringsLess) {
  deque_asymmetric& d = *deque_;
  d.begin_above(10);
  d.begin_above(10);
  d.begin_above(3);
  EXPECT_EQ(d.end(), 10);
  EXPECT_FALSE(d.pop(2));
  EXPECT_EQ(d.push(e_.data()), 10);
}

// A fork that found the deque full pops all the same.
TEST_P(AsymmetricDeque, NothingIsLostWhenWhatWasNotPushedIsPopped) {
  deque_asymmetric& d = *deque_;
  EXPECT_FALSE(d.pop(deque_asymmetric::full + 0));
  const std::int64_t a = d.push(e_.data());
  const std::int64_t b = d.push(&e_[1]);
  EXPECT_FALSE(d.pop(deque_asymmetric::full + d.end()));
  EXPECT_EQ(d.steal(), e_.data());
  EXPECT_FALSE(d.pop(deque_asymmetric::full + d.end()));
  EXPECT_EQ(d.end(), b + 1);
  EXPECT_TRUE(d.pop(b));
  EXPECT_FALSE(d.pop(a));
  d.begin_above(5);
  EXPECT_FALSE(d.pop(deque_asymmetric::full + b)) << "found full on another worker";
  EXPECT_EQ(d.end(), 5);
}

INSTANTIATE_TEST_SUITE_P(Fences, AsymmetricDeque, testing::Bool(),
                         [](const auto& i) { return i.param ? "Membarrier" : "OfItsOwn"; });

class AbpDeque : public testing::Test {
 protected:
  deque_abp deque_;
  continuation c_{};
};

TEST_F(AbpDeque, IsFullAfterItsCapacity) {
  for (std::int64_t i = 0; i < deque_abp::capacity; ++i) ASSERT_EQ(deque_.push(&c_), i);
  EXPECT_EQ(deque_.push(&c_), deque_abp::full);
  EXPECT_EQ(deque_.push(&c_), deque_abp::full);
  EXPECT_TRUE(deque_.pop(deque_abp::capacity - 1));
  EXPECT_EQ(deque_.push(&c_), deque_abp::capacity - 1);
}

TEST_F(AbpDeque, StealsUseUpTheArrayUntilItIsEmpty) {
  for (std::int64_t i = 0; i < deque_abp::capacity; ++i) deque_.push(&c_);
  for (std::int64_t i = 0; i < deque_abp::capacity - 1; ++i) ASSERT_EQ(deque_.steal(), &c_);
  EXPECT_EQ(deque_.push(&c_), deque_abp::full) << "one element, at the end of the array";
  EXPECT_TRUE(deque_.pop(deque_abp::capacity - 1));
  EXPECT_EQ(deque_.push(&c_), 0) << "empty, it begins at the start again";
}

TEST(SplitDeque, GivesTheOlderHalfWhenAsked) {
  deque_split d;
  std::vector<continuation> e(6);
  EXPECT_EQ(d.push(&e[0]), 0);  // a new deque has been asked already
  EXPECT_EQ(d.steal(), &e[0]);
  for (std::size_t i = 1; i < 5; ++i) d.push(&e[i]);
  EXPECT_EQ(d.steal(), nullptr) << "all is private; but this asks";
  d.push(&e[5]);
  EXPECT_EQ(d.steal(), &e[1]);
  EXPECT_EQ(d.steal(), &e[2]);
  EXPECT_EQ(d.steal(), &e[3]);
  EXPECT_EQ(d.steal(), nullptr) << "the newer half is private";
  EXPECT_TRUE(d.pop(d.newest()));
  EXPECT_TRUE(d.pop(d.newest()));
  EXPECT_FALSE(d.pop(d.newest()));
}

TEST(SplitDeque, LookingAtAnEmptyDequeAsks) {
  deque_split d;
  continuation c{};
  EXPECT_TRUE(d.pop(d.push(&c)));
  EXPECT_TRUE(d.looks_empty());
  const std::int64_t position = d.push(&c);
  EXPECT_EQ(d.steal(), &c);
  EXPECT_FALSE(d.pop(position));
}

}  // namespace
