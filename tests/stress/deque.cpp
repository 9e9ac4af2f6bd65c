// SPDX-License-Identifier: Apache-2.0
// All five deques under contention. The owner forks as a program does, with nested pushes and pops,
// while thieves steal as fast as they can; every element must be taken exactly once, and a pop must
// fail exactly where the element was stolen.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <thread>
#include <vector>

#include "nopal/detail/deque/deque_asymmetric.hpp"
#include "nopal/detail/deque/deque_fenced.hpp"
#include "nopal/detail/platform/fence.hpp"
#include "support/build.hpp"
#include "support/pin.hpp"
#include "support/seed.hpp"
#include "support/watchdog.hpp"
#include "variants/deque/deque_abp.hpp"
#include "variants/deque/deque_split.hpp"
#include "variants/deque/deque_the.hpp"
#ifdef NOPAL_EVENTS
#include "support/delays.hpp"
#endif

namespace {

using nopal::detail::continuation;
using nopal_test::pin;
using nopal_test::random_numbers;

/// What the owner pushes. The counter says how often it has been taken since it was made.
struct element : continuation {
  std::atomic<unsigned> taken{0};
};

struct outcome {
  std::uint64_t forks = 0;
  std::uint64_t steals = 0;
  /// Elements that were taken twice or never, pops that failed with the deque not empty.
  std::uint64_t wrong = 0;
};

/// One owner against `thieves` for the time given.
template <class D>
class contest {
 public:
  contest(unsigned thieves, std::uint64_t seed, std::chrono::milliseconds time)
      : random_(seed), end_(std::chrono::steady_clock::now() + time) {
    pin(0);
    for (unsigned i = 1; i <= thieves; ++i) {
      thieves_.emplace_back([this, i] {
        pin(i);
        steal();
      });
    }
  }

  outcome run() {
    while (!late()) {
      // Trees from a single fork, where every pop is a race, to some deeper than the first array.
      const unsigned kind = random_.below(16);
      if (random_.one_in(2)) deque_.promise_next();
      fork(kind == 0 ? 400 : 1 + random_.below(kind), kind == 0 ? 1 : 2 + random_.below(2));
      if (random_.one_in(4)) leave_some_and_take();
    }
    over_.store(true, std::memory_order_relaxed);
    for (std::thread& t : thieves_) t.join();
    if (deque_.pop(deque_.newest())) ++result_.wrong;
    result_.steals = steals_.load();
    return result_;
  }

 private:
  /// Time is up. On a busy machine a yield gives a whole time slice away, on both sides, and they
  /// may hardly ever meet: then it goes on until something has been stolen.
  bool late() {
    if (result_.wrong != 0) return true;
    if (++asked_ % 64 != 0) return late_;  // the clock is slow beside a fork
    const auto over_time = std::chrono::steady_clock::now() - end_;
    late_ = over_time > std::chrono::seconds(steals_.load(std::memory_order_relaxed) == 0 ? 20 : 0);
    return late_;
  }

  void fork(unsigned depth, unsigned children) {
    for (unsigned i = 0; i < children && !late(); ++i) {
      element e{};
      ++result_.forks;
      const std::int64_t position = deque_.push(&e);
      if (position < 0) continue;
      if (depth > 1 && !(children > 1 && random_.one_in(3)))
        fork(depth - 1, children);
      else if (random_.one_in(4))
        pause();
      if (deque_.pop(position)) {
        note(e);
      } else {
        if (deque_.pop(deque_.newest())) ++result_.wrong;
        wait_for_thief(e);
        // The strand leaves; its worker runs others on the same deque before it comes back.
        if (random_.one_in(4)) fork(1 + random_.below(3), 1);
        if (random_.one_in(4)) come_from_elsewhere();
      }
      if (e.taken.load(std::memory_order_relaxed) != 1) ++result_.wrong;
    }
  }

  /// A strand comes here that has pushed on another worker, at a position that may be free here.
  void come_from_elsewhere() {
    if constexpr (std::is_same_v<D, nopal::detail::deque_asymmetric>) {
      const std::int64_t there = deque_.end() + static_cast<std::int64_t>(random_.below(3));
      deque_.begin_above(there + 1);
      if (random_.one_in(2)) fork(1 + random_.below(3), 1);
      if (deque_.pop(there)) ++result_.wrong;
    }
  }

  /// As the scheduler finds the deque when a strand has stopped elsewhere than at a join.
  void leave_some_and_take() {
    std::vector<element> left(1 + random_.below(8));
    std::vector<std::int64_t> positions;
    for (element& e : left) positions.push_back(deque_.push(&e));
    if (std::ranges::count_if(positions, [](auto p) { return p < 0; }) != 0) ++result_.wrong;
    const bool oldest_first = random_.one_in(2);
    while (!deque_.looks_empty()) {
      if (oldest_first) {
        if (continuation* c = deque_.take_oldest()) note(*static_cast<element*>(c));
      } else if (const std::int64_t newest = deque_.newest(); deque_.pop(newest)) {
        note(left[static_cast<std::size_t>(std::ranges::find(positions, newest) -
                                           positions.begin())]);
      }
    }
    for (element& e : left) {
      wait_for_thief(e);
      if (e.taken.load(std::memory_order_relaxed) != 1) ++result_.wrong;
    }
    result_.forks += left.size();
  }

