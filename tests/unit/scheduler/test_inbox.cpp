// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "scheduler/inbox.hpp"
#include "support/build.hpp"

namespace {

using nopal::detail::inbox;
using submission = nopal::detail::continuation;

TEST(Inbox, EmptyAtFirst) {
  inbox in;
  EXPECT_TRUE(in.empty());
  EXPECT_EQ(in.take(), nullptr);
}

TEST(Inbox, FirstInFirstOut) {
  inbox in;
  std::vector<submission> s(5);
  for (auto& x : s) in.put(&x);
  EXPECT_FALSE(in.empty());
  for (std::size_t i = 0; i < s.size(); ++i) {
    EXPECT_EQ(in.take(), &s[i]);
  }
  EXPECT_TRUE(in.empty());
}

TEST(Inbox, ASubmissionCanBePutAgain) {
  inbox in;
  submission a, b;
  for (int i = 0; i < 10; ++i) {
    in.put(&a);
    in.put(&b);
    EXPECT_EQ(in.take(), &a);
    EXPECT_EQ(in.take(), &b);
    EXPECT_EQ(in.take(), nullptr);
  }
}

// With a walk through the list for each take this would take minutes.
TEST(Inbox, TakesManyInLinearTime) {
  std::vector<submission> s(500'000 / nopal_test::work_divisor);
  inbox in;
  for (auto& x : s) in.put(&x);
  for (auto& x : s) ASSERT_EQ(in.take(), &x);
  EXPECT_EQ(in.take(), nullptr);
  EXPECT_TRUE(in.empty());
}

TEST(Inbox, WhatComesLaterComesOutLater) {
  inbox in;
  std::vector<submission> s(6);
  for (int i = 0; i < 3; ++i) in.put(&s[i]);
  EXPECT_EQ(in.take(), &s[0]);
  for (int i = 3; i < 6; ++i) in.put(&s[i]);
  for (int i = 1; i < 6; ++i) EXPECT_EQ(in.take(), &s[i]);
  EXPECT_TRUE(in.empty());
}

TEST(Inbox, AChainIsPutAsOne) {
  inbox in;
  std::vector<submission> s(4);
  in.put(&s[0]);
  s[3].next = &s[2];
  s[2].next = &s[1];
  in.put_chain(&s[3], &s[1]);
  for (auto& x : s) EXPECT_EQ(in.take(), &x);
}

TEST(Inbox, EveryoneGetsWhatOthersDoNot) {
  constexpr unsigned threads = 3;
  constexpr unsigned each = 40000 / nopal_test::work_divisor;
  struct numbered : submission {
    std::atomic<int> taken{0};
  };
  std::vector<numbered> all(threads * each);
  inbox in;
  std::atomic<unsigned> left{threads * each};
  std::vector<std::thread> workers;
  for (unsigned t = 0; t < threads; ++t)
    workers.emplace_back([&, t] {
      for (unsigned i = 0; i < each; ++i) in.put(&all[t * each + i]);
    });
  for (unsigned t = 0; t < threads; ++t)
    workers.emplace_back([&] {
      while (left.load() != 0) {
        if (submission* s = in.take()) {
          static_cast<numbered*>(s)->taken.fetch_add(1);
          left.fetch_sub(1);
        } else {
          std::this_thread::yield();
        }
      }
    });
  for (auto& w : workers) w.join();
  for (auto& n : all) EXPECT_EQ(n.taken.load(), 1);
  EXPECT_TRUE(in.empty());
}

}  // namespace
