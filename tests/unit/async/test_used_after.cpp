// SPDX-License-Identifier: Apache-2.0
// What is used when it has been moved from, or when its result has been taken, says so.
#include <gtest/gtest.h>

#include <csignal>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "nopal/async.hpp"
#include "nopal/async/claim.hpp"
#include "nopal/nopal.hpp"
#include "support/child_process.hpp"

namespace {

using nopal_test::ended_process;
using nopal_test::in_child;

/// The message of the std::logic_error that f throws; "nothing thrown" if it throws none.
template <class F>
std::string refusal(F f) {
  try {
    f();
  } catch (const std::logic_error& e) {
    return e.what();
  }
  return "nothing thrown";
}

template <class F>
void expect_refusal(F f, const std::string& what) {
  const std::string message = refusal(f);
  EXPECT_NE(message.find("nopal: " + what), std::string::npos) << message;
}

nopal::runtime& two_workers() {
  static nopal::runtime r({.workers = 2});
  return r;
}

const char* const no_result = "a nopal::pending has no result: get() or co_await has taken it";

nopal::task<int> awaits(nopal::pending<int>& p) { co_return co_await p; }

void expect_no_result(nopal::pending<int>& p) {
  EXPECT_FALSE(p.valid());
  expect_refusal([&] { p.get(); }, no_result);
  expect_refusal([&] { static_cast<void>(p.ready()); }, no_result);
  expect_refusal([&] { two_workers().run(awaits, p); }, no_result);
}

TEST(UsedAfter, ResultTaken) {
  nopal::task_scope s(two_workers());
  nopal::pending<int> p = s.async([] { return 1; });
  EXPECT_TRUE(p.valid());
  EXPECT_EQ(p.get(), 1);
  expect_no_result(p);

  p = s.async([] { return 2; });
  EXPECT_TRUE(p.valid());
  EXPECT_EQ(two_workers().run(awaits, p), 2);
  expect_no_result(p);

  p = s.async([]() -> int { throw std::runtime_error("thrown"); });
  EXPECT_THROW(p.get(), std::runtime_error);
  expect_no_result(p);
}

TEST(UsedAfter, ResultsOfOtherTypes) {
  nopal::task_scope s(two_workers());
  nopal::pending<void> nothing = s.async([] {});
  nothing.get();
  expect_refusal([&] { nothing.get(); }, no_result);
  nopal::pending<std::unique_ptr<int>> owner = s.async([] { return std::make_unique<int>(3); });
  EXPECT_EQ(*owner.get(), 3);
  expect_refusal([&] { owner.get(); }, no_result);
  int x = 4;
  nopal::pending<int&> reference = s.async([&]() -> int& { return x; });
  EXPECT_EQ(&reference.get(), &x);
  expect_refusal([&] { reference.get(); }, no_result);
}

TEST(UsedAfter, PendingMovedFrom) {
  nopal::task_scope s(two_workers());
  nopal::pending<int> p = s.async([] { return 1; });
  nopal::pending<int> q = std::move(p);
  expect_no_result(p);  // NOLINT(bugprone-use-after-move)
  nopal::pending<int> r = s.async([] { return 2; });
  r = std::move(q);
  expect_no_result(q);  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(r.get(), 1);
}

TEST(UsedAfter, ClaimMovedFrom) {
  const char* const moved = "a nopal::claim that has been moved from is used";
  nopal::claim from = two_workers().claim({});
  nopal::claim c = std::move(from);
  expect_refusal([&] { from.run([] {}); }, moved);  // NOLINT(bugprone-use-after-move)
  expect_refusal([&] { from.spawn([] {}); }, moved);
  expect_refusal([&] { static_cast<void>(from.workers()); }, moved);
  expect_refusal([&] { from.grow(1); }, moved);
  expect_refusal([&] { from.shrink(1); }, moved);
  expect_refusal([&] { static_cast<void>(from.stats()); }, moved);
  // It ran on the default runtime before.
  expect_refusal([&] { const nopal::task_scope s(from); }, moved);
  EXPECT_EQ(c.run([] { return 1; }), 1);
  from = std::move(c);
  EXPECT_EQ(from.run([] { return 2; }), 2);
  expect_refusal([&] { c.run([] {}); }, moved);  // NOLINT(bugprone-use-after-move)
}

nopal::task<int> one() { co_return 1; }
nopal::task<int> awaits_task(nopal::task<int>& t) { co_return co_await std::move(t); }

TEST(UsedAfter, TaskMovedFrom) {
  const char* const moved = "a nopal::task that has been moved from";
  nopal::task<int> t = one();
  EXPECT_EQ(nopal::wait(std::move(t)), 1);
  expect_refusal([&] { nopal::wait(std::move(t)); }, moved);  // NOLINT(bugprone-use-after-move)
  expect_refusal([&] { two_workers().run(awaits_task, t); }, moved);
}

TEST(UsedAfter, ReducerEndedBeforeASpawnedFunctionUsesIt) {
  const ended_process child = in_child([] {
    nopal::runtime r({.workers = 2});
    nopal::task_scope s(r);
    nopal::countdown ended(1);
    auto sum = std::make_unique<nopal::reducer<nopal::monoid::add<long>>>();
    s.spawn([&ended, &sum = *sum] {
      ended.wait();
      sum += 1;
    });
    // A destructor, and no free memory, in which anything may lie.
    auto* const place = sum.release();
    std::destroy_at(place);
    ended.signal();
    s.join();
    return 0;
  });
  EXPECT_FALSE(child.ok()) << child;
  EXPECT_NE(child.errors.find("nopal: a strand uses a nopal::reducer that has ended"),
            std::string::npos)
      << child;
}

#ifdef NOPAL_CHECK

template <class F>
void expect_end(F f, const std::string& what) {
  const ended_process child = in_child([&] {
    f();
    return 0;
  });
  EXPECT_FALSE(child.exited) << child;
  EXPECT_EQ(child.status, SIGABRT) << child;
  EXPECT_NE(child.errors.find("nopal: " + what), std::string::npos) << child;
}

TEST(UsedAfter, CountdownSignalledTooOften) {
  const char* const too_many = "3 signals for a nopal::countdown that waits for 2";
  expect_end(
      [] {
        nopal::countdown d(2);
        d.signal(3);
      },
      too_many);
  expect_end(
      [] {
        nopal::countdown d(2);
        d.signal(2);
        nopal::runtime r({.workers = 1});  // it ends when the act has been done
        r.run([&] { d.signal_and_end(); });
      },
      "1 signal for a nopal::countdown that waits for 0");
}

TEST(UsedAfter, CountdownOfLessThanNothing) {
  expect_end([] { const nopal::countdown d(-1); },
             "-1 signals are to be added to a nopal::countdown");
  expect_end(
      [] {
        nopal::countdown d;
        d.add(-2);
      },
      "-2 signals are to be added to a nopal::countdown");
  expect_end(
      [] {
        nopal::countdown d(1);
        d.signal(-1);
      },
      "-1 signals are given to a nopal::countdown");
}

TEST(UsedAfter, CountdownThatEndsWhileSomebodyWaits) {
  expect_end(
      [] {
        nopal::runtime r({.workers = 1});
        nopal::task_scope s(r);
        auto d = std::make_unique<nopal::countdown>(1);
        s.spawn([&d = *d] { d.wait(); });
        s.spawn([&] { d.reset(); });
        s.join();
      },
      "a nopal::countdown ends while somebody waits for it");
}

#endif

}  // namespace
