// SPDX-License-Identifier: Apache-2.0
// Ways to keep a cactus stack, side by side (docs/stacks.md). Each gives the right results; and for
// each bound that one of them lacks there is a program here that breaks it.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <tuple>
#include <vector>

#include "nopal/nopal.hpp"
#include "support/build.hpp"
#include "support/delays.hpp"
#include "support/scheduler_run.hpp"
#include "support/seed.hpp"
#include "support/stack_rules.hpp"

namespace {

using nopal::fork_frame;
using nopal::reclaim_policy;
using nopal::detail::owned_scheduler;
using nopal::detail::scheduler;
using nopal::stacks::rule;
using nopal_test::by_rule;
using nopal_test::go_deep;
using nopal_test::large_stack;
using nopal_test::no_limit;
using nopal_test::pages_and_stacks;
using nopal_test::run_in;
using nopal_test::until;

/// Counts how often each worker has looked for something to run and found nothing.
class counted_rounds {
 public:
  counted_rounds() : subscription_(handler{}) { start_anew(); }
  static void start_anew() {
    for (auto& r : rounds) r = 0;
  }
  static unsigned of(unsigned worker) { return rounds[worker]; }

 private:
  struct handler {
    bool operator()(const nopal::detail::scheduler_events::searching&) const {
      rounds[nopal::detail::this_scheduler_worker().index].fetch_add(1, std::memory_order_relaxed);
      return false;
    }
  };
  static inline std::array<std::atomic<unsigned>, 16> rounds;
  nopal::detail::subscription<nopal::detail::scheduler_events::searching> subscription_;
};
constexpr unsigned enough_rounds = 300;

// --- results
// --------------------------------------------------------------------------------------

NOPAL_FORKS std::uint64_t fib(unsigned n) {
  if (n < 2) return n;
  fork_frame frame;
  std::uint64_t a;
  frame.fork(&a, fib, n - 1);
  const std::uint64_t b = fib(n - 2);
  frame.join();
  return a + b;
}

constexpr unsigned queens_on = 8;
using board = std::array<int, queens_on>;

NOPAL_FORKS unsigned queens(board b, unsigned row) {
  if (row == queens_on) return 1;
  std::array<unsigned, queens_on> found{};
  fork_frame frame;
  for (unsigned column = 0; column < queens_on; ++column) {
    const auto c = static_cast<int>(column);
    bool safe = true;
    for (unsigned r = 0; r < row; ++r)
      safe = safe && b[r] != c && std::abs(b[r] - c) != static_cast<int>(row - r);
    if (!safe) continue;
    b[row] = c;
    frame.fork(&found[column], queens, b, row + 1);
  }
  frame.join();
  unsigned sum = 0;
  for (const unsigned f : found) sum += f;
  return sum;
}

/// Every third leaf of a tree throws its number; of the two below a node the first counts.
NOPAL_FORKS void throwing(unsigned first, unsigned leaves) {
  if (leaves == 1) {
    if (first % 3 == 2) throw first;
    return;
  }
  fork_frame frame;
  frame.fork(throwing, first, leaves / 2);
  frame.fork(throwing, first + leaves / 2, leaves / 2);
  frame.join();
}

class Stacks : public testing::TestWithParam<rule> {};
INSTANTIATE_TEST_SUITE_P(Rules, Stacks,
                         testing::Values(rule::new_stack, rule::unrestricted, rule::deeper,
                                         rule::limited, rule::leapfrog, rule::recycle),
                         testing::PrintToStringParamName());

template <class F>
void with_delays(rule r, F&& f) {
  const by_rule chosen(r, std::size_t{2} << 10);
  for (const unsigned workers : {1U, 2U, 4U}) {
    const std::uint64_t seed = nopal_test::seed_or(workers);
    const nopal_test::random_delays delays(seed);
    owned_scheduler s({.workers = workers, .stack_bytes = large_stack, .seed = seed});
    for (int i = 0; i < 5; ++i) run_in(s, f);
    if (r != rule::new_stack && r != rule::recycle) {
      EXPECT_LE(s.stats().peak_stacks_in_use, workers);
    }
    EXPECT_TRUE(nopal_test::frees_all_stacks(s));
  }
}

TEST_P(Stacks, Fib) {
  with_delays(GetParam(), [] {
    EXPECT_EQ(fib(nopal_test::with_sanitizer ? 12 : 18), nopal_test::with_sanitizer ? 144U : 2584U);
  });
}

TEST_P(Stacks, Queens) {
  with_delays(GetParam(), [] { EXPECT_EQ(queens({}, 0), 92U); });
}

TEST_P(Stacks, ExceptionsOfStolenChildren) {
  with_delays(GetParam(), [] {
    try {
      throwing(0, 64);
      ADD_FAILURE() << "nothing was thrown";
    } catch (unsigned which) {
      EXPECT_EQ(which, 2U) << "the serially first";
    }
    EXPECT_EQ(std::uncaught_exceptions(), 0);
  });
}

int compare_by_forks(const void* a, const void* b) {
  const auto of = [](const void* p) { return fib(3) * *static_cast<const unsigned*>(p); };
  return of(a) < of(b) ? -1 : of(a) > of(b) ? 1 : 0;
}

TEST_P(Stacks, SerialCodeCallsBack) {
  with_delays(GetParam(), [] {
    std::vector<unsigned> v(30);
    for (unsigned i = 0; i < v.size(); ++i) v[i] = i * 7919 % 1009;
    std::qsort(v.data(), v.size(), sizeof v[0], compare_by_forks);
    EXPECT_TRUE(std::is_sorted(v.begin(), v.end()));
  });
}

// --- the time bound
// -------------------------------------------------------------------------------

/// All workers but the root's and the last link's wait, each for the next link, when the root forks
/// children that anybody could run: as many as there are, work for all of them.
struct chain {
  static constexpr unsigned ready = 20;

