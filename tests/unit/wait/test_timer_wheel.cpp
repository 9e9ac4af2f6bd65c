// SPDX-License-Identifier: Apache-2.0
// The wheel of timers alone, beside a std::multimap that does the same.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <deque>
#include <map>
#include <vector>

#include "support/seed.hpp"
#include "wait/timers.hpp"

namespace {

using nopal::detail::intrusive_list;
using nopal::detail::timer;
using nopal::detail::timer_wheel;
using nopal_test::random_numbers;

constexpr std::uint64_t never = timer_wheel::never;

/// What the wheel does, slowly.
class reference_wheel {
 public:
  explicit reference_wheel(std::uint64_t now) : now_(now) {}

  [[nodiscard]] std::uint64_t now() const { return now_; }
  void add(timer& t) { all_.emplace(std::max(t.due, now_ + 1), &t); }
  void remove(timer& t) {
    all_.erase(std::find_if(all_.begin(), all_.end(), [&](auto& e) { return e.second == &t; }));
  }
  /// The begin of the slot in which the next timer lies: the lowest wheel in which that is not the
  /// slot of now.
  [[nodiscard]] std::uint64_t next() const {
    if (all_.empty()) return never;
    const std::uint64_t first = all_.begin()->first;
    const auto low = static_cast<unsigned>(std::bit_width(first ^ now_) - 1) / 6 * 6;
    return first >> low << low;
  }
  void catch_up(std::uint64_t now) {
    if (now > now_ && now < next()) now_ = now;
  }
  std::vector<timer*> advance(std::uint64_t now) {
    now_ = std::max(now, now_);
    std::vector<timer*> due;
    while (!all_.empty() && all_.begin()->first <= now_) {
      due.push_back(all_.begin()->second);
      all_.erase(all_.begin());
    }
    return due;
  }

 private:
  std::uint64_t now_;
  std::multimap<std::uint64_t, timer*> all_;
};

void nothing(timer& /*t*/) noexcept {}

std::vector<timer*> take_all(intrusive_list& from) {
  std::vector<timer*> all;
  while (auto* first = from.first()) {
    first->unlink();
    all.push_back(static_cast<timer*>(first));
  }
  return all;
}

/// Both wheels, and what must hold of them after each step.
class both_wheels {
 public:
  explicit both_wheels(std::uint64_t now) : wheel_(now), reference_(now) {}
  ~both_wheels() {
    while (!listed_.empty()) remove(0);
    EXPECT_EQ(wheel_.next(), never);
  }

  [[nodiscard]] std::uint64_t now() const { return reference_.now(); }
  [[nodiscard]] std::uint64_t next() const { return wheel_.next(); }
  [[nodiscard]] std::size_t size() const { return listed_.size(); }

  void add(std::uint64_t due) {
    if (spare_.empty()) spare_.push_back(&timers_.emplace_back(nothing));
    timer& t = *spare_.back();
    spare_.pop_back();
    t.due = due;
    wheel_.add(t);
    reference_.add(t);
    listed_.push_back(&t);
    look();
  }
  void remove(std::size_t i) {
    timer& t = *listed_[i];
    EXPECT_TRUE(t.is_listed());
    wheel_.remove(t);
    reference_.remove(t);
    drop(t);
    look();
  }
  void catch_up(std::uint64_t now) {
    wheel_.catch_up(now);
    reference_.catch_up(now);
    look();
  }
  std::size_t advance(std::uint64_t now) {
    intrusive_list list;
    constexpr std::uint16_t mark = 0xffff;
    wheel_.advance(now, list, mark);
    std::vector<timer*> due = take_all(list);
    for (const timer* t : due) EXPECT_EQ(t->slot, mark);
    std::vector<timer*> expected = reference_.advance(now);
    const std::size_t n = due.size();
    for (timer* t : due) drop(*t);
    std::sort(due.begin(), due.end());
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(due, expected);
    look();
    return n;
  }

 private:
  void look() { EXPECT_EQ(wheel_.next(), reference_.next()); }
  void drop(timer& t) {
    EXPECT_FALSE(t.is_listed());
    std::erase(listed_, &t);
    spare_.push_back(&t);
  }

