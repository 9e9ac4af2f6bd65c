// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>

#include "nopal/nopal.hpp"
#include "scheduler/victims.hpp"

namespace {

using namespace std::chrono_literals;

/// A clock that the test moves.
struct manual_clock {
  using duration = std::chrono::nanoseconds;
  using time_point = std::chrono::time_point<manual_clock>;
  static inline time_point time = time_point() + 1h;
  static time_point now() noexcept { return time; }
};

using back_off = nopal::detail::back_off<manual_clock>;

/// How long it waits from now on.
manual_clock::duration pause_of(const back_off& b) {
  const auto begin = manual_clock::time;
  while (b.waits()) manual_clock::time += 1us;
  return manual_clock::time - begin;
}

/// \param steal  how long the steal takes; if longer, the strand need not last longer.
void run_stolen_for(back_off& b, manual_clock::duration d, std::int64_t more = 0,
                    manual_clock::duration steal = back_off::most_worth) {
  b.tries();
  manual_clock::time += steal;
  b.stole(more);
  manual_clock::time += d;
  b.ran_out();
}

TEST(back_off, is_eager_at_first) {
  const back_off b;
  EXPECT_FALSE(b.waits());
}

TEST(back_off, waits_twice_as_long_after_each_failure_up_to_a_limit) {
  back_off b;
  for (auto expected = back_off::shortest; expected < back_off::longest; expected *= 2) {
    b.got_nothing();
    EXPECT_EQ(pause_of(b), expected);
  }
  for (int i = 0; i < 3; ++i) {
    b.got_nothing();
    EXPECT_EQ(pause_of(b), back_off::longest);
  }
}

TEST(back_off, a_short_strand_is_like_a_failure) {
  back_off b;
  b.got_nothing();
  run_stolen_for(b, back_off::most_worth - 1ns);
  EXPECT_EQ(pause_of(b), 2 * back_off::shortest);
}

TEST(back_off, a_quick_steal_is_worth_a_shorter_strand) {
  constexpr auto steal = back_off::least_worth;
  constexpr auto worth = back_off::times_the_steal * steal;
  static_assert(worth < back_off::most_worth);
  back_off b;
  run_stolen_for(b, worth - 1ns, 0, steal);
  EXPECT_EQ(pause_of(b), back_off::shortest);
  run_stolen_for(b, worth, 0, steal);
  EXPECT_FALSE(b.waits());
  run_stolen_for(b, back_off::least_worth - 1ns, 0, 0ns);
  EXPECT_EQ(pause_of(b), back_off::shortest);
}

TEST(back_off, several_spawned_functions_are_to_last_longer) {
  back_off b;
  b.got_nothing();
  const auto worth = back_off::most_worth + 10 * back_off::worth_one_more;
  run_stolen_for(b, worth - 1ns, 10);
  EXPECT_EQ(pause_of(b), 2 * back_off::shortest);
  run_stolen_for(b, worth, 10);
  EXPECT_FALSE(b.waits());
}

TEST(back_off, a_long_strand_makes_it_eager) {
  back_off b;
  for (int i = 0; i < 10; ++i) b.got_nothing();
  run_stolen_for(b, back_off::most_worth);
  EXPECT_FALSE(b.waits());
  b.got_nothing();
  EXPECT_EQ(pause_of(b), back_off::shortest);
}

TEST(back_off, what_was_submitted_does_not_count) {
  back_off b;
  b.ran_out();
  EXPECT_FALSE(b.waits());
  b.got_nothing();
  b.ran_out();
  EXPECT_EQ(pause_of(b), back_off::shortest);
}

NOPAL_FORKS void fork_often(std::uint64_t n) {
  nopal::fork_frame frame;
  for (std::uint64_t i = 0; i < n; ++i) frame.fork([] {});
  frame.join();
}

// Every attempt interrupts the victim. Pauses of up to 64 us leave room for fewer than 20 in a
// millisecond, and each time that the kernel lets a worker stand, what it stole seems to last, and
// eight quick attempts follow.
TEST(back_off, a_thief_lets_alone_who_forks_next_to_nothing) {
  nopal::runtime runtime({.workers = 2});
  const auto attempts = [&] {
    const auto total = runtime.stats().total;
    return total.steals + total.failed_steals;
  };
  const auto before = attempts();
  const auto begin = std::chrono::steady_clock::now();
  runtime.run([&] { fork_often(2'000'000); });
  const double ms =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  EXPECT_LT(static_cast<double>(attempts() - before), 100 + 100 * ms);
}

}  // namespace
