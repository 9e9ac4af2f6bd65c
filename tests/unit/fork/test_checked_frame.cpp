// SPDX-License-Identifier: Apache-2.0
// What a checking build says of a fork_frame that is not where it belongs.
#include <gtest/gtest.h>

#include <csignal>
#include <string>

#include "nopal/nopal.hpp"
#include "support/child_process.hpp"

namespace {

using nopal_test::ended_process;
using nopal_test::in_child;

long twice(long n) { return 2 * n; }

[[gnu::noinline]] void fork_for_another(nopal::fork_frame& frame, long& result) {
  frame.fork(&result, twice, 21L);
}
[[gnu::noinline]] void join_for_another(nopal::fork_frame& frame) { frame.join(); }

NOPAL_FORKS long passes_its_frame_on_to_fork() {
  nopal::fork_frame frame;
  long result = 0;
  fork_for_another(frame, result);
  frame.join();
  return result;
}

NOPAL_FORKS long passes_its_frame_on_to_join() {
  nopal::fork_frame frame;
  long result = 0;
  frame.fork(&result, twice, 21L);
  join_for_another(frame);
  return result;
}

NOPAL_FORKS long has_its_frame_on_the_heap() {
  auto* frame = new nopal::fork_frame;
  long result = 0;
  frame->fork(&result, twice, 21L);
  frame->join();
  delete frame;
  return result;
}

/// Declares a second frame, maybe on a thief's stack, again and again.
NOPAL_FORKS long has_frames_after_forks(long n) {
  if (n < 2) return n;
  nopal::fork_frame first;
  long a = 0;
  first.fork(&a, has_frames_after_forks, n - 1);
  nopal::fork_frame second;
  long b = 0;
  second.fork(&b, has_frames_after_forks, n - 2);
  second.join();
  first.join();
  return a + b;
}

template <class F>
void expect_refusal(F f, const char* function, const std::string& what) {
  for (const bool on_worker : {false, true}) {
    const ended_process child = in_child([&] {
      if (on_worker)
        nopal::run(f);
      else
        f();
      return 0;
    });
    EXPECT_FALSE(child.exited) << child;
    EXPECT_EQ(child.status, SIGABRT) << child;
    EXPECT_NE(child.errors.find("nopal: the fork_frame declared at "), std::string::npos) << child;
    EXPECT_NE(child.errors.find("test_checked_frame.cpp:"), std::string::npos) << child;
    EXPECT_NE(child.errors.find(function), std::string::npos) << child;
    EXPECT_NE(child.errors.find(what), std::string::npos) << child;
  }
}

TEST(CheckedFrame, OneThatIsPassedOn) {
  expect_refusal(passes_its_frame_on_to_fork, "passes_its_frame_on_to_fork",
                 "is used by another function");
  expect_refusal(passes_its_frame_on_to_join, "passes_its_frame_on_to_join",
                 "is used by another function");
}

TEST(CheckedFrame, OneOnTheHeap) {
  if (nopal_test::with_asan) GTEST_SKIP() << "AddressSanitizer may keep locals on the heap";
  expect_refusal(has_its_frame_on_the_heap, "has_its_frame_on_the_heap",
                 "is not a local variable of that function");
}

#ifdef __clang__  // g++ does not compile it: the mark does not reach the code of a coroutine
NOPAL_FORKS nopal::task<long> has_its_frame_in_a_coroutine() {
  nopal::fork_frame frame;
  long result = 0;
  frame.fork(&result, twice, 21L);
  co_await nopal::join();
  frame.join();
  co_return result;
}

TEST(CheckedFrame, OneInACoroutine) {
  if (nopal_test::with_asan) GTEST_SKIP() << "AddressSanitizer may keep locals on the heap";
  expect_refusal([] { nopal::run(has_its_frame_in_a_coroutine); }, "has_its_frame_in_a_coroutine",
                 "is not a local variable of that function");
}
#endif

TEST(CheckedFrame, NoneThatIsWhereItBelongs) {
  nopal::options o;
  o.workers = 4;
  nopal::runtime r(o);
  EXPECT_EQ(has_frames_after_forks(15), 610);
  EXPECT_EQ(r.run(has_frames_after_forks, 20L), 6765);
}

}  // namespace
