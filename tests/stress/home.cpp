// SPDX-License-Identifier: Apache-2.0
// Strands that come home: the last to arrive at a join leaves the strand to the worker that has
// left its stack, if that one searches, and takes it back where that one does not go on.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <coroutine>
#include <cstdint>
#include <deque>
#include <optional>
#include <ostream>
#include <thread>
#include <vector>

#include "nopal/detail/deque/events.hpp"
#include "nopal/nopal.hpp"
#include "platform/subscription.hpp"
#include "scheduler/events.hpp"
#include "scheduler/home_slot.hpp"
#include "support/build.hpp"
#include "support/everywhere.hpp"
#include "support/random_tree.hpp"
#include "support/scheduler_run.hpp"
#include "support/seed.hpp"
#include "support/watchdog.hpp"

namespace {

using namespace std::chrono_literals;
using nopal::detail::continuation;
using nopal::detail::home_slot;
namespace deque_events = nopal::detail::deque_events;
namespace scheduler_events = nopal::detail::scheduler_events;

TEST(HomeSlot, TakesAnOfferOnlyWhileOpen) {
  home_slot slot;
  continuation first{};
  continuation second{};
  EXPECT_FALSE(slot.offer(first));  // closed
  slot.open();
  EXPECT_FALSE(slot.holds_offer());
  EXPECT_EQ(slot.take(), nullptr);
  EXPECT_TRUE(slot.offer(first));
  EXPECT_FALSE(slot.offer(second));  // taken
  EXPECT_TRUE(slot.holds_offer());
  EXPECT_EQ(slot.close(), &first);
  EXPECT_EQ(slot.close(), nullptr);
  EXPECT_EQ(slot.take(), nullptr);
  EXPECT_FALSE(slot.offer(second));
}

TEST(HomeSlot, StaysOpenWhenAnotherHasTakenTheOffer) {
  home_slot slot;
  continuation strand{};
  slot.open();
  EXPECT_TRUE(slot.offer(strand));
  EXPECT_EQ(slot.take(), &strand);
  EXPECT_EQ(slot.take(), nullptr);
  EXPECT_TRUE(slot.offer(strand));
  EXPECT_EQ(slot.close(), &strand);
}

/// What goes from worker to worker.
struct thing : continuation {
  std::atomic<bool> in_hand{false};
};

/// As a worker: with a thing it offers it to the others, without one it searches. Returns how many
/// it has at the end.
unsigned pass_on(std::vector<home_slot>& slots, std::size_t own, thing* begin_with,
                 unsigned times) {
  nopal_test::random_numbers random(nopal_test::seed_or(1) + own);
  home_slot& mine = slots[own];
  const auto other = [&]() -> home_slot& {
    const auto n = static_cast<unsigned>(slots.size());
    return slots[(own + 1 + random.below(n - 1)) % n];
  };
  thing* has = begin_with;
  const auto get = [&](continuation* c) {
    if (c == nullptr) return false;
    has = static_cast<thing*>(c);
    EXPECT_FALSE(has->in_hand.exchange(true)) << "two have it";
    return true;
  };
  for (unsigned i = 0; i < times; ++i) {
    if (has != nullptr) {
      has->in_hand = false;
      if (!other().offer(*has)) {
        has->in_hand = true;
        continue;
      }
      has = nullptr;
    }
    mine.open();
    for (unsigned rounds = random.below(50); rounds != 0 && !mine.holds_offer(); --rounds)
      asm volatile("");
    if (!get(mine.close())) get(other().take());
  }
  return has != nullptr ? 1 : 0;
}

TEST(HomeSlot, WhatIsOfferedIsInOneHand) {
  constexpr unsigned times = 1000000 / nopal_test::work_divisor;
  for (const std::size_t workers : {2U, 3U, 4U}) {
    std::vector<home_slot> slots(workers);
    std::vector<thing> things(workers - 1);
    for (thing& t : things) t.in_hand = true;
    std::atomic<unsigned> left{0};
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < workers; ++i)
      threads.emplace_back(
          [&, i] { left += pass_on(slots, i, i < things.size() ? &things[i] : nullptr, times); });
    for (std::thread& t : threads) t.join();
    for (home_slot& s : slots) EXPECT_EQ(s.take(), nullptr);  // all are closed
    EXPECT_EQ(left, things.size()) << "lost";
  }
}

