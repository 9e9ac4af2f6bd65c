// SPDX-License-Identifier: Apache-2.0
// Random trees of tasks that go from worker to worker, before a fork, between fork and join, and at
// their end, with delays at every step of every protocol.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

#include "nopal/nopal.hpp"
#include "support/build.hpp"
#include "support/delays.hpp"
#include "support/seed.hpp"
#include "support/watchdog.hpp"

namespace {

using namespace std::chrono_literals;
using nopal::task;
using thread_ids = std::vector<std::thread::id>;  // by worker

task<std::thread::id> thread_of(unsigned worker) {
  co_await nopal::resume_on(worker);
  co_return std::this_thread::get_id();
}

/// The number of tasks below and with this one that have been where they wanted.
task<std::uint64_t> wander(const thread_ids* workers, unsigned depth, std::uint64_t seed) {
  nopal_test::random_numbers random(seed);
  std::uint64_t mine = 1;
  const auto somewhere = [&] { return random.below(static_cast<unsigned>(workers->size())); };
  if (random.one_in(3)) {
    const unsigned there = somewhere();
    co_await nopal::resume_on(there);
    if (std::this_thread::get_id() != (*workers)[there]) mine = 0;
  }
  std::uint64_t left = 0;
  std::uint64_t right = 0;
  if (depth != 0) {
    co_await nopal::fork(&left, wander, workers, depth - 1, random.next());
    if (random.one_in(4)) co_await nopal::resume_on(somewhere());
    co_await nopal::call(&right, wander, workers, depth - 1, random.next());
    if (random.one_in(8)) co_await nopal::resume_on(somewhere());
    co_await nopal::join();
    if (random.one_in(8)) co_await nopal::resume_on(somewhere());
  }
  co_return mine + left + right;
}

class ResumeOn : public testing::TestWithParam<unsigned> {};

TEST_P(ResumeOn, RandomTrees) {
  const std::uint64_t first = nopal_test::seed_or(90000 + 1000 * GetParam());
  constexpr unsigned depth = 8;
  const nopal_test::random_delays delays(first);
  for (const nopal::idle_policy idle : {nopal::idle_policy::lazy, nopal::idle_policy::busy}) {
    nopal::runtime r(
        {.workers = GetParam(), .idle = idle, .seed = first, .caller_works = GetParam() % 2 == 0});
    thread_ids ids;
    for (unsigned i = 0; i < GetParam(); ++i) ids.push_back(r.run(thread_of, i));
    for (std::uint64_t seed = first; seed < first + 1 + 60 / nopal_test::work_divisor; ++seed) {
      const nopal_test::watchdog w(30s, "tasks that go from worker to worker", seed);
      ASSERT_EQ(r.run(wander, &ids, depth, seed), (2U << depth) - 1)
          << GetParam() << " workers, NOPAL_TEST_SEED=" << seed;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Workers, ResumeOn, testing::Values(1U, 2U, 3U, 4U, 8U),
                         testing::PrintToStringParamName());

}  // namespace
