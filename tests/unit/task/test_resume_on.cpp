// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "nopal/nopal.hpp"
#include "support/everywhere.hpp"

namespace {

using nopal::fork;
using nopal::join;
using nopal::resume_on;
using nopal::runtime;
using nopal::task;

task<std::thread::id> thread_of(unsigned worker) {
  co_await resume_on(worker);
  co_return std::this_thread::get_id();
}

TEST(ResumeOn, EachWorkerIsOneThread) {
  for (const bool caller_works : {false, true}) {
    runtime r({.workers = 4, .caller_works = caller_works});
    std::array<std::thread::id, 4> ids;
    for (unsigned i = 0; i < 4; ++i) ids[i] = r.run(thread_of, i);
    for (unsigned i = 0; i < 4; ++i)
      for (unsigned j = 0; j < i; ++j) EXPECT_NE(ids[i], ids[j]);
    for (int repeat = 0; repeat < 200; ++repeat)
      for (unsigned i = 0; i < 4; ++i) ASSERT_EQ(r.run(thread_of, i), ids[i]);
  }
}

TEST(ResumeOn, ASleepingWorkerIsWoken) {
  for (const bool caller_works : {false, true}) {
    using namespace std::chrono_literals;
    runtime r({.workers = 3, .caller_works = caller_works});
    for (unsigned i = 0; i < 9; ++i) {
      std::this_thread::sleep_for(20ms);  // all sleep by now
      r.run(thread_of, i % 3);
    }
  }
}

task<> walk(unsigned workers, unsigned steps, unsigned seed) {
  for (unsigned i = 0; i < steps; ++i) {
    const unsigned next = (seed * 7 + i * 3) % workers;
    co_await resume_on(next);
    EXPECT_EQ(std::this_thread::get_id(), (co_await nopal::call(thread_of, next)));
  }
}

/// What they have forked meanwhile lies on the deques of the workers that they leave.
task<> many_walks(unsigned workers) {
  for (unsigned i = 0; i < 20; ++i) co_await fork(walk, workers, 30U, i);
  co_await join();
}

TEST(ResumeOn, TasksCrossEachOther) {
  for (const bool caller_works : {false, true}) {
    for (const unsigned workers : {1U, 2U, 4U}) {
      runtime r({.workers = workers, .caller_works = caller_works});
      for (int i = 0; i < 20; ++i) r.run(many_walks, workers);
    }
  }
}

TEST(ResumeOn, NoSuchWorker) {
  runtime r({.workers = 2});
  try {
    r.run(thread_of, 2U);
    ADD_FAILURE();
  } catch (const std::out_of_range& e) {
    EXPECT_EQ(std::string(e.what()),
              "nopal: there is no worker 2; this runtime has 2, counted from 0");
  }
}

}  // namespace
