// SPDX-License-Identifier: Apache-2.0
// Exceptions that leave functions which C calls, and come back to callers in C++.
#include <gtest/gtest.h>

#include <cerrno>
#include <stdexcept>
#include <string>
#include <system_error>

#include "nopal/nopal.h"
#include "nopal/nopal.hpp"
#include "support/build.hpp"

namespace {

struct thrown : std::runtime_error {
  using std::runtime_error::runtime_error;
};

void throws(void* text) { throw thrown(static_cast<const char*>(text)); }
void throws_an_int(void* /*argument*/) { throw 42; }
void does_nothing(void* /*argument*/) {}
void count(void* n) { ++*static_cast<int*>(n); }

char first[] = "the first";
char second[] = "the second";

/// What nopal_rethrow() throws.
std::string rethrown(int error) {
  try {
    nopal_rethrow(error);
  } catch (const thrown& e) {
    return e.what();
  } catch (const std::system_error& e) {
    return "a system_error of " + std::to_string(e.code().value());
  } catch (int i) {
    return "the int " + std::to_string(i);
  }
  return "nothing";
}

TEST(CExceptions, OfRunComeBack) {
  const int error = nopal_run(nullptr, throws, first);
  EXPECT_EQ(error, NOPAL_E_EXCEPTION);
  EXPECT_STREQ(nopal_last_error(), "the first");
  EXPECT_EQ(rethrown(error), "the first");
  EXPECT_EQ(nopal_run(nullptr, throws_an_int, nullptr), NOPAL_E_EXCEPTION);
  EXPECT_EQ(rethrown(NOPAL_E_EXCEPTION), "the int 42");
  EXPECT_EQ(rethrown(0), "nothing");
}

TEST(CExceptions, OfNopalComeBackAsTheyAre) {
  nopal_options o;
  ASSERT_EQ(nopal_options_init(&o, sizeof o), 0);
  o.workers = 5000;
  nopal_runtime* r = nullptr;
  const int error = nopal_runtime_create(&o, &r);
  EXPECT_EQ(error, EINVAL);
  EXPECT_THROW(nopal_rethrow(error), std::invalid_argument);
  EXPECT_THROW(nopal_rethrow(nopal_run(nullptr, nullptr, nullptr)), std::system_error);
  EXPECT_EQ(rethrown(nopal_run(nullptr, nullptr, nullptr)),
            "a system_error of " + std::to_string(EINVAL));
}

/// Runs f(argument) on a runtime of `workers` workers whose caller does not work.
template <class F>
void on_workers(unsigned workers, F&& f) {
  nopal::runtime r({.workers = workers, .caller_works = false});
  for (int i = 0; i < 50; ++i) r.run(f);
}

TEST(CExceptions, OfInvokeAreTheSeriallyFirst) {
  for (const unsigned workers : {1U, 2U, 4U})
    on_workers(workers, [] {
      EXPECT_EQ(nopal_invoke(throws, first, throws, second), NOPAL_E_EXCEPTION);
      EXPECT_EQ(rethrown(NOPAL_E_EXCEPTION), "the first");
      EXPECT_EQ(nopal_invoke(does_nothing, nullptr, throws, second), NOPAL_E_EXCEPTION);
      EXPECT_EQ(rethrown(NOPAL_E_EXCEPTION), "the second");
      const nopal_ilet all[4] = {
          {does_nothing, nullptr}, {throws, first}, {throws, second}, {does_nothing, nullptr}};
      EXPECT_EQ(nopal_invoke_all(all, 4), NOPAL_E_EXCEPTION);
      EXPECT_EQ(rethrown(NOPAL_E_EXCEPTION), "the first");
    });
  EXPECT_EQ(nopal_invoke(throws, first, throws, second), NOPAL_E_EXCEPTION);  // outside
  EXPECT_EQ(rethrown(NOPAL_E_EXCEPTION), "the first");
}

TEST(CExceptions, OfAChildArriveAtItsJoin) {
  for (const unsigned workers : {1U, 2U, 4U})
    on_workers(workers, [] {
      nopal_join_t j;
      ASSERT_EQ(nopal_fork(&j, throws, first), 0);
      std::this_thread::yield();
      EXPECT_EQ(nopal_join(&j), NOPAL_E_EXCEPTION);
      EXPECT_EQ(rethrown(NOPAL_E_EXCEPTION), "the first");
      int n = 0;
      ASSERT_EQ(nopal_fork(&j, count, &n), 0);  // the join is used again
      EXPECT_EQ(nopal_join(&j), 0);
      EXPECT_EQ(n, 1);
    });
  nopal_join_t outside;
  ASSERT_EQ(nopal_fork(&outside, throws, first), 0);
  EXPECT_EQ(nopal_join(&outside), NOPAL_E_EXCEPTION);
}

TEST(CFork, IsRefusedOnAJoinThatHasAChild) {
  if (!nopal_test::with_check) GTEST_SKIP() << "only a checking build looks";
  nopal_join_t j;
  int n = 0;
  ASSERT_EQ(nopal_fork(&j, count, &n), 0);
  EXPECT_EQ(nopal_fork(&j, count, &n), EINVAL);
  EXPECT_EQ(nopal_join(&j), 0);
  EXPECT_EQ(n, 1);
}

void forks_and_does_not_join(void* /*argument*/) {
  nopal_join_t j;
  nopal_fork(&j, does_nothing, nullptr);
}

TEST(CForkDeathTest, ThatIsNotJoinedIsFoundAtTheNextJoin) {
  if (!nopal_test::with_check) GTEST_SKIP() << "only a checking build looks";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        nopal::runtime r({.workers = 1, .caller_works = false});
        r.run([] { nopal_invoke(forks_and_does_not_join, nullptr, does_nothing, nullptr); });
      },
      "nopal");
}