/// Compilers take it for granted that a function stays on its thread, so another one is asked.
[[gnu::noinline]] bool runs_on(std::thread::id thread) {
  asm volatile("" : : : "memory");
  return std::this_thread::get_id() == thread;
}

/// Two strands, of which the one that has forked comes to the join first: when its worker searches,
/// the thief arrives.
struct meeting {
  std::thread::id forked_by = std::this_thread::get_id();
  std::atomic<bool> stolen{false};
  std::atomic<bool> searches{false};
  std::atomic<bool> offered{false};
  std::atomic<bool> joined{false};
  bool came_home = false;
  bool owner_stops = false;  ///< Where it searches, until the strand has gone on; else the thief
                             ///< does, with its offer made.

  void of_owner() { nopal_test::until(stolen); }
  void of_thief() {
    stolen = true;
    nopal_test::until(searches);
  }
  void after_join() {
    came_home = runs_on(forked_by);
    joined = true;
  }
};

std::atomic<meeting*> met{nullptr};

struct stops_one {
  void operator()(const scheduler_events::offering& /*event*/) const {
    if (meeting* m = met) m->offered = true;
  }
  bool operator()(const scheduler_events::searching& /*event*/) const {
    meeting* m = met;
    if (m == nullptr) return false;
    const bool owner = runs_on(m->forked_by);
    if (owner) m->searches = true;
    if (owner ? m->owner_stops : !m->owner_stops && m->offered) nopal_test::until(m->joined);
    return false;
  }
};

void by_closures(meeting& m) {
  nopal::parallel_invoke([&] { m.of_owner(); }, [&] { m.of_thief(); });
  m.after_join();
}

void of_owner(meeting* m) { m->of_owner(); }

NOPAL_FORKS void by_frame(meeting& m) {
  nopal::fork_frame frame;
  frame.fork(of_owner, &m);
  m.of_thief();
  frame.join();
  m.after_join();
}

nopal::task<> task_of_owner(meeting* m) {
  m->of_owner();
  co_return;
}

nopal::task<> task_of_thief(meeting* m) {
  co_await nopal::fork(task_of_owner, m);
  m->of_thief();
  co_await nopal::join();
  m->after_join();
}

nopal::task<> task_that_throws(meeting* m) {
  co_await nopal::fork(task_of_owner, m);
  m->of_thief();
  throw 1;  // joins
}

void by_tasks(meeting& m) { nopal::wait(task_of_thief(&m)); }

nopal::task<> catches(meeting* m) {
  try {
    co_await nopal::call(task_that_throws, m);
  } catch (int) {
    m->after_join();
  }
}

void by_exceptions_of_tasks(meeting& m) { nopal::wait(catches(&m)); }

struct way {
  const char* name;
  void (*join)(meeting&);
};

void PrintTo(const way& w, std::ostream* out) { *out << w.name; }

class Home : public testing::TestWithParam<way> {
 protected:
  /// Whether the strand went on on the worker that had forked.
  bool came_home(bool owner_stops) {
    return r_.run([&] {
      meeting& m = meetings_.emplace_back();
      m.owner_stops = owner_stops;
      met = &m;
      GetParam().join(m);
      met = nullptr;
      return m.came_home;
    });
  }

 private:
  nopal::detail::subscription<scheduler_events::offering, scheduler_events::searching>
      subscription_{stops_one{}};
  std::deque<meeting> meetings_;  // a worker may look at one when it is long over

 protected:
  /// A worker counts what it has sent home after that may have gone on: the system may stop it in
  /// between. Without a count the watchdog ends the test.
  void wait_for_sent_home(unsigned times) const {
    while (r_.stats().total.sent_home < times) std::this_thread::yield();
  }

  nopal::runtime r_{{.workers = 2, .idle = nopal::idle_policy::busy}};
};

TEST_P(Home, AStrandComesHome) {
  constexpr unsigned times = 200;
  const nopal_test::watchdog w(30s, "a strand that comes home", 0);
  for (unsigned i = 1; i <= times; ++i) {
    EXPECT_TRUE(came_home(false));
    wait_for_sent_home(i);
  }
}

TEST_P(Home, AStrandIsTakenBackFromAWorkerThatDoesNotGoOn) {
  const nopal_test::watchdog w(30s, "a strand that its worker does not take", 0);
  for (unsigned i = 1; i <= 20; ++i) {
    EXPECT_FALSE(came_home(true));
    wait_for_sent_home(i);
  }
}