  explicit chain(unsigned workers) : links(workers - 1) {}

  const unsigned links;
  std::array<std::atomic<bool>, 16> begun{};
  std::array<std::atomic<unsigned>, 16> worker{};
  std::atomic<unsigned> ran{0};
  std::atomic<bool> end{false};

  /// Whether all that wait have looked for something to run again and again.
  [[nodiscard]] bool all_have_looked() const {
    for (unsigned i = 0; i + 1 < links; ++i)
      if (counted_rounds::of(worker[i]) < enough_rounds) return false;
    return true;
  }
};

NOPAL_FORKS void link(chain& c, unsigned i) {
  c.worker[i] = nopal::detail::this_scheduler_worker().index;
  c.begun[i] = true;
  if (i + 1 == c.links) return until([&] { return c.end.load(); });
  fork_frame frame;
  frame.fork([&c, i] { link(c, i + 1); });
  until([&] { return c.begun[c.links - 1].load(); });  // a link that waited might take another
  frame.join();
}

/// Returns how many of the children that were ready have run before the last link ended: while the
/// root waits for all of them or, if `none`, until all that wait have looked for them.
NOPAL_FORKS unsigned ran_of_ready(chain& c, bool none) {
  fork_frame frame;
  frame.fork([&c] { link(c, 0); });
  until([&] { return c.begun[c.links - 1].load(); });
  for (unsigned i = 0; i < chain::ready; ++i) frame.fork([&c] { ++c.ran; });
  counted_rounds::start_anew();
  until([&] { return none ? c.all_have_looked() : c.ran == chain::ready; });
  const unsigned ran = c.ran;
  c.end = true;
  frame.join();
  return ran;
}

unsigned ran_by(rule r, std::size_t most_bytes, unsigned workers, bool none) {
  const by_rule chosen(r, most_bytes);
  const counted_rounds rounds;
  owned_scheduler s({.workers = workers, .caller_works = false});
  chain c(workers);
  const unsigned ran = run_in(s, [&] { return ran_of_ready(c, none); });
  EXPECT_EQ(c.ran, chain::ready) << "at the end";
  return ran;
}

class TimeBound : public testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(Workers, TimeBound, testing::Values(3U, 6U));

TEST_P(TimeBound, WhoeverTakesANewStackRunsWhatIsReady) {
  EXPECT_EQ(ran_by(rule::new_stack, no_limit, GetParam(), false), chain::ready);
}
TEST_P(TimeBound, WhoeverWaitsWithoutRestrictionRunsWhatIsReady) {
  EXPECT_EQ(ran_by(rule::unrestricted, no_limit, GetParam(), false), chain::ready);
}
TEST_P(TimeBound, WhoeverMayOnlyRunWhatIsDeeperWaitsBesideWork) {
  EXPECT_EQ(ran_by(rule::deeper, no_limit, GetParam(), true), 0U);
}
TEST_P(TimeBound, WhoeverLeapfrogsWaitsBesideWork) {
  EXPECT_EQ(ran_by(rule::leapfrog, no_limit, GetParam(), true), 0U);
}
TEST_P(TimeBound, WhoeverIsAtTheLimitWaitsBesideWork) {
  EXPECT_EQ(ran_by(rule::limited, 0, GetParam(), true), 0U);
  EXPECT_EQ(ran_by(rule::limited, no_limit, GetParam(), false), chain::ready);
}

/// Forks so many that the first one and the last one share an entry in what thieves are shown: then
/// one child of the root looks as deep as these.
NOPAL_FORKS void fork_deeper(std::atomic<bool>& one_ran) {
  constexpr std::size_t entries = std::tuple_size_v<decltype(nopal::detail::shown_deque::depths)>;
  fork_frame frame;
  for (std::size_t i = 0; i < entries; ++i) frame.fork([&one_ran] { one_ran = true; });
  until([&] { return one_ran.load(); });
  frame.join();
}

NOPAL_FORKS void give_back(chain& c) {
  const unsigned here = nopal::detail::this_scheduler_worker().index;
  std::atomic<bool> ran{false}, one_deeper_ran{false};
  unsigned on = ~0U;
  fork_frame frame;
  frame.fork([&c] { link(c, 0); });
  until([&] { return c.begun[c.links - 1].load(); });
  frame.fork([&] {
    on = nopal::detail::this_scheduler_worker().index;
    ran = true;
  });
  fork_deeper(one_deeper_ran);
  EXPECT_FALSE(ran) << "the oldest, which was taken first and not allowed";
  c.end = true;
  frame.join();
  EXPECT_TRUE(ran);
  EXPECT_EQ(on, here);
}

TEST(Rule, WhoeverHasTakenWhatItMayNotRunGivesItBack) {
  const by_rule chosen(rule::deeper);
  owned_scheduler s({.workers = 3, .caller_works = false});
  chain c(3);
  run_in(s, [&] { give_back(c); });
}

// --- the pool that is limited
// ---------------------------------------------------------------------

/// The root waits at its join for one that forks again. Returns whether what is forked there has
/// run before the fork returned: while that waits for it or, if `none`, until the other worker has
/// looked for it.
bool is_stolen(scheduler& s, bool none) {
  std::atomic<bool> begun{false}, ran{false};
  bool stolen = false;
  std::atomic<unsigned> other{0};
  run_in(s, [&] {
    nopal::parallel_invoke(
        [&] {
          other = nopal::detail::this_scheduler_worker().index;
          until([&] { return begun.load(); });
        },
        [&] {
          begun = true;
          until([&] { return s.stats().total.suspensions == 1; });
          nopal::parallel_invoke(
              [&] {
                counted_rounds::start_anew();
                until(
                    [&] { return none ? counted_rounds::of(other) >= enough_rounds : ran.load(); });
                stolen = ran;
              },
              [&] { ran = true; });
        });
  });
  EXPECT_TRUE(ran);
  return stolen;
}

TEST(LimitedPool, WhoeverGetsNoStackWaitsBesideWork) {
  const counted_rounds rounds;
  owned_scheduler two({.workers = 2, .idle = nopal::idle_policy::busy}, {.stack_limit = 2});
  EXPECT_FALSE(is_stolen(two, true));
  EXPECT_EQ(two.stats().peak_stacks_in_use, 2U);
  owned_scheduler three({.workers = 2, .idle = nopal::idle_policy::busy}, {.stack_limit = 3});
  EXPECT_TRUE(is_stolen(three, false));
  EXPECT_EQ(three.stats().peak_stacks_in_use, 3U);
}

// --- the space bound
// ------------------------------------------------------------------------------

/// Siblings that go deep, one after the other on the same worker: each waits, deep down, for a
/// child that another worker keeps until the next sibling has begun. The worker that waits is the
/// only one that is free then.
struct siblings {
  static constexpr unsigned number = 12;
  static constexpr unsigned workers = 3;
  static constexpr std::size_t depth = 2;  ///< Functions that fork, in each other.

