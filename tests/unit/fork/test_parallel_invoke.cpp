// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "nopal/nopal.hpp"
#include "support/build.hpp"
#include "support/everywhere.hpp"

namespace {

using nopal::parallel_invoke;
using nopal::runtime;
using nopal_test::everywhere;
using nopal_test::until;

TEST(ParallelInvoke, OneToEightClosures) {
  everywhere([] {
    std::atomic<unsigned> sum{0};
    const auto add = [&](unsigned n) { return [&sum, n] { sum += n; }; };
    parallel_invoke();
    parallel_invoke(add(1));
    EXPECT_EQ(sum.exchange(0), 1U);
    parallel_invoke(add(1), add(2));
    EXPECT_EQ(sum.exchange(0), 3U);
    parallel_invoke(add(1), add(2), add(4));
    EXPECT_EQ(sum.exchange(0), 7U);
    parallel_invoke(add(1), add(2), add(4), add(8));
    EXPECT_EQ(sum.exchange(0), 15U);
    parallel_invoke(add(1), add(2), add(4), add(8), add(16));
    EXPECT_EQ(sum.exchange(0), 31U);
    parallel_invoke(add(1), add(2), add(4), add(8), add(16), add(32));
    EXPECT_EQ(sum.exchange(0), 63U);
    parallel_invoke(add(1), add(2), add(4), add(8), add(16), add(32), add(64));
    EXPECT_EQ(sum.exchange(0), 127U);
    parallel_invoke(add(1), add(2), add(4), add(8), add(16), add(32), add(64), add(128));
    EXPECT_EQ(sum.exchange(0), 255U);
  });
}

std::atomic<int> function_calls{0};
void a_function() { ++function_calls; }

TEST(ParallelInvoke, WhateverCanBeCalled) {
  everywhere([] {
    int a = 0;
    auto changes_itself = [n = 0, &a]() mutable { a = ++n; };
    const auto constant = [&] {};
    function_calls = 0;
    parallel_invoke(changes_itself, constant, a_function, &a_function, std::as_const(constant));
    EXPECT_EQ(a, 1);
    EXPECT_EQ(function_calls, 2);
    parallel_invoke(changes_itself, a_function);
    EXPECT_EQ(a, 2) << "called where it is, not copied";
  });
}

TEST(ParallelInvoke, InOrderOnOneWorker) {
  for (const bool caller_works : {false, true}) {
    runtime r({.workers = 1, .caller_works = caller_works});
    std::string order;
    r.run([&] {
      parallel_invoke([&] { parallel_invoke([&] { order += 'a'; }, [&] { order += 'b'; }); },
                      [&] { order += 'c'; },
                      [&] {
                        parallel_invoke([&] { order += 'd'; }, [&] { order += 'e'; },
                                        [&] { order += 'f'; });
                      });
    });
    EXPECT_EQ(order, "abcdef");
  }
}

TEST(ParallelInvoke, ABranchIsStolen) {
  for (const bool caller_works : {false, true}) {
    runtime r({.workers = 2, .caller_works = caller_works});
    std::thread::id first, second;
    r.run([&] {
      std::atomic<bool> stolen{false};
      parallel_invoke(
          [&] {
            first = std::this_thread::get_id();
            until(stolen);
          },
          [&] {
            second = std::this_thread::get_id();
            stolen = true;
          });
    });
    EXPECT_NE(first, second);
  }
}

/// Closure number N of eight waits until a thief has begun with the next.
template <std::size_t N>
void invoke_eight_and_steal_after() {
  std::array<std::atomic<unsigned>, 8> begun{};
  std::atomic<bool> stolen{false};
  std::array<std::thread::id, 8> on;
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    parallel_invoke([&] {
      ++begun[I];
      on[I] = std::this_thread::get_id();
      if (I == N) until(stolen);
      if (I == N + 1) stolen = true;
    }...);
  }(std::make_index_sequence<8>{});
  EXPECT_NE(on[N], on[N + 1]);
  for (const auto& times : begun) EXPECT_EQ(times, 1U);
}

TEST(ParallelInvoke, WhatFollowsAnyClosureIsStolen) {
  for (const bool caller_works : {false, true}) {
    runtime r({.workers = 2, .caller_works = caller_works});
    r.run([] {
      [&]<std::size_t... N>(std::index_sequence<N...>) {
        (invoke_eight_and_steal_after<N>(), ...);
      }(std::make_index_sequence<7>{});
    });
  }
}

TEST(ParallelInvokeExceptions, OfTheFirst) {
  everywhere([] {
    EXPECT_THROW(parallel_invoke([] { throw std::runtime_error("1"); }, [] {}), std::runtime_error);
    EXPECT_THROW(parallel_invoke([] {}, [] { throw std::runtime_error("2"); }), std::runtime_error);
    EXPECT_THROW(parallel_invoke([] {}, [] {}, [] { throw std::runtime_error("3"); }),
                 std::runtime_error);
    EXPECT_THROW(parallel_invoke([] { throw std::runtime_error("1"); }), std::runtime_error);
  });
}