TEST(CExceptions, OfALoopComeBack) {
  const auto body = [](void* at, std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      if (i == *static_cast<int*>(at)) throw thrown("turn " + std::to_string(i));
  };
  int at = 77;
  EXPECT_EQ(nopal_for(0, 100, 3, body, &at), NOPAL_E_EXCEPTION);
  EXPECT_EQ(rethrown(NOPAL_E_EXCEPTION), "turn 77");
}

TEST(CExceptions, OfAScopeArriveAtItsJoin) {
  nopal_scope* s = nullptr;
  ASSERT_EQ(nopal_scope_create(nullptr, &s), 0);
  ASSERT_EQ(nopal_scope_start(s, throws, first), 0);
  EXPECT_EQ(nopal_scope_join(s, NOPAL_FOREVER), NOPAL_E_EXCEPTION);
  EXPECT_EQ(rethrown(NOPAL_E_EXCEPTION), "the first");
  EXPECT_EQ(nopal_scope_join(s, NOPAL_FOREVER), 0);
  EXPECT_EQ(nopal_scope_destroy(s), 0);
}

TEST(CExceptions, OfAClaimOfBlockingAndOfLocalFunctionsComeBack) {
  nopal::runtime r({.workers = 2});
  r.run([] {
    EXPECT_EQ(nopal_blocking(throws, first), NOPAL_E_EXCEPTION);
    EXPECT_EQ(rethrown(NOPAL_E_EXCEPTION), "the first");
  });
  nopal_runtime* of_c = nullptr;
  nopal_options o;
  ASSERT_EQ(nopal_options_init(&o, sizeof o), 0);
  o.workers = 2;
  ASSERT_EQ(nopal_runtime_create(&o, &of_c), 0);
  nopal_claim* c = nullptr;
  ASSERT_EQ(nopal_invade(of_c, nullptr, &c), 0);
  EXPECT_EQ(nopal_claim_run(c, throws, second), NOPAL_E_EXCEPTION);
  EXPECT_EQ(rethrown(NOPAL_E_EXCEPTION), "the second");
  EXPECT_EQ(nopal_retreat(c), 0);
  EXPECT_EQ(nopal_runtime_destroy(of_c), 0);

  nopal_worker_local* l = nullptr;
  const auto local_throws = [](void* /*block*/, void* text) { throws(text); };
  ASSERT_EQ(nopal_worker_local_create(1, &l), 0);
  EXPECT_EQ(nopal_worker_local_with(l, local_throws, first), NOPAL_E_EXCEPTION);
  EXPECT_EQ(nopal_worker_local_each(l, local_throws, second), NOPAL_E_EXCEPTION);
  EXPECT_EQ(rethrown(NOPAL_E_EXCEPTION), "the second");
  EXPECT_EQ(nopal_worker_local_destroy(l), 0);
}

TEST(CExceptions, AStopIsCanceled) {
  std::stop_source source;
  source.request_stop();
  nopal::with_stop(source.get_token(), [] {
    EXPECT_TRUE(nopal_stop_requested());
    EXPECT_EQ(nopal_sleep(1'000'000'000), ECANCELED);
    nopal_countdown c;
    EXPECT_EQ(nopal_countdown_init(&c, 1), 0);
    EXPECT_EQ(nopal_countdown_wait(&c, NOPAL_FOREVER), ECANCELED);
    EXPECT_THROW(nopal_rethrow(ECANCELED), nopal::stopped);
    const auto body = [](void* n, std::int64_t, std::int64_t) { count(n); };
    int n = 0;
    EXPECT_EQ(nopal_for(0, 10, 1, body, &n), ECANCELED);
    EXPECT_EQ(n, 0);
    EXPECT_EQ(nopal_run(nullptr, [](void*) { nopal::check_stop(); }, nullptr), ECANCELED);
  });
}

TEST(CExceptionsDeathTest, OfAnILetThatNobodyJoinsEndsTheProcess) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        nopal_countdown done;
        nopal_countdown_init(&done, 1);
        nopal_start(nullptr, throws, first, &done);
        nopal_countdown_wait(&done, NOPAL_FOREVER);
      },
      "the first");
}

}  // namespace