  const bool alone;  ///< On one worker nothing is waited for.
  std::array<std::atomic<bool>, number + 1> begun{};
  std::array<std::atomic<bool>, number> child_begun{};

  void wait_for(const std::atomic<bool>& b) const {
    until([&] { return alone || b.load(); });
  }
  void child(unsigned i) {
    child_begun[i] = true;
    wait_for(begun[i + 1]);
  }
};

NOPAL_FORKS void wait_for_child(siblings& all, unsigned i) {
  fork_frame frame;
  frame.fork([&all, i] { all.child(i); });
  all.wait_for(all.child_begun[i]);
  frame.join();
}

NOPAL_FORKS void by_frames(siblings& all) {
  fork_frame frame;
  for (unsigned i = 0; i < siblings::number; ++i) {
    frame.fork([&all, i] {
      all.begun[i] = true;
      go_deep([&] { wait_for_child(all, i); });
    });
    all.wait_for(all.child_begun[i]);
  }
  all.begun[siblings::number] = true;
  frame.join();
}

pages_and_stacks most_of(unsigned workers, reclaim_policy policy) {
  siblings all{.alone = workers == 1};
  return nopal_test::most_while(workers, policy, [&] { by_frames(all); });
}

TEST(SpaceBound, OneStackAWorkerBreaksIt) {
  const by_rule chosen(rule::unrestricted);
  const std::size_t serial = most_of(1, reclaim_policy::none).pages;
  const pages_and_stacks most = most_of(siblings::workers, reclaim_policy::dontneed);
  EXPECT_EQ(most.stacks, siblings::workers);
  EXPECT_GT(most.pages, siblings::workers * (serial + siblings::depth));
}

TEST(SpaceBound, HoldsWhereEachTakesANewStack) {
  const by_rule chosen(rule::new_stack);
  const std::size_t serial = most_of(1, reclaim_policy::none).pages;
  const pages_and_stacks most = most_of(siblings::workers, reclaim_policy::dontneed);
  EXPECT_GT(most.stacks, siblings::workers);
  EXPECT_LE(most.pages, siblings::workers * (serial + siblings::depth));
}

}  // namespace