  static void note(element& e) {
    // Pairs with wait_for_thief().
    e.taken.fetch_add(1, std::memory_order_release);
  }

  /// Until the element has been taken; or for so long that it has been lost.
  void wait_for_thief(const element& e) const {
    const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(5);
    while (e.taken.load(std::memory_order_acquire) == 0 &&
           result_.wrong == 0 &&  // pairs with note()
           std::chrono::steady_clock::now() < patience)
      std::this_thread::yield();
  }

  void pause() {
    for (unsigned n = random_.below(64); n != 0; --n) asm volatile("");
  }

  void steal() {
    unsigned failures = 0;
    while (!over_.load(std::memory_order_relaxed)) {
      continuation* c = deque_.looks_empty() ? nullptr : deque_.steal();
      if (c != nullptr) {
        note(*static_cast<element*>(c));
        steals_.fetch_add(1, std::memory_order_relaxed);
      } else if (++failures % 64 == 0) {
        std::this_thread::yield();
      }
    }
  }

  D deque_;
  random_numbers random_;
  std::chrono::steady_clock::time_point end_;
  unsigned asked_ = 0;
  bool late_ = false;
  std::atomic<bool> over_{false};
  std::atomic<std::uint64_t> steals_{0};
  outcome result_;
  std::vector<std::thread> thieves_;
};

struct variant {
  const char* name;
  outcome (*run)(unsigned thieves, std::uint64_t seed, std::chrono::milliseconds time);
  bool membarrier;  ///< Thieves fence by membarrier(2); it makes no difference to most.
};

void PrintTo(const variant& v, std::ostream* out) { *out << v.name; }

template <class D>
outcome run(unsigned thieves, std::uint64_t seed, std::chrono::milliseconds time) {
  const auto c = std::make_unique<contest<D>>(thieves, seed, time);
  return c->run();
}

class DequeStress : public testing::TestWithParam<variant> {
 protected:
  void SetUp() override {
    using nopal::detail::asymmetric_fences;
    asymmetric_fences = nopal::detail::register_process_wide_fence(GetParam().membarrier);
    if (GetParam().membarrier && !asymmetric_fences)
      GTEST_SKIP() << "this kernel has no membarrier(2)";
  }

  static void expect_all_taken_once(unsigned thieves, std::chrono::milliseconds time) {
    for (std::uint64_t round = 0; round < 4; ++round) {
      const std::uint64_t seed = nopal_test::seed_or(20 * thieves + round);
      const std::string what =
          std::string(GetParam().name) + " with " + std::to_string(thieves) + " thieves";
      const nopal_test::watchdog watch(std::chrono::seconds(30), what, seed);
      const outcome o = GetParam().run(thieves, seed, time / 4);
      ASSERT_EQ(o.wrong, 0U) << what << ", seed " << seed << ": " << o.forks << " forks, "
                             << o.steals << " steals";
      ASSERT_NE(o.steals, 0U) << what << ", seed " << seed
                              << ": nothing was stolen, so nothing was tested";
    }
  }
};

// Without delays every step is as short as in a program: a delay between store and load would do a
// missing fence's work.
#ifndef NOPAL_EVENTS
TEST_P(DequeStress, EveryElementIsTakenOnce) {
  for (const unsigned thieves : {1U, 2U, 4U, 8U})
    expect_all_taken_once(thieves, std::chrono::milliseconds(600));
}
#else
/// What thieves and the owner of the default deque do beside taking elements.
class DequePromises : public testing::Test {
 protected:
  DequePromises() {
    nopal::detail::asymmetric_fences = nopal::detail::register_process_wide_fence(true);
    fences_ = 0;
  }

  void SetUp() override {
    if (!nopal::detail::asymmetric_fences) GTEST_SKIP() << "this kernel has no membarrier(2)";
  }

  /// A thief asks, and fences; and the owner, who pops something newer, answers.
  void ask_and_answer() {
    ASSERT_EQ(deque_.steal([] { return false; }), nullptr);
    ASSERT_TRUE(deque_.pop(deque_.push(&newer_)));
  }

  static inline std::atomic<unsigned> fences_{0};
  nopal::detail::deque_asymmetric deque_;
  continuation older_{};
  continuation newer_{};

