// SPDX-License-Identifier: Apache-2.0
// The timers of a process and their thread. How late a timer is depends on the machine, so these
// tests say what comes before what, and that nothing comes too early.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <deque>
#include <filesystem>
#include <iterator>
#include <memory>
#include <stop_token>
#include <thread>
#include <vector>

#include "nopal/detail/wait/limited_wait.hpp"
#include "nopal/parallel_invoke.hpp"
#include "nopal/runtime.hpp"
#include "support/build.hpp"
#include "support/child_process.hpp"
#include "support/everywhere.hpp"
#include "support/seed.hpp"
#include "wait/timers.hpp"

namespace {

using namespace std::chrono_literals;
using nopal::limits;
using nopal::detail::decision;
using nopal::detail::limited_wait;
using nopal::detail::timer;
using nopal::detail::timers;
using nopal::detail::wait_for;
using clock = std::chrono::steady_clock;

struct timed {
  struct deadline : timer {
    explicit deadline(decision& d) : timer(decide), of(&d) {}
    static void decide(timer& t) noexcept {
      auto& self = static_cast<deadline&>(t);
      if (self.of->decide(self.number)) self.of->complete();
    }
    decision* of;
    unsigned number = decision::timed_out;
  };
  decision d;
  deadline t{d};

  void add(clock::time_point at, unsigned number = decision::timed_out) {
    t.number = number;
    timers::of_this_process().add(t, at);
  }
  void remove() { timers::of_this_process().remove(t); }
};

void add_in(timed& t, std::chrono::nanoseconds from_now) { t.add(clock::now() + from_now); }

/// Waits with limits, as a call does. Returns what has ended it.
unsigned wait_within(const limits& within) {
  decision d;
  limited_wait limited;
  limited.begin(d, within);
  const unsigned number = wait_for(d);
  limited.end();
  return number;
}

TEST(Timers, DecideInTheirOrderAndNeverTooEarly) {
  std::array<timed, 5> all;
  const clock::time_point now = clock::now();
  const std::array after{4ms, 1ms, 3ms, 2ms, 0ms};
  for (unsigned i = 0; i < all.size(); ++i) all[i].add(now + after[i]);
  for (const unsigned i : {4U, 1U, 3U, 2U, 0U}) {
    EXPECT_EQ(wait_for(all[i].d), decision::timed_out);
    EXPECT_GE(clock::now(), now + after[i]);
    for (unsigned k = 0; k < all.size(); ++k)
      EXPECT_TRUE(after[k] >= after[i] || all[k].d.is_over()) << i << ' ' << k;
  }
  for (timed& t : all) t.remove();
}

TEST(Timers, DecideForTheirNumber) {
  timed t;
  t.add(clock::now() + 100us, 17);
  EXPECT_EQ(wait_for(t.d), 17U);
  t.remove();
}

// The thread sleeps for an hour when the earlier one comes.
TEST(Timers, AnEarlierOneWakesTheThread) {
  timed late, early;
  add_in(late, 1h);
  std::this_thread::sleep_for(1ms);
  add_in(early, 1ms);
  EXPECT_EQ(wait_for(early.d), decision::timed_out);
  EXPECT_FALSE(late.d.is_over());
  EXPECT_TRUE(late.d.decide(1));
  late.d.complete();
  late.remove();
  early.remove();
}

TEST(Timers, OneOfThePastDecidesAtOnceOrAtTheNextTick) {
  timed t;
  t.add(clock::now() - 1s);
  EXPECT_EQ(wait_for(t.d), decision::timed_out);
  t.remove();
  for (const limits& past : {limits(clock::now() - 1s), limits(-1ns), limits(limits::moment::min()),
                             limits(limits::moment())}) {
    decision d;
    limited_wait limited;
    limited.begin(d, past);
    EXPECT_TRUE(d.is_over());
    EXPECT_EQ(d.number(), decision::timed_out);
    limited.end();
  }
}

// They lie in the highest wheels, and let go on nobody.
TEST(Timers, OfTheGreatestMoments) {
  std::array<timed, 4> all;
  all[0].add(clock::time_point::max());
  all[1].add(clock::time_point::max() - 1ns);
  all[2].add(clock::now() + 24h * 365 * 100);
  all[3].add(clock::now() + 1ms);
  EXPECT_EQ(wait_for(all[3].d), decision::timed_out);
  all[3].remove();
  for (unsigned i = 0; i < 3; ++i) {
    EXPECT_FALSE(all[i].d.is_over());
    EXPECT_TRUE(all[i].d.decide(1));
    all[i].d.complete();
    all[i].remove();
    EXPECT_FALSE(all[i].t.is_listed());
  }
}

TEST(Timers, AHundredThousandOfWhichHalfAreRemoved) {
  constexpr unsigned n = 100'000;
  nopal_test::random_numbers random(nopal_test::seed_or(3));
  std::deque<timed> all(n);
  const clock::time_point now = clock::now();
  const auto removed = [](unsigned i) { return i % 2 == 1; };
  clock::time_point last = now;
  for (unsigned i = 0; i < n; ++i) {
    const auto at =
        now + (removed(i) ? 1h : 20ms) + std::chrono::nanoseconds(random.below(40'000'000));
    all[i].add(at);
    if (!removed(i)) last = std::max(last, at);
  }
  for (unsigned i = 1; i < n; i += 2) {
    EXPECT_TRUE(all[i].d.decide(7));
    all[i].d.complete();
    all[i].remove();
    EXPECT_FALSE(all[i].t.is_listed());
  }
  unsigned timed_out = 0, others = 0;
  for (timed& t : all) {
    const unsigned number = wait_for(t.d);
    timed_out += number == decision::timed_out;
    others += number == 7;
    t.remove();
  }
  EXPECT_GE(clock::now(), last);
  EXPECT_EQ(timed_out, n / 2);
  EXPECT_EQ(others, n / 2);
}

// Another event comes when the timer does. One of them decides, and the wait ends at once.
TEST(Timers, BesideAnotherEventAtTheSameTime) {
  std::atomic<decision*> of{nullptr};
  std::atomic<unsigned> decided{0};
  std::jthread other([&](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      decision* d = of.load();
      if (d == nullptr) continue;
      const bool first = d->decide(1);
      if (first) ++decided;
      of.store(nullptr);  // before it lets the wait end
      if (first) d->complete();
    }
  });
  unsigned seen = 0;
  const int rounds = 500;
  for (int i = 0; i < rounds; ++i) {
    decision d;
    limited_wait limited;
    limited.begin(d, limits(std::chrono::microseconds(i % 100)));
    if (i % 3 == 0) std::this_thread::sleep_for(std::chrono::microseconds(i % 50));
    of = &d;
    const unsigned number = wait_for(d);
    EXPECT_TRUE(number == 1 || number == decision::timed_out);
    seen += number == 1;
    limited.end();
    while (of.load() != nullptr) std::this_thread::yield();
  }
  other.request_stop();
  other.join();
  EXPECT_EQ(seen, decided);
}

