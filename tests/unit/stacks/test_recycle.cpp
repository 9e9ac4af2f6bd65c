// SPDX-License-Identifier: Apache-2.0
// Thieves that run what they have stolen on the stack of an ancestor (docs/stacks.md, "Stacks of
// ancestors").
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "nopal/nopal.hpp"
#include "support/build.hpp"
#include "support/compared_tree.hpp"
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
using nopal_test::large_stack;
using nopal_test::pages_and_stacks;
using nopal_test::run_in;
using nopal_test::until;

const nopal::detail::stack* here() { return nopal::detail::current_stack(); }

// --- where children run
// ---------------------------------------------------------------------------

/// Each link forks the next, and comes to its join when that has begun on another worker.
struct chain {
  static constexpr unsigned links = 20;
  std::array<std::atomic<bool>, links> begun{};
  std::array<const nopal::detail::stack*, links> on{};
};

NOPAL_FORKS void link(chain& c, unsigned i) {
  c.on[i] = here();
  c.begun[i] = true;
  if (i + 1 == chain::links) return;
  fork_frame frame;
  frame.fork([&c, i] { link(c, i + 1); });
  until([&] { return c.begun[i + 1].load(); });
  frame.join();
  EXPECT_EQ(here(), c.on[i]);
}

std::size_t stacks_of_chain(rule r, chain& c) {
  const by_rule chosen(r);
  owned_scheduler s({.workers = 2, .stack_bytes = large_stack});
  run_in(s, [&] { link(c, 0); });
  EXPECT_TRUE(nopal_test::frees_all_stacks(s));
  return s.stats().peak_stacks_in_use;
}

TEST(Recycle, AChainTakesOneStackForEachWorker) {
  chain c;
  EXPECT_EQ(stacks_of_chain(rule::recycle, c), 2U);
  for (unsigned i = 2; i < chain::links; ++i) EXPECT_EQ(c.on[i], c.on[i - 2]);
  chain each_on_its_own;
  EXPECT_EQ(stacks_of_chain(rule::new_stack, each_on_its_own), std::size_t{chain::links});
}

TEST(Recycle, AChainWithDelays) {
  for (unsigned i = 0; i < 3; ++i) {
    const nopal_test::random_delays delays(nopal_test::seed_or(i));
    chain c;
    EXPECT_EQ(stacks_of_chain(rule::recycle, c), 2U);
  }
}

/// The links call each other's forks through a function of the C library.
struct sorted_chain {
  static constexpr unsigned links = 6;
  std::array<std::atomic<bool>, links> begun{};
};
thread_local sorted_chain* sorted_by_this_thread = nullptr;
thread_local unsigned link_of_this_thread = 0;

void sorting_link(sorted_chain& c, unsigned i);

NOPAL_FORKS int compare_and_fork(const void* a, const void* b) {
  sorted_chain& c = *sorted_by_this_thread;
  const unsigned i = link_of_this_thread;
  const int result = *static_cast<const int*>(a) - *static_cast<const int*>(b);
  if (i + 1 == sorted_chain::links || c.begun[i + 1]) return result;
  fork_frame frame;
  frame.fork([&c, i] { sorting_link(c, i + 1); });
  until([&] { return c.begun[i + 1].load(); });
  frame.join();
  return result;
}

[[gnu::noinline]] void say_to_comparisons(sorted_chain& c, unsigned i) {
  sorted_by_this_thread = &c;
  link_of_this_thread = i;
}

/// The comparisons read what this has left, on whatever thread.
void sorting_link(sorted_chain& c, unsigned i) {
  c.begun[i] = true;
  std::array<int, 2> v{2, 1};
  say_to_comparisons(c, i);
  std::qsort(v.data(), v.size(), sizeof v[0], compare_and_fork);
  EXPECT_LT(v[0], v[1]);
}

TEST(Recycle, CallbacksOfSerialCodeAreAncestors) {
  const by_rule chosen(rule::recycle);
  owned_scheduler s({.workers = 2, .stack_bytes = large_stack});
  sorted_chain c;
  run_in(s, [&] { sorting_link(c, 0); });
  EXPECT_EQ(s.stats().peak_stacks_in_use, 2U);
}

/// Keeps the thief of the second child from running it until a strand has come to its join, and
/// offers its stack.
class second_thief_waits {
 public:
  second_thief_waits() : subscription_(handler{}) {
    stolen = 0;
    one_waits = false;
  }

 private:
  struct handler {
    void operator()(const nopal::detail::scheduler_events::stolen&) const {
      if (++stolen == 2) until([] { return one_waits.load(); });
    }
    void operator()(const nopal::detail::strand_events::arrived&) const { one_waits = true; }
  };
  static inline std::atomic<unsigned> stolen{0};
  static inline std::atomic<bool> one_waits{false};
  nopal::detail::subscription<nopal::detail::event_list<nopal::detail::scheduler_events::stolen,
                                                        nopal::detail::strand_events::arrived>>
      subscription_;
};

/// The first frame waits while the second one's child has been stolen and not begun: it does not
/// wait for that, so the child must not run below it. Which of the two frames is made first makes
/// no difference.
NOPAL_FORKS void wait_at_one_of_two(scheduler& s, bool first_made_waits) {
  std::atomic<bool> other_ran{false}, may_end{false}, begun{false};
  const nopal::detail::stack* const own = here();
  const nopal::detail::stack* ran_on = nullptr;
  fork_frame first, second;
  fork_frame& waits = first_made_waits ? first : second;
  fork_frame& other = first_made_waits ? second : first;
  waits.fork([&] {
    begun = true;
    until([&] { return other_ran.load(); });
  });
  until([&] { return begun.load(); });
  other.fork([&] {
    ran_on = here();
    other_ran = true;
    until([&] { return may_end.load(); });
  });
  until([&] { return s.stats().total.steals == 2; });
  waits.join();
  EXPECT_TRUE(other_ran);
  may_end = true;
  other.join();
  EXPECT_NE(ran_on, own);
}

