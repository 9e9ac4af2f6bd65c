// SPDX-License-Identifier: Apache-2.0
// Countdowns with delays at every step: many signals and one waiter, again and again, of strands,
// tasks and threads, on more workers than CPUs.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <ostream>
#include <system_error>
#include <thread>
#include <vector>

#include "nopal/nopal.hpp"
#include "scheduler/events.hpp"
#include "support/build.hpp"
#include "support/delays.hpp"
#include "support/scheduler_run.hpp"
#include "support/sync_run.hpp"
#include "support/watchdog.hpp"

namespace {

using namespace std::chrono_literals;
using nopal::countdown;
using nopal::detail::owned_scheduler;
namespace scheduler_events = nopal::detail::scheduler_events;

constexpr unsigned rounds = 1 + 400 / nopal_test::work_divisor;
constexpr unsigned signallers = 8;

/// What one round is about: plain data, which only the signals make visible to whoever waits.
struct round_state {
  countdown ready{0};
  std::array<std::uint64_t, signallers> written{};

  [[nodiscard]] std::uint64_t sum() const {
    std::uint64_t s = 0;
    for (const std::uint64_t w : written) s += w;
    return s;
  }
};

constexpr std::uint64_t right = signallers * (signallers + 1) / 2;

/// The signal of signaller i; now and then three of which it has added two, and in each of the ways
/// to end: by itself, as the last act, or as the last act of a strand that goes on to suspend.
void signal(round_state& r, unsigned i, std::uint64_t seed) {
  nopal_test::random_numbers random(seed + i);
  std::int64_t signals = 1;
  if (random.one_in(3)) {
    r.ready.add(2);
    random.one_in(2) ? r.ready.signal() : r.ready.signal_and_end();
    ++signals;
  }
  if (random.one_in(4)) {
    countdown inner(1);
    nopal::parallel_invoke([&] { inner.wait(); },
                           [&] { random.one_in(2) ? inner.signal() : inner.signal_and_end(); });
  }
  r.written[i] = i + 1;
  if (signals == 1 && random.one_in(2))
    r.ready.signal_and_end();
  else
    r.ready.signal(signals);
}

void signal_by_closures(round_state& r, unsigned first, unsigned last, std::uint64_t seed) {
  if (last - first == 1) return signal(r, first, seed);
  const unsigned middle = first + (last - first) / 2;
  nopal::parallel_invoke([&] { signal_by_closures(r, first, middle, seed); },
                         [&] { signal_by_closures(r, middle, last, seed); });
}

NOPAL_FORKS void signal_by_frame(round_state& r, std::uint64_t seed) {
  nopal::fork_frame frame;
  for (unsigned i = 0; i < signallers; ++i) frame.fork(signal, std::ref(r), i, seed);
  frame.join();
}

nopal::task<> signal_as_task(round_state& r, unsigned i, std::uint64_t seed) {
  signal(r, i, seed);
  co_return;
}

nopal::task<> signal_by_tasks(round_state& r, std::uint64_t seed) {
  for (unsigned i = 0; i < signallers; ++i) co_await nopal::fork(signal_as_task, r, i, seed);
  co_await nopal::join();
}

void signal_by(unsigned front_end, round_state& r, std::uint64_t seed) {
  switch (front_end) {
    case 0:
      return signal_by_closures(r, 0, signallers, seed);
    case 1:
      return signal_by_frame(r, seed);
    default:
      return nopal::wait(signal_by_tasks(r, seed));
  }
}

nopal::task<std::uint64_t> sum_of(round_state& r) {
  co_await r.ready;
  co_return r.sum();
}

// The signals of these rounds are waited for within limits that come at any moment.

std::uint64_t sum_within_limits(round_state& r, std::uint64_t seed) {
  nopal_test::random_numbers random(seed);
  std::error_code error;
  do r.ready.wait(error, nopal_test::some_limits(random));
  while (error);
  return r.sum();
}

/// A deadline of the scope ends the wait again and again, until the signals come first.
std::uint64_t sum_in_stopped_scopes(round_state& r, std::uint64_t seed) {
  nopal_test::random_numbers random(seed);
  const auto waits_in_task = [&]() -> nopal::task<> { co_await r.ready.wait(); };
  for (;;) try {
      nopal::with_deadline(nopal_test::moment_below(50, random), [&] {
        if (random.one_in(2))
          r.ready.wait();
        else
          nopal::wait(waits_in_task());
      });
      return r.sum();
    } catch (const std::system_error& e) {
      EXPECT_EQ(e.code(), std::errc::timed_out);
    }
}

nopal::task<std::uint64_t> sum_in_task_within_limits(round_state& r, std::uint64_t seed) {
  nopal_test::random_numbers random(seed);
  std::error_code error;
  do co_await r.ready.wait(error, nopal_test::some_limits(random));
  while (error);
  co_return r.sum();
}

std::uint64_t sum_by(unsigned way, round_state& r, std::uint64_t seed) {
  switch (way) {
    case 0:
      r.ready.wait();
      return r.sum();
    case 1:
      return nopal::wait(sum_of(r));
    case 2:
      return sum_within_limits(r, seed);
    case 3:
      return sum_in_stopped_scopes(r, seed);
    default:
      return nopal::wait(sum_in_task_within_limits(r, seed));
  }
}

/// One strand or task waits, and destroys what it has waited for, while the others signal.
void wait_beside_signals(std::uint64_t seed) {
  nopal_test::random_numbers random(seed);
  for (unsigned i = 0; i < rounds; ++i) {
    auto state = std::make_unique<round_state>();
    round_state& r = *state;
    r.ready.add(signallers);
    std::uint64_t sum = 0;
    const unsigned way = random.below(5);
    const unsigned front_end = random.below(3);
    const std::uint64_t of_round = random.next();
    nopal::parallel_invoke([&] { sum = sum_by(way, r, of_round); },
                           [&] { signal_by(front_end, r, of_round); });
    ASSERT_EQ(sum, right) << "round " << i << ", NOPAL_TEST_SEED=" << seed;
  }
}

/// Strands that hand a token on in a ring, each waiting for its own countdown: all countdowns are
/// used again and again, and destroyed with the last wait.
void pass_round(std::uint64_t seed) {
  constexpr unsigned members = 4;
  std::array<countdown, members> turn;
  std::uint64_t token = 0;
  turn[0].add();
  for (unsigned i = 1; i < members; ++i) turn[i].add();
  const auto member = [&](unsigned i) {
    return [&, i] {
      nopal_test::random_numbers random(seed + i);
      for (unsigned n = 0; n < rounds; ++n) {
        turn[i].wait();
        ASSERT_EQ(token++ % members, i);
        turn[i].add();
        countdown& next = turn[(i + 1) % members];
        random.one_in(2) ? next.signal() : next.signal_and_end();
      }
    };
  };
  turn[0].signal();
  nopal::parallel_invoke(member(0), member(1), member(2), member(3));
  EXPECT_EQ(token, std::uint64_t{members} * rounds);
}

class Countdowns : public testing::TestWithParam<unsigned> {
 protected:
  template <class F>
  void run(F&& f, nopal::options o = {}) {
    o.workers = GetParam();
    o.seed = nopal_test::seed_or(700 + GetParam());
    const nopal_test::random_delays delays(o.seed);
    for (const bool caller_works : {false, true}) {
      o.caller_works = caller_works;
      owned_scheduler s(o);
      const nopal_test::watchdog w(60s, "countdowns with delays", o.seed,
                                   [&](std::ostream& out) { nopal_test::print_state(out, s); });
      nopal_test::run_in(s, [&] { f(o.seed); });
      EXPECT_TRUE(nopal_test::frees_all_stacks(s));
      // Busy workers have no guests, and many workers take long.
      if (o.idle == nopal::idle_policy::busy || GetParam() > 4) return;
    }
  }
};

TEST_P(Countdowns, WaitBesideSignals) { run(wait_beside_signals); }
TEST_P(Countdowns, WaitBesideSignalsOnBusyWorkers) {
  run(wait_beside_signals, {.idle = nopal::idle_policy::busy});
}
TEST_P(Countdowns, PassRound) { run(pass_round); }

// Each strand waits while others do: every worker is handed over again and again.
TEST_P(Countdowns, Several) {
  run([](std::uint64_t seed) {
    nopal::parallel_invoke([&] { wait_beside_signals(seed); }, [&] { pass_round(seed + 1); },
                           [&] { wait_beside_signals(seed + 2); });
  });
}

INSTANTIATE_TEST_SUITE_P(Workers, Countdowns, testing::Range(1U, 9U),
                         testing::PrintToStringParamName());

// Threads, and strands of two runtimes, signal and wait for each other.
TEST(Countdowns, OfThreadsAndRuntimes) {
  const std::uint64_t seed = nopal_test::seed_or(720);
  const nopal_test::random_delays delays(seed);
  owned_scheduler one({.workers = 1, .seed = seed}), three({.workers = 3, .seed = seed});
  const nopal_test::watchdog w(60s, "countdowns of two runtimes", seed, [&](std::ostream& out) {
    nopal_test::print_state(out, one);
    nopal_test::print_state(out, three);
  });
  for (unsigned i = 0; i < rounds; ++i) {
    auto state = std::make_unique<round_state>();
    round_state& r = *state;
    r.ready.add(signallers);
    std::thread far([&] {
      nopal_test::run_in(three, [&] { signal_by_closures(r, 0, signallers - 1, seed + i); });
    });
    std::thread thread([&] { signal(r, signallers - 1, seed + i); });
    if (i % 3 == 0) {
      r.ready.wait();
    } else {
      nopal_test::run_in(one, [&] {
        if (i % 3 == 1)
          r.ready.wait();
        else
          nopal::wait(sum_of(r));
      });
    }
    ASSERT_EQ(r.sum(), right) << "round " << i << ", NOPAL_TEST_SEED=" << seed;
    state.reset();
    far.join();
    thread.join();
  }
}

// A strand that suspends hands over all that it has forked in one batch.

std::atomic<unsigned> submitted{0};

struct count_submissions {
  void operator()(const scheduler_events::submitting& /*event*/) const { ++submitted; }
};

void nest(unsigned depth, countdown& d) {
  if (depth == 0) {
    d.wait();
    return;
  }
  nopal::parallel_invoke([&] { nest(depth - 1, d); }, [&] { d.signal(); });
}

TEST(Countdowns, AWaitUnderManyForksIsOneSubmission) {
  constexpr unsigned depth = 400;
  const nopal::detail::subscription<scheduler_events::submitting> subscription(count_submissions{});
  nopal::runtime one({.workers = 1, .caller_works = false});
  one.run([&] {
    countdown d(depth);
    submitted = 0;
    nest(depth, d);
    EXPECT_EQ(submitted, 2U) << "one batch, and the strand that goes on";
  });
}

}  // namespace
