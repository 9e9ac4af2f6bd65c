// SPDX-License-Identifier: Apache-2.0
// What a fork costs that nobody steals, counted: no atomic read-modify-write, no fence and no
// system call, whatever front end makes it. The one worker runs on the thread that is stepped
// through.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <iostream>
#include <ostream>
#include <type_traits>

#include "instructions/single_step.hpp"
#include "nopal/detail/deque/deque.hpp"
#include "nopal/detail/deque/deque_asymmetric.hpp"
#include "nopal/detail/platform/fence.hpp"
#include "nopal/nopal.hpp"
#include "runtime/owned_scheduler.hpp"
#include "scheduler/scheduler_worker.hpp"

namespace {

using nopal::detail::owned_scheduler;
using nopal::detail::scheduler;
using nopal_test::begin_section;
using nopal_test::executed;
using nopal_test::single_stepped;
using nopal_test::stepped;

enum section : std::size_t { not_counted, forking };
enum status : int { done, wrong_result, stolen, no_membarrier };

constexpr unsigned depth = 6;
constexpr unsigned forks = (1U << depth) - 1;
constexpr unsigned leaves = 1U << depth;

unsigned by_closures(unsigned d) {
  if (d == 0) return 1;
  unsigned a = 0;
  unsigned b = 0;
  nopal::parallel_invoke([&] { a = by_closures(d - 1); }, [&] { b = by_closures(d - 1); });
  return a + b;
}

/// The same number of forks, in groups of three closures and one.
unsigned by_three_closures(unsigned d) {
  unsigned sum = 0;
  for (unsigned i = 0; i < 1U << (d - 1); ++i) {
    unsigned a = 0;
    unsigned b = 0;
    unsigned c = 0;
    nopal::parallel_invoke([&] { a = 1; }, [&] { b = 1; }, [&] { c = 0; });
    sum += a + b + c;
  }
  return sum;
}

NOPAL_FORKS unsigned by_frame(unsigned d) {
  if (d == 0) return 1;
  unsigned a = 0;
  nopal::fork_frame frame;
  frame.fork(&a, by_frame, d - 1);
  const unsigned b = by_frame(d - 1);
  frame.join();
  return a + b;
}

[[gnu::noinline]] unsigned one() { return 1; }

/// One frame that forks in a loop.
NOPAL_FORKS unsigned by_frame_in_loop(unsigned d) {
  unsigned sum = 0;
  nopal::fork_frame frame;
  for (unsigned i = 0; i < 1U << d; ++i) {
    unsigned a = 0;
    frame.fork(&a, one);
    frame.join();
    sum += a;
  }
  return sum;
}

nopal::task<unsigned> tree_of_tasks(unsigned d) {
  if (d == 0) co_return 1;
  unsigned a = 0;
  unsigned b = 0;
  co_await nopal::fork(&a, tree_of_tasks, d - 1);
  co_await nopal::call(&b, tree_of_tasks, d - 1);
  co_await nopal::join();
  co_return a + b;
}

/// Begins its section itself: what memory the tasks of one tree need is there when it does.
nopal::task<unsigned> counted_tasks(unsigned d, bool counts) {
  unsigned sum = 0;
  co_await nopal::call(&sum, tree_of_tasks, d);
  if (counts) begin_section(forking);
  co_await nopal::call(&sum, tree_of_tasks, d);
  if (counts) begin_section(not_counted);
  co_return sum;
}

template <unsigned (*tree)(unsigned)>
unsigned counted(unsigned d, bool counts) {
  if (counts) begin_section(forking);
  const unsigned sum = tree(d);
  if (counts) begin_section(not_counted);
  return sum;
}

unsigned by_tasks(unsigned d, bool counts) { return nopal::wait(counted_tasks(d, counts)); }

using front_end = unsigned (*)(unsigned depth, bool counts);

struct kind {
  const char* name;
  front_end fork;
};

void PrintTo(const kind& k, std::ostream* out) { *out << k.name; }

/// The strand that forks: the whole work of the scheduler.
struct root : nopal::detail::continuation {
  root(scheduler& s, front_end f) : continuation(run), home(&s), fork(f) {}

  scheduler* home;
  front_end fork;
  unsigned sum = 0;

  static void run(nopal::detail::continuation& c, nopal::detail::worker& w) noexcept {
    nopal::detail::strand_state begin{};
    begin.fp = nopal::detail::current_fp_control();
    nopal::detail::start_strand(w, {strand, &static_cast<root&>(c), begin});
  }
  static void strand(void* self) {
    auto& r = *static_cast<root*>(self);
    r.fork(depth, false);  // what is allocated once is there, and pages are touched
    r.sum = r.fork(depth, true);
    nopal::detail::end_strand({announce, &r, nullptr});
  }
  static nopal::detail::suspension* announce(void* self) noexcept {
    static_cast<root*>(self)->home->stop();
    return nullptr;
  }
};

/// In the process that is stepped through.
status run_alone(front_end f, bool membarrier) {
  owned_scheduler s({.workers = 1, .pin = false}, {.membarrier = membarrier, .threads = false});
  if (membarrier && !nopal::detail::asymmetric_fences) return no_membarrier;
  nopal::detail::become_worker(s.worker_at(0));
  root r(s, f);
  s.submit(r);
  s.run_worker(s.worker_at(0));
  nopal::detail::resign_worker();
  if (s.stats().total.steals != 0) return stolen;
  return r.sum == leaves ? done : wrong_result;
}

class ForkInstructions : public testing::TestWithParam<kind> {
 protected:
  void SetUp() override {
    if (!std::is_same_v<nopal::detail::deque, nopal::detail::deque_asymmetric>)
      GTEST_SKIP() << "only the default deque leaves the fence to the thief";
  }

  /// Skips the test if it cannot be run.
  void count(bool membarrier) {
    const stepped s = single_stepped([&] { return run_alone(GetParam().fork, membarrier); });
    if (!s.impossible.empty()) GTEST_SKIP() << s.impossible;
    if (s.status == no_membarrier) GTEST_SKIP() << "this kernel has no membarrier(2)";
    ASSERT_EQ(s.status, done);
    counted_ = s.sections[forking];
    std::cout << forks << " forks: " << counted_ << '\n';
    EXPECT_GE(counted_.instructions, 8 * forks);
  }

  executed counted_;
};

TEST_P(ForkInstructions, NoneIsLockedWithoutASteal) {
#if NOPAL_ASSERTIONS
  GTEST_SKIP() << "what a build with assertions checks may cost more";
#endif
  count(true);
  EXPECT_EQ(counted_.dear(), 0U) << counted_;
}

// The test of the test: each pop fences where the kernel does not do it for the thief.
TEST_P(ForkInstructions, EachPopFencesWithoutMembarrier) {
  count(false);
  if (IsSkipped() || HasFatalFailure()) return;
  EXPECT_GE(counted_.dear(), forks) << counted_;
}

INSTANTIATE_TEST_SUITE_P(By, ForkInstructions,
                         testing::Values(kind{"Closures", counted<by_closures>},
                                         kind{"ThreeClosures", counted<by_three_closures>},
                                         kind{"Frame", counted<by_frame>},
                                         kind{"FrameInALoop", counted<by_frame_in_loop>},
                                         kind{"Tasks", by_tasks}),
                         testing::PrintToStringParamName());

}  // namespace