TEST(Recycle, AFrameOfTheSameFunctionIsNoAncestor) {
  const by_rule chosen(rule::recycle);
  for (const bool first_made_waits : {true, false}) {
    const second_thief_waits delay;
    owned_scheduler s({.workers = 3, .stack_bytes = large_stack});
    run_in(s, [&] { wait_at_one_of_two(s, first_made_waits); });
    EXPECT_TRUE(nopal_test::frees_all_stacks(s));
  }
}

/// A frame that is made by a closure of parallel_invoke on a worker that ran a child before, and
/// left it suspended.
NOPAL_FORKS void fork_and_wait(std::atomic<unsigned>& ran) {
  fork_frame frame;
  for (int i = 0; i < 3; ++i) frame.fork([&ran] { ++ran; });
  frame.join();
}

TEST(Recycle, FramesBelowOtherFrontEnds) {
  const by_rule chosen(rule::recycle);
  const nopal_test::random_delays delays(nopal_test::seed_or(7));
  owned_scheduler s({.workers = 4, .stack_bytes = large_stack});
  std::atomic<unsigned> ran{0};
  const unsigned rounds = 200 / (nopal_test::with_sanitizer ? 10 : 1);
  for (unsigned i = 0; i < rounds; ++i)
    run_in(s, [&] {
      fork_frame frame;
      for (int k = 0; k < 3; ++k)
        frame.fork([&ran] {
          nopal::parallel_invoke([&ran] { fork_and_wait(ran); }, [&ran] { fork_and_wait(ran); });
          fork_and_wait(ran);
        });
      frame.join();
    });
  EXPECT_EQ(ran, rounds * 27);
  EXPECT_TRUE(nopal_test::frees_all_stacks(s));
}

// --- the space bound
// ------------------------------------------------------------------------------

/// The root forks chains, one after the other. The links of a chain begin each on a worker of its
/// own, go deep, and come to their joins together; the last link keeps its worker to the end.
struct chains {
  static constexpr unsigned workers = 4;
  static constexpr std::size_t stacks = 1 + workers * (workers - 1) / 2;
  static constexpr std::size_t depth = workers - 1;  ///< Functions that fork, in each other.

  const bool alone;  ///< On one worker nothing is waited for.
  std::array<std::atomic<bool>, workers - 1> complete{};
  std::atomic<bool> end{false};

  void wait_for(const std::atomic<bool>& b) const {
    until([&] { return alone || b.load(); });
  }
};

NOPAL_FORKS void deep_link(chains& all, unsigned of, unsigned left) {
  nopal_test::go_deep([] {});
  if (left == 1) {
    all.complete[of] = true;
    return all.wait_for(all.end);
  }
  fork_frame frame;
  frame.fork([&all, of, left] { deep_link(all, of, left - 1); });
  all.wait_for(all.complete[of]);
  frame.join();
}

NOPAL_FORKS void fork_chains(chains& all) {
  fork_frame frame;
  for (unsigned i = 0; i + 1 < chains::workers; ++i) {
    frame.fork([&all, i] { deep_link(all, i, chains::workers - 1 - i); });
    all.wait_for(all.complete[i]);
  }
  all.end = true;
  frame.join();
}

pages_and_stacks most_of_chains(unsigned workers, reclaim_policy policy) {
  const by_rule chosen(rule::recycle);
  chains all{.alone = workers == 1};
  return nopal_test::most_while(workers, policy, [&] { fork_chains(all); });
}

TEST(Recycle, ChainsBesideEachOtherTakeNewStacks) {
  const std::size_t serial = most_of_chains(1, reclaim_policy::none).pages;
  const pages_and_stacks most = most_of_chains(chains::workers, reclaim_policy::none);
  EXPECT_EQ(most.stacks, chains::stacks);
  EXPECT_GT(most.pages, chains::workers * (serial + chains::depth));
  const pages_and_stacks given_back = most_of_chains(chains::workers, reclaim_policy::dontneed);
  EXPECT_EQ(given_back.stacks, chains::stacks);
  EXPECT_LE(given_back.pages, chains::workers * (serial + chains::depth));
}

// --- random trees
// ---------------------------------------------------------------------------------

class RecycleTrees : public testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(Workers, RecycleTrees, testing::Values(2U, 8U),
                         testing::PrintToStringParamName());

void run_trees(unsigned workers, bool frames_only, unsigned number) {
  const by_rule chosen(rule::recycle);
  const std::uint64_t first = nopal_test::seed_or(1000 * workers + (frames_only ? 500 : 0));
  const nopal_test::random_delays delays(first);
  owned_scheduler s({.workers = workers, .stack_bytes = large_stack, .seed = first});
  for (std::uint64_t seed = first; seed < first + 1 + number / nopal_test::work_divisor; ++seed)
    nopal_test::run_and_compare(
        s, seed,
        {.depth = 7,
         .throws_one_in = seed % 2 == 0 ? 0 : 5 + static_cast<unsigned>(seed % 200),
         .frames_only = frames_only});
  EXPECT_TRUE(nopal_test::frees_all_stacks(s));
}

TEST_P(RecycleTrees, OfFrames) { run_trees(GetParam(), true, 150); }
TEST_P(RecycleTrees, OfAllFrontEnds) { run_trees(GetParam(), false, 150); }

}  // namespace