  timer_wheel wheel_;
  reference_wheel reference_;
  std::deque<timer> timers_;
  std::vector<timer*> listed_, spare_;
};

TEST(TimerWheel, IsEmptyAtFirst) {
  for (const std::uint64_t now : {std::uint64_t{0}, std::uint64_t{12345}, std::uint64_t{1} << 48}) {
    both_wheels w(now);
    EXPECT_EQ(w.next(), never);
    EXPECT_EQ(w.advance(now + 1'000'000), 0U);
    w.catch_up(now + 2'000'000);
    EXPECT_EQ(w.next(), never);
  }
}

// Each distance, from a time just before, at and after the turn of each wheel.
TEST(TimerWheel, ATimerIsDueAtItsTickAndNotBefore) {
  for (unsigned turn = 0; turn <= 48; turn += 6)
    for (const std::uint64_t add : {0, 1, 2})
      for (unsigned distance = 0; distance <= 48; ++distance) {
        const std::uint64_t now = (std::uint64_t{3} << turn) + add - 1;
        both_wheels w(now);
        const std::uint64_t due = now + (std::uint64_t{1} << distance);
        w.add(due);
        EXPECT_LE(w.next(), due);
        EXPECT_EQ(w.advance(due - 1), 0U);
        EXPECT_EQ(w.next(), due);
        EXPECT_EQ(w.advance(due), 1U);
      }
}

// Whoever sleeps until next() each time comes to a timer in few steps, and never too late.
TEST(TimerWheel, NextLeadsToATimerInAtMostAStepAWheel) {
  random_numbers random(nopal_test::seed_or(1));
  for (int i = 0; i < 2000; ++i) {
    both_wheels w(random.next() >> (16 + random.below(30)));
    const std::uint64_t due = w.now() + 1 + (random.next() >> (16 + random.below(48)));
    w.add(due);
    int steps = 0;
    for (std::size_t n = 0; n == 0; ++steps) {
      const std::uint64_t next = w.next();
      EXPECT_GT(next, w.now());
      EXPECT_LE(next, due);
      n = w.advance(next);
    }
    EXPECT_EQ(w.now(), due);
    EXPECT_LE(steps, 9);
  }
}

TEST(TimerWheel, WhatIsDueAlreadyExpiresByTheNextTick) {
  for (const std::uint64_t now : {1, 62, 63, 64, 4095, 4096, 262143}) {
    both_wheels w(now);
    w.add(0);
    w.add(now - 1);
    w.add(now);
    EXPECT_EQ(w.next(), now + 1);
    EXPECT_EQ(w.advance(now), 0U);
    EXPECT_EQ(w.advance(now + 1), 3U);
  }
}

// The clock of another CPU may lag behind by a tick.
TEST(TimerWheel, TimeThatLagsChangesNothing) {
  both_wheels w(1000);
  w.add(1001);
  w.add(1100);
  EXPECT_EQ(w.advance(1050), 1U);
  w.catch_up(1049);
  EXPECT_EQ(w.advance(900), 0U);
  EXPECT_EQ(w.now(), 1050U);
  w.add(1020);
  EXPECT_EQ(w.advance(1020), 0U);
  EXPECT_EQ(w.advance(1051), 1U);
  EXPECT_EQ(w.advance(1100), 1U);
}

// What is to be done by then is left to advance(), even if it is long ago.
TEST(TimerWheel, CatchingUpPassesNothingByThatIsDue) {
  both_wheels w(0);
  w.add(200);
  w.catch_up(191);
  EXPECT_EQ(w.now(), 191U);
  w.catch_up(192);  // the slot begins, and the timer in it has to change its wheel
  EXPECT_EQ(w.now(), 191U);
  w.catch_up(1'000'000);
  EXPECT_EQ(w.now(), 191U);
  EXPECT_EQ(w.advance(1'000'000), 1U);
}

TEST(TimerWheel, AsAMultimapDoes) {
  const std::uint64_t seed = nopal_test::seed_or(38);
  SCOPED_TRACE(testing::Message() << "NOPAL_TEST_SEED=" << seed);
  random_numbers random(seed);
  // A distance of up to `bits` bits, short ones as often as long ones.
  const auto distance = [&](unsigned bits) { return random.next() >> (63 - random.below(bits)); };
  for (int run = 0; run < 40; ++run) {
    both_wheels w(random.next() >> (17 + random.below(40)));
    for (int step = 0; step < 1000 && !testing::Test::HasFailure(); ++step) {
      const unsigned kind = random.below(12);
      if (kind < 5) {
        w.add(random.one_in(8) ? w.now() - std::min(w.now(), distance(20))
                               : w.now() + distance(run % 2 == 0 ? 14 : 48));
      } else if (kind < 7 && w.size() != 0) {
        w.remove(random.below(static_cast<unsigned>(w.size())));
      } else if (kind == 7) {
        w.catch_up(w.now() + distance(30));
      } else if (kind == 8) {
        w.advance(w.now() - std::min(w.now(), distance(10)));
      } else if (kind == 9 && w.next() != never) {
        w.catch_up(w.next() - 1);
        w.advance(w.next() - 1);
        w.advance(w.next());
      } else {
        w.advance(w.now() + distance(random.one_in(10) ? 40 : 12));
      }
    }
  }
}

}  // namespace