INSTANTIATE_TEST_SUITE_P(By, Home,
                         testing::Values(way{"Closures", by_closures}, way{"Frame", by_frame},
                                         way{"Tasks", by_tasks},
                                         way{"ExceptionsOfTasks", by_exceptions_of_tasks}),
                         testing::PrintToStringParamName());

/// Notes what a thread does with a task that it lets go on.
thread_local unsigned offers_of_thread = 0;
thread_local unsigned submissions_of_thread = 0;
struct notes_of_thread {
  void operator()(const scheduler_events::offering& /*event*/) const { ++offers_of_thread; }
  void operator()(const scheduler_events::submitting& /*event*/) const { ++submissions_of_thread; }
};

/// A thread that is no worker resumes it, when the workers have had the time to search.
struct resumed_later {
  std::optional<std::jthread>* thread;
  unsigned* offers;
  unsigned* submissions;

  static bool await_ready() noexcept { return false; }
  void await_suspend(std::coroutine_handle<> h) {
    thread->emplace([h, to_offers = offers, to_submissions = submissions] {
      std::this_thread::sleep_for(100us);
      // The task goes on in resume(), and joins this thread before it looks.
      h.resume();
      *to_offers += offers_of_thread;
      *to_submissions += submissions_of_thread;
    });
  }
  void await_resume() const { thread->reset(); }
};

TEST(HomeOfTasks, ATaskThatHasWaitedIsOfferedToItsWorker) {
  const nopal::detail::subscription<scheduler_events::offering, scheduler_events::submitting> notes(
      notes_of_thread{});
  nopal::runtime r({.workers = 2, .idle = nopal::idle_policy::busy, .caller_works = false});
  constexpr unsigned times = 200;
  unsigned offers = 0, submissions = 0;
  r.run([&]() -> nopal::task<> {
    std::optional<std::jthread> thread;
    for (unsigned i = 0; i < times; ++i) co_await resumed_later{&thread, &offers, &submissions};
  });
  EXPECT_GT(offers, times / 2);  // not for a handle that is resumed before the task waits
  EXPECT_LT(submissions, offers);
}

/// Workers that are away often: with work to be stolen, and where they search, so that what is
/// offered to them is taken by others.
struct are_away {
  void operator()(const deque_events::pushed& /*event*/) const { sleep_once_in(512); }
  bool operator()(const scheduler_events::searching& /*event*/) const {
    sleep_once_in(64);
    return false;
  }
  void operator()(const scheduler_events::offering& /*event*/) const {
    if (random().one_in(2)) std::this_thread::yield();
  }

 private:
  static void sleep_once_in(unsigned n) {
    if (!random().one_in(n)) return;
    std::this_thread::sleep_for(std::chrono::microseconds(random().below(50)));
  }
  // Not inlined: as random_delays::delay.
  [[gnu::noinline]] static nopal_test::random_numbers& random() {
    static std::atomic<std::uint64_t> threads{0};
    thread_local nopal_test::random_numbers of_thread(threads.fetch_add(1));
    return of_thread;
  }
};

TEST(HomeOfTrees, SomeComeHomeAndSomeDoNot) {
  constexpr nopal_test::tree_shape shape{.depth = 9};
  const std::uint64_t first = nopal_test::seed_or(300);
  const nopal::detail::subscription<deque_events::pushed, scheduler_events::searching,
                                    scheduler_events::offering>
      subscription(are_away{});
  nopal::counts all;
  for (const unsigned workers : {2U, 3U, 4U, 8U}) {
    nopal::detail::owned_scheduler s({.workers = workers, .seed = first}, {});
    for (std::uint64_t seed = first; seed < first + 1 + 100 / nopal_test::work_divisor; ++seed) {
      const nopal_test::watchdog w(30s, "random tree", seed,
                                   [&](std::ostream& out) { nopal_test::print_state(out, s); });
      ASSERT_EQ(
          nopal_test::run_in(s, [&] { return nopal_test::run_tree(seed, shape.depth, shape); }),
          nopal_test::run_tree_serially(seed, shape.depth, shape))
          << workers << " workers, NOPAL_TEST_SEED=" << seed;
    }
    ASSERT_TRUE(nopal_test::frees_all_stacks(s));
    all += s.stats().total;
  }
  EXPECT_GT(all.sent_home, 0U);
  EXPECT_GT(all.foreign_resumptions, 0U);
  RecordProperty("sent_home", static_cast<int>(all.sent_home));
  RecordProperty("foreign_resumptions", static_cast<int>(all.foreign_resumptions));
}

}  // namespace