 private:
  struct counter {
    void operator()(const nopal_test::deque_events::fencing& /*event*/) const { ++fences_; }
  };
  nopal::detail::subscription<nopal_test::deque_events::fencing> subscription_{counter{}};
};

TEST_F(DequePromises, SaveThievesTheFence) {
  const std::int64_t position = deque_.push(&older_);
  ask_and_answer();
  EXPECT_EQ(fences_, 1U);
  EXPECT_EQ(deque_.steal([] { return false; }), nullptr);
  EXPECT_EQ(deque_.steal(), &older_);
  EXPECT_EQ(fences_, 1U);
  EXPECT_FALSE(deque_.pop(position));
}

TEST_F(DequePromises, AreKept) {
  const std::int64_t position = deque_.push(&older_);
  ask_and_answer();
  bool popped = false;
  EXPECT_EQ(deque_.steal([&] { return popped = deque_.pop(position); }), nullptr);
  EXPECT_TRUE(popped);
  EXPECT_EQ(fences_, 1U);
}

TEST_F(DequePromises, AreForOnePosition) {
  for (unsigned i = 1; i <= 100; ++i) {
    const std::int64_t position = deque_.push(&older_);
    deque_.push(&newer_);
    ask_and_answer();
    EXPECT_EQ(deque_.steal(), &older_);
    EXPECT_EQ(fences_, 2 * i - 1);
    EXPECT_EQ(deque_.steal(), &newer_);
    EXPECT_EQ(fences_, 2 * i);
    EXPECT_FALSE(deque_.pop(position));
  }
}

TEST_F(DequePromises, AreMadeForTheNextPosition) {
  const std::int64_t position = deque_.push(&older_);
  EXPECT_EQ(deque_.steal([] { return false; }), nullptr);
  EXPECT_EQ(fences_, 1U);
  // The owner answers by the pop of what is wanted.
  ASSERT_TRUE(deque_.pop(position));
  const std::int64_t next = deque_.push(&newer_);
  EXPECT_EQ(deque_.steal(), &newer_);
  EXPECT_EQ(fences_, 1U);
  EXPECT_FALSE(deque_.pop(next));
}

TEST_F(DequePromises, AreMadeUnasked) {
  for (unsigned i = 0; i < 100; ++i) {
    deque_.promise_next();
    const std::int64_t position = deque_.push(&older_);
    bool popped = false;
    EXPECT_EQ(deque_.steal([&] { return popped = deque_.pop(position); }), nullptr);
    EXPECT_TRUE(popped);
    deque_.promise_next();
    const std::int64_t next = deque_.push(&older_);
    EXPECT_EQ(deque_.steal(), &older_);
    EXPECT_FALSE(deque_.pop(next));
  }
  EXPECT_EQ(fences_, 0U);
}

// Once a promise is given, the answer to a thief that has asked for less must not take it back.
TEST_F(DequePromises, OutlastOlderWishes) {
  const std::int64_t position = deque_.push(&older_);
  EXPECT_EQ(deque_.steal([&] {
    // While this thief is on its way, the owner takes what it wants, and promises more.
    EXPECT_TRUE(deque_.pop(position));
    deque_.promise_next();
    return false;
  }),
            nullptr);
  const std::int64_t next = deque_.push(&newer_);
  bool popped = false;
  EXPECT_EQ(deque_.steal([&] { return popped = deque_.pop(next); }), nullptr);
  EXPECT_TRUE(popped);
  EXPECT_EQ(fences_, 1U);
}

TEST_F(DequePromises, ComeWhileTheThiefWaits) {
  const nopal_test::watchdog watch(std::chrono::seconds(60), "a thief waits for a promise", 0);
  std::atomic<unsigned> round{0};
  std::atomic<bool> over{false};
  std::thread thief([&] {
    for (unsigned seen = 0; !over;) {
      if (round == seen) continue;
      seen = round;
      // Once in a round: its second attempt may find what was promised to the first.
      bool ordered = false;
      const unsigned before = fences_;
      deque_.steal([&] {
        ordered = true;
        return false;
      });
      over = ordered && fences_ == before;
    }
  });
  while (!over) {
    const std::int64_t position = deque_.push(&older_);
    ++round;
    for (unsigned i = 0; i < 10000 && !over; ++i) ASSERT_TRUE(deque_.pop(deque_.push(&newer_)));
    ASSERT_TRUE(deque_.pop(position));
  }
  thief.join();
}

TEST_P(DequeStress, EveryElementIsTakenOnceWithDelays) {
  const nopal_test::random_delays delays(nopal_test::seed_or(1));
  for (const unsigned thieves : {1U, 3U})
    expect_all_taken_once(thieves, std::chrono::milliseconds(600));
}
#endif

INSTANTIATE_TEST_SUITE_P(
    , DequeStress,
    testing::Values(variant{"Asymmetric", run<nopal::detail::deque_asymmetric>, true},
                    variant{"AsymmetricFallback", run<nopal::detail::deque_asymmetric>, false},
                    variant{"Fenced", run<nopal::detail::deque_fenced>, false},
                    variant{"Split", run<nopal::detail::deque_split>, false},
                    variant{"Abp", run<nopal::detail::deque_abp>, false},
                    variant{"The", run<nopal::detail::deque_the>, false}),
    [](const auto& i) { return std::string(i.param.name); });

}  // namespace
