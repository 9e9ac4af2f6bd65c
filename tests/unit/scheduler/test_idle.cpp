// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>

#include "scheduler/idle.hpp"
#include "support/thread_state.hpp"

namespace {

using nopal::detail::idle;

constexpr auto no_reason = [] { return false; };

/// A thread that goes to sleep in a group and says when it has come back. Then it leaves the
/// search, at once or when `may_leave` has become true.
class sleeper {
 public:
  sleeper(idle& i, unsigned group, unsigned worker = 0,
          const std::atomic<bool>* may_leave = nullptr)
      : thread_([this, &i, group, worker, may_leave] {
          i.join_search(group);
          id_ = gettid();
          slept_ = i.sleep(group, worker, no_reason);
          if (may_leave == nullptr) i.leave_search(group);
          back_ = true;
          if (may_leave == nullptr) return;
          may_leave->wait(false);
          i.leave_search(group);
        }) {}
  ~sleeper() { thread_.join(); }

  /// Waits until it sleeps or has come back.
  [[nodiscard]] bool asleep() const {
    while (!back_ && (id_ == 0 || !nopal_test::waits("/proc/self/task/" + std::to_string(id_))))
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return !back_;
  }
  [[nodiscard]] bool slept() {
    while (!back_) std::this_thread::yield();
    return slept_;
  }