TEST(Timers, OfThreadsStrandsAndManyAtOnce) {
  nopal_test::everywhere([] {
    const clock::time_point at = clock::now() + 1ms;
    std::array<unsigned, 4> ended{};
    nopal::parallel_invoke([&] { ended[0] = wait_within(at); }, [&] { ended[1] = wait_within(at); },
                           [&] { ended[2] = wait_within(at + 1ms); },
                           [&] { ended[3] = wait_within(clock::now() - 1s); });
    EXPECT_GE(clock::now(), at + 1ms);
    for (const unsigned e : ended) EXPECT_EQ(e, decision::timed_out);
  });
}

TEST(Timers, AStopEndsAWaitBeforeItsDeadline) {
  nopal_test::everywhere([] {
    std::stop_source source;
    unsigned ended = 0;
    nopal::parallel_invoke([&] { ended = wait_within({source.get_token(), 1h}); },
                           [&] { source.request_stop(); });
    EXPECT_EQ(ended, decision::stopped);
    EXPECT_EQ(wait_within({source.get_token(), 1h}), decision::stopped);
  });
}

TEST(Timers, ALimitedWaitMayEndBeforeItBeginsToWait) {
  std::stop_source source;
  decision d;
  limited_wait limited;
  limited.begin(d, {source.get_token(), 1h});
  EXPECT_TRUE(d.decide(0));
  d.complete();
  limited.end();
  source.request_stop();  // nobody hears of it
  EXPECT_EQ(d.number(), 0U);
}