TEST(ParallelInvokeExceptions, TheFirstInOrderWins) {
  everywhere([] {
    for (int i = 0; i < 100; ++i) {
      try {
        parallel_invoke([] {}, [] { throw 2; }, [] { throw 3; }, [] { throw 4; });
        FAIL();
      } catch (int which) {
        EXPECT_EQ(which, 2);
      }
    }
  });
}

TEST(ParallelInvokeExceptions, WhatHasNotStartedNeverDoes) {
  for (const bool caller_works : {false, true}) {
    runtime r({.workers = 1, .caller_works = caller_works});
    bool ran = false;
    r.run([&] {
      EXPECT_THROW(parallel_invoke([] { throw 1; }, [&] { ran = true; }, [&] { ran = true; }), int);
    });
    EXPECT_FALSE(ran);
  }
}

TEST(ParallelInvokeExceptions, AStolenBranchIsWaitedFor) {
  for (const bool caller_works : {false, true}) {
    runtime r({.workers = 2, .caller_works = caller_works});
    r.run([] {
      std::atomic<bool> stolen{false};
      std::atomic<bool> ended{false};
      EXPECT_THROW(parallel_invoke(
                       [&] {
                         until(stolen);
                         throw std::logic_error("first");
                       },
                       [&] {
                         stolen = true;
                         std::this_thread::sleep_for(std::chrono::milliseconds(20));
                         ended = true;
                         throw std::runtime_error("second, dropped");
                       }),
                   std::logic_error);
      EXPECT_TRUE(ended);
    });
  }
}

TEST(ParallelInvokeExceptions, OfAStolenBranch) {
  for (const bool caller_works : {false, true}) {
    runtime r({.workers = 2, .caller_works = caller_works});
    r.run([] {
      std::atomic<bool> stolen{false};
      EXPECT_THROW(parallel_invoke([&] { until(stolen); },
                                   [&] {
                                     stolen = true;
                                     throw std::runtime_error("from afar");
                                   }),
                   std::runtime_error);
    });
  }
}

std::string current_message() {
  try {
    std::rethrow_exception(std::current_exception());
  } catch (const std::exception& e) {
    return e.what();
  }
}

TEST(ParallelInvokeExceptions, InsideACatchBlock) {
  everywhere([] {
    for (int i = 0; i < 200; ++i) {
      try {
        throw std::runtime_error("outer");
      } catch (...) {
        parallel_invoke(
            [] {
              EXPECT_EQ(current_message(), "outer");
              try {
                throw std::runtime_error("inner 1");
              } catch (...) {
                parallel_invoke([] {}, [] { EXPECT_EQ(current_message(), "inner 1"); });
                EXPECT_EQ(current_message(), "inner 1");
              }
              EXPECT_EQ(current_message(), "outer");
            },
            [] {
              EXPECT_EQ(current_message(), "outer");
              try {
                throw std::runtime_error("inner 2");
              } catch (...) {
                EXPECT_EQ(current_message(), "inner 2");
              }
            },
            [] { EXPECT_THROW(throw;, std::runtime_error); });
        EXPECT_EQ(current_message(), "outer");
      }
      EXPECT_EQ(std::current_exception(), nullptr);
    }
  });
}

struct forks_while_unwinding {
  std::atomic<int>& count;
  ~forks_while_unwinding() {
    EXPECT_EQ(std::uncaught_exceptions(), 1);
    parallel_invoke([this] { ++count; }, [this] { ++count; });
    EXPECT_EQ(std::uncaught_exceptions(), 1);
  }
};

TEST(ParallelInvokeExceptions, InADestructorThatUnwinds) {
  everywhere([] {
    for (int i = 0; i < 200; ++i) {
      std::atomic<int> count{0};
      try {
        const forks_while_unwinding f{count};
        throw 5;
      } catch (int five) {
        EXPECT_EQ(five, 5);
      }
      EXPECT_EQ(count, 2);
      EXPECT_EQ(std::uncaught_exceptions(), 0);
    }
  });
}

std::uint64_t fib(unsigned n) {
  if (n < 2) return n;
  std::uint64_t a = 0, b = 0;
  parallel_invoke([&] { a = fib(n - 1); }, [&] { b = fib(n - 2); });
  return a + b;
}

TEST(ParallelInvoke, FromThreadsThatAreNoWorkers) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([] { EXPECT_EQ(fib(nopal_test::with_sanitizer ? 12 : 18) % 2, 0U); });
  for (auto& t : threads) t.join();
}

TEST(ParallelInvoke, AcrossRuntimes) {
  for (const bool caller_works : {false, true}) {
    runtime a({.workers = 1, .caller_works = caller_works}), b({.workers = 2});
    std::uint64_t sum = 0;
    a.run([&] {
      std::uint64_t x = 0, y = 0, z = 0;
      parallel_invoke([&] { x = b.run([&] { return a.run(fib, 10U); }); },
                      [&] { y = b.run(fib, 10U); }, [&] { z = fib(10); });
      sum = x + y + z;
    });
    EXPECT_EQ(sum, 3 * 55U);
  }
}

}  // namespace
