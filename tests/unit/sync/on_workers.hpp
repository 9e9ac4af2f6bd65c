// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <system_error>
#include <thread>
#include <vector>

#include "nopal/parallel_invoke.hpp"
#include "nopal/runtime.hpp"

namespace nopal_test {

/// A deadline that nobody reaches unless something is wrong.
constexpr std::chrono::seconds long_time(120);
/// One that always comes.
constexpr std::chrono::milliseconds short_time(2);

/// Calls f(r) on a worker of a runtime of one worker, and of one of two.
template <class F>
void on_one_and_two_workers(F&& f) {
  for (const unsigned workers : {1U, 2U}) {
    nopal::runtime r({.workers = workers, .caller_works = false});
    r.run([&] { f(r); });
  }
}

/// Calls f() on a worker of runtimes of one and of two workers, and then on `threads` threads that
/// are no workers, at the same time.
template <class F>
void on_workers_and_threads(int threads, F&& f) {
  std::vector<std::thread> others;
  for (int i = 0; i < threads; ++i) others.emplace_back([&f] { f(); });
  on_one_and_two_workers([&f](nopal::runtime&) { f(); });
  for (std::thread& t : others) t.join();
}

/// Calls f(i) for each i from `first` to before `n`, each in a strand of its own. On one worker
/// they begin in this order, each when the one before has ended or is suspended.
template <class F>
void in_strands(int n, F&& f, int first = 0) {
  if (first + 1 >= n) return f(first);
  nopal::parallel_invoke([&] { f(first); }, [&] { in_strands(n, f, first + 1); });
}

/// Waits, on a thread that is no worker, until strands have been suspended that many times.
inline void until_suspended(const nopal::runtime& r, std::size_t times) {
  while (r.stats().total.suspensions < times) std::this_thread::yield();
}

inline bool is_timeout(const std::error_code& e) { return e == std::errc::timed_out; }
inline bool is_stop(const std::error_code& e) { return e == std::errc::operation_canceled; }

}  // namespace nopal_test