 private:
  std::atomic<pid_t> id_{0};
  std::atomic<bool> back_{false};
  std::atomic<bool> slept_{false};
  std::thread thread_;
};

TEST(Idle, TheLastSearcherDoesNotSleepBesideWork) {
  idle i(1);
  i.join_search(0);
  i.join_search(0);
  EXPECT_EQ(i.found_work(0), 0U);
  EXPECT_FALSE(i.sleep(0, 0, no_reason)) << "one works, this one is the only searcher";
}

TEST(Idle, WorkInSightKeepsAwake) {
  idle i(1);
  i.join_search(0);
  bool asked = false;
  EXPECT_FALSE(i.sleep(0, 0, [&] { return asked = true; }));
  EXPECT_TRUE(asked);
}

TEST(Idle, WithAnotherSearcherOneMaySleepBesideWork) {
  idle i(1);
  i.join_search(0);  // the one that finds work
  i.join_search(0);  // the one that keeps searching
  EXPECT_EQ(i.found_work(0), 0U);
  sleeper s(i, 0);
  EXPECT_TRUE(s.asleep());
  i.wake_all();
  EXPECT_TRUE(s.slept());
}

TEST(Idle, TheSearcherThatFindsWorkWakesASuccessor) {
  idle i(1);
  i.join_search(0);
  sleeper s(i, 0);
  EXPECT_TRUE(s.asleep());
  EXPECT_EQ(i.found_work(0), 1U);
  EXPECT_TRUE(s.slept());
}

TEST(Idle, OneIsWokenAtATime) {
  idle i(1);
  i.join_search(0);
  std::atomic<bool> may_leave{false};  // the one that is woken searches for as long as it is false
  sleeper a(i, 0, 0, &may_leave), b(i, 0, 0, &may_leave);
  EXPECT_TRUE(a.asleep());
  EXPECT_TRUE(b.asleep());
  EXPECT_EQ(i.found_work(0), 1U);
  EXPECT_NE(a.asleep(), b.asleep());
  i.wake_all();
  may_leave = true;
  may_leave.notify_all();
}

TEST(Idle, TheLastSearcherToLeaveWakesASuccessor) {
  idle i(1);
  for (int n = 0; n < 3; ++n) i.join_search(0);
  EXPECT_EQ(i.found_work(0), 0U);
  sleeper s(i, 0);
  EXPECT_TRUE(s.asleep());
  EXPECT_EQ(i.leave_search(0), 0U) << "another one searches";
  EXPECT_EQ(i.leave_search(0), 1U);
  EXPECT_TRUE(s.slept());
}

TEST(Idle, ASubmissionToOneWorkerWakesThatOne) {
  idle i(2);
  sleeper a(i, 0, 0), b(i, 0, 1), c(i, 1, 1);
  EXPECT_TRUE(a.asleep() && b.asleep() && c.asleep());
  i.wake_worker(0, 1);
  EXPECT_TRUE(b.slept());
  EXPECT_TRUE(a.asleep() && c.asleep());
  i.wake_all();
}

TEST(Idle, TheLastWorkOfAGroupLetsOtherGroupsSleep) {
  idle i(2);
  for (int n = 0; n < 2; ++n) i.join_search(0);
  i.join_search(1);
  EXPECT_EQ(i.found_work(0), 0U);
  EXPECT_EQ(i.found_work(0), 0U);
  i.lost_work(0);
  EXPECT_FALSE(i.sleep(1, 0, no_reason)) << "one still works in group 0";
  i.lost_work(0);
  i.leave_search(1);
  sleeper s(i, 1);
  EXPECT_TRUE(s.asleep());
  i.wake_all();
}

TEST(Idle, SubmissionWakesOnlyWhereNobodySearches) {
  idle i(1);
  EXPECT_EQ(i.work_submitted(), 0U) << "nobody sleeps";
  sleeper s(i, 0);
  EXPECT_TRUE(s.asleep());
  i.join_search(0);
  EXPECT_EQ(i.work_submitted(), 0U) << "somebody searches";
  i.leave_search(0);
  EXPECT_EQ(i.work_submitted(), 1U);
  EXPECT_TRUE(s.slept());
}

TEST(Idle, TheFirstWorkWakesOneInEachGroup) {
  idle i(3);
  i.join_search(1);
  sleeper in_0(i, 0), in_1(i, 1), in_2(i, 2);
  EXPECT_TRUE(in_0.asleep() && in_1.asleep() && in_2.asleep());
  EXPECT_EQ(i.found_work(1), 3U);
  EXPECT_TRUE(in_0.slept());
  EXPECT_TRUE(in_1.slept());
  EXPECT_TRUE(in_2.slept());
}

TEST(Idle, MoreWorkLeavesOtherGroupsAlone) {
  idle i(2);
  i.join_search(0);
  i.join_search(0);
  i.join_search(0);
  EXPECT_EQ(i.found_work(0), 0U);
  i.join_search(1);  // group 1 has its searcher
  sleeper s(i, 1);
  EXPECT_TRUE(s.asleep());
  EXPECT_EQ(i.found_work(0), 0U);
  EXPECT_TRUE(s.asleep());
  i.wake_all();
}

TEST(Idle, WithoutWorkAnywhereAllMaySleep) {
  idle i(2);
  i.join_search(0);
  EXPECT_EQ(i.found_work(0), 0U);
  i.lost_work(0);
  i.leave_search(0);
  sleeper a(i, 0), b(i, 0), c(i, 1);
  EXPECT_TRUE(a.asleep() && b.asleep() && c.asleep());
  i.wake_all();
}

TEST(IdleGuests, OneThatComesWakesASleeperUnlessThatSleepsInItsStead) {
  idle i(1);
  sleeper first(i, 0, 0);
  EXPECT_TRUE(first.asleep());
  const unsigned n = i.guest_comes(0);
  EXPECT_EQ(n, 0U);
  sleeper second(i, 0, 1);  // one sleeps in the guest's stead, so this one is to search
  EXPECT_FALSE(second.asleep()) << "a guest is here, and nobody else searches";
  EXPECT_TRUE(first.asleep());
  i.guest_goes(n);
  i.wake_all();
  EXPECT_TRUE(first.slept());
}

TEST(IdleGuests, OfTwoSleepersOneIsWoken) {
  idle i(1);
  std::atomic<bool> may_leave{false};
  sleeper first(i, 0, 0, &may_leave), second(i, 0, 1, &may_leave);
  EXPECT_TRUE(first.asleep());
  EXPECT_TRUE(second.asleep());
  const unsigned n = i.guest_comes(0);
  while (first.asleep() && second.asleep()) std::this_thread::yield();
  EXPECT_NE(first.asleep(), second.asleep()) << "one sleeps in the stead of the guest";
  i.guest_goes(n);
  i.wake_all();
  may_leave = true;
  may_leave.notify_all();
}

TEST(IdleGuests, AsManyWorkersSleepBeforeAnybodySteals) {
  idle i(1);
  EXPECT_TRUE(i.may_steal());
  i.join_search(0);
  const unsigned one = i.guest_comes(0);
  EXPECT_FALSE(i.may_steal());
  sleeper in_stead(i, 0);
  EXPECT_TRUE(in_stead.asleep());
  EXPECT_TRUE(i.may_steal());
  const unsigned other = i.guest_comes(one);
  EXPECT_NE(other, one) << "the number is taken";
  EXPECT_EQ(i.guests(), 3U);
  EXPECT_FALSE(i.may_steal());
  i.guest_goes(one);
  EXPECT_TRUE(i.may_steal());
  i.guest_goes(other);
  i.wake_all();
  EXPECT_TRUE(in_stead.slept());
}

TEST(IdleGuests, ASubmissionWakesAWorkerIfNoneIsAwake) {
  idle i(1);
  sleeper only(i, 0);
  EXPECT_TRUE(only.asleep());
  const unsigned n = i.guest_comes(0);
  EXPECT_TRUE(only.asleep()) << "it sleeps in the stead of the guest";
  EXPECT_EQ(i.work_submitted(), 1U);
  EXPECT_TRUE(only.slept());
  i.guest_goes(n);
}

}  // namespace