#define NEEDS_CHILDREN_WITH_THREADS()                     \
  if (nopal_test::with_tsan || nopal_test::with_emulator) \
  GTEST_SKIP()                                            \
      << "ThreadSanitizer does not support threads in a child of fork(2), nor does qemu-user"

std::ptrdiff_t threads_of_this_process() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
}

TEST(Timers, TheirThreadStartsWithTheFirstWaitThatNeedsIt) {
  NEEDS_CHILDREN_WITH_THREADS();
  const auto child = nopal_test::in_child([] {
    const std::ptrdiff_t before = threads_of_this_process();
    std::stop_source source;
    for (const limits& no_timer :
         {limits(), limits(source.get_token()), limits(limits::moment::max()),
          limits(source.get_token(), std::chrono::hours::max()), limits(clock::now() - 1s)}) {
      decision d;
      limited_wait limited;
      limited.begin(d, no_timer);
      if (d.decide(0)) d.complete();
      wait_for(d);
      limited.end();
    }
    if (threads_of_this_process() != before) return 1;
    if (wait_within(1ms) != decision::timed_out) return 2;
    if (threads_of_this_process() != before + 1) return 3;
    if (wait_within(1ms) != decision::timed_out) return 4;
    return threads_of_this_process() == before + 1 ? 0 : 5;
  });
  EXPECT_TRUE(child.ok()) << child;
}

// The parent's thread is not there in a child, and its lock may be held for ever. The parent's own
// timers go on.
TEST(Timers, OfAChildOfForkAndItsChild) {
  NEEDS_CHILDREN_WITH_THREADS();
  timed of_parent;
  add_in(of_parent, 20ms);
  for (const bool leave_by_exit : {false, true}) {
    const auto child = nopal_test::in_child(
        [] {
          if (wait_within(1ms) != decision::timed_out) return 1;
          const auto grandchild = nopal_test::in_child(
              [] { return wait_within(1ms) == decision::timed_out ? 0 : 1; }, true);
          if (!grandchild.ok()) return 2;
          nopal::runtime r({.workers = 1, .caller_works = false});
          return r.run([] { return wait_within(1ms); }) == decision::timed_out ? 0 : 3;
        },
        leave_by_exit);
    EXPECT_TRUE(child.ok()) << child;
  }
  EXPECT_EQ(wait_for(of_parent.d), decision::timed_out);
  of_parent.remove();
}

// Several threads come first at once: one of them starts the thread.
TEST(Timers, TheFirstWaitsOfManyThreads) {
  NEEDS_CHILDREN_WITH_THREADS();
  const auto child = nopal_test::in_child([] {
    const std::ptrdiff_t before = threads_of_this_process();
    std::atomic<int> ended{0};
    {
      std::vector<std::jthread> all;
      for (int i = 0; i < 4; ++i)
        all.emplace_back([&] { ended += wait_within(1ms) == decision::timed_out; });
    }
    return ended == 4 && threads_of_this_process() == before + 1 ? 0 : 1;
  });
  EXPECT_TRUE(child.ok()) << child;
}

}  // namespace
