// SPDX-License-Identifier: Apache-2.0
// What the stress tests of sync share.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <ostream>
#include <system_error>
#include <thread>

#include "nopal/parallel_invoke.hpp"
#include "nopal/wait/limits.hpp"
#include "runtime/owned_scheduler.hpp"
#include "support/build.hpp"
#include "support/delays.hpp"
#include "support/scheduler_run.hpp"
#include "support/seed.hpp"
#include "support/watchdog.hpp"

namespace nopal_test {

using namespace std::chrono_literals;

/// `all` rounds, or fewer in a build that is to do less.
constexpr unsigned rounds_of(unsigned all) { return 1 + all / work_divisor; }

/// Calls f(seed) on a worker of so many, with delays.
template <class F>
void run_sync(unsigned workers, const char* what, std::uint64_t seed, F&& f) {
  seed = seed_or(seed);
  SCOPED_TRACE(testing::Message() << "NOPAL_TEST_SEED=" << seed);
  const random_delays delays(seed);
  nopal::detail::owned_scheduler s({.workers = workers, .seed = seed, .caller_works = false});
  const watchdog w(60s, what, seed, [&](std::ostream& out) { print_state(out, s); });
  run_in(s, [&] { f(seed); });
  EXPECT_TRUE(frees_all_stacks(s));
}

/// Calls f(i) for each i below n, each in a strand of its own.
template <class F>
void in_strands(unsigned n, F&& f, unsigned first = 0) {
  if (first + 1 >= n) return f(first);
  nopal::parallel_invoke([&] { f(first); }, [&] { in_strands(n, f, first + 1); });
}

inline std::chrono::microseconds moment_below(unsigned n, random_numbers& random) {
  return std::chrono::microseconds(1 + random.below(n));
}

/// None, one that often races with what is waited for, or one that never comes.
inline nopal::limits some_limits(random_numbers& random) {
  if (random.one_in(4)) return {};
  if (random.one_in(4)) return 1h;
  return moment_below(50, random);
}

inline void pass_time(random_numbers& random) {
  if (random.one_in(8))
    std::this_thread::yield();
  else
    for (unsigned n = random.below(500); n != 0; --n) asm volatile("");
}

inline bool is_limit(const std::error_code& e) {
  return e == std::errc::timed_out || e == std::errc::operation_canceled;
}

}  // namespace nopal_test
