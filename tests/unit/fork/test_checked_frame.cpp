// SPDX-License-Identifier: Apache-2.0
// What a checking build says of a fork_frame that is not where it belongs.
#include <gtest/gtest.h>

#include <csignal>
#include <stdexcept>
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

NOPAL_FORKS long forgets_to_join(long n) {
  if (n < 2) return n;
  nopal::fork_frame frame;
  long a = 0;
  frame.fork(&a, forgets_to_join, n - 1);
  const long b = forgets_to_join(n - 2);
  return a + b;
}

std::string as_text(long n) { return std::to_string(n); }

NOPAL_FORKS long forgets_the_second_join() {
  nopal::fork_frame frame;
  long first = 0;
  std::string second;
  frame.fork(&first, twice, 21L);
  frame.join();
  frame.fork(&second, as_text, 21L);
  return first + static_cast<long>(second.size());
}

TEST(CheckedFrame, OneWithoutJoin) {
  if (nopal_test::with_asan) GTEST_SKIP() << "AddressSanitizer says where the result is read";
  expect_refusal([] { return forgets_to_join(10); }, "forgets_to_join", "ends without join()");
  expect_refusal(forgets_the_second_join, "forgets_the_second_join", "ends without join()");
}

NOPAL_FORKS long reads_before_the_join(long n) {
  if (n < 2) return n;
  nopal::fork_frame frame;
  long a = 0;
  frame.fork(&a, reads_before_the_join, n - 1);
  const long b = reads_before_the_join(n - 2);
  const long sum = a + b;
  frame.join();
  return sum;
}

/// On one worker too, where the child has ended.
TEST(CheckedFrame, AResultThatIsReadBeforeTheJoin) {
  const ended_process child = in_child([] {
    nopal::options o;
    o.workers = 1;
    nopal::runtime r(o);
    return r.run(reads_before_the_join, 10L) == 55 ? 0 : 1;
  });
  EXPECT_FALSE(child.ok()) << child;
  if (nopal_test::with_asan) {
    EXPECT_NE(child.errors.find("AddressSanitizer: use-after-poison"), std::string::npos) << child;
    EXPECT_NE(child.errors.find("reads_before_the_join"), std::string::npos) << child;
  }
}

long throws(long) { throw std::runtime_error("no result"); }

NOPAL_FORKS long keeps_its_value_if_the_call_throws() {
  nopal::fork_frame frame;
  long a = 7;
  try {
    frame.fork(&a, throws, 1L);
    frame.join();
  } catch (const std::runtime_error&) {
  }
  return a;
}

NOPAL_FORKS long forks_more_than_are_kept() {
  nopal::fork_frame frame;
  long results[10] = {};
  long sum = 0;
  for (int round = 0; round < 3; ++round) {
    for (long i = 0; i < 10; ++i) frame.fork(&results[i], twice, i);
    frame.join();
    for (const long r : results) sum += r;
  }
  return sum;
}

NOPAL_FORKS void leaves_its_result_to_the_caller(long* result) {
  nopal::fork_frame frame;
  frame.fork(result, twice, 21L);
}

NOPAL_FORKS long forks_the_same_variable_twice() {
  nopal::fork_frame frame;
  long a = 0;
  frame.fork(&a, twice, 1L);
  frame.fork(&a, twice, 2L);
  frame.join();
  return a;
}

NOPAL_FORKS double assigns_an_int_to_a_double() {
  nopal::fork_frame frame;
  double a = 0;
  frame.fork(&a, [](int n) { return n; }, 3);
  frame.join();
  return a;
}

TEST(CheckedFrame, NoneWhoseResultsComeByTheJoin) {
  for (const unsigned workers : {1U, 2U, 4U}) {
    nopal::options o;
    o.workers = workers;
    nopal::runtime r(o);
    for (int i = 0; i < 50; ++i) {
      EXPECT_EQ(r.run(keeps_its_value_if_the_call_throws), 7);
      EXPECT_EQ(r.run(forks_more_than_are_kept), 270);
      long result = 0;
      r.run(leaves_its_result_to_the_caller, &result);
      EXPECT_EQ(result, 42);
      if (workers == 1) EXPECT_EQ(r.run(forks_the_same_variable_twice), 4);
      EXPECT_EQ(r.run(assigns_an_int_to_a_double), 3.0);
    }
  }
}

TEST(CheckedFrame, NoneThatIsWhereItBelongs) {
  nopal::options o;
  o.workers = 4;
  nopal::runtime r(o);
  EXPECT_EQ(has_frames_after_forks(15), 610);
  EXPECT_EQ(r.run(has_frames_after_forks, 20L), 6765);
}

}  // namespace
