// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "nopal/algorithm.hpp"
#include "nopal/async.hpp"
#include "nopal/fork_frame.hpp"
#include "nopal/parallel_invoke.hpp"
#include "nopal/runtime.hpp"
#include "support/build.hpp"
#include "support/child_process.hpp"
#include "support/everywhere.hpp"

namespace {

using nopal::runtime;
using nopal::worker_local;

// Occupies all workers of r, whose callers do not work, at a time: calls f on each.
template <class F>
void on_each_worker(runtime& r, F&& f) {
  std::atomic<unsigned> there{0};
  const unsigned all = r.workers();
  const auto call = [&](const auto& self, unsigned n) -> void {
    if (n > 1) {
      nopal::parallel_invoke([&] { self(self, n / 2); }, [&] { self(self, n - n / 2); });
      return;
    }
    f();
    ++there;
    while (there < all) std::this_thread::yield();
  };
  r.run([&] { call(call, all); });
}

TEST(CurrentWorker, IsTheIndexInTheRuntime) {
  EXPECT_EQ(nopal::current_worker(), std::nullopt);
  runtime one({.workers = 1, .caller_works = false}), four({.workers = 4, .caller_works = false});
  std::mutex mutex;
  std::multiset<unsigned> seen;
  on_each_worker(four, [&] {
    const std::lock_guard lock(mutex);
    seen.insert(nopal::current_worker().value());
  });
  EXPECT_EQ(seen, (std::multiset<unsigned>{0, 1, 2, 3}));
  EXPECT_EQ(one.run(nopal::current_worker), 0U);
  EXPECT_EQ(nopal::current_worker(), std::nullopt);
}

TEST(Workers, AreThoseOfTheRuntimeOfTheCaller) {
  runtime three({.workers = 3});
  EXPECT_EQ(three.run(nopal::workers), 3U);
  nopal::claim one = three.claim({.at_least = 1, .at_most = 1});
  EXPECT_EQ(one.run(nopal::workers), 3U);
}

TEST(Workers, OfTheDefaultRuntimeAreKnownBeforeItStarts) {
  for (const char* wanted : {"5", ""}) {
    const auto end = nopal_test::in_child([wanted] {
      setenv("NOPAL_WORKERS", wanted, 1);
      const unsigned before = nopal::workers();
      if (*wanted != '\0' && before != 5) return 1;
      const unsigned inside = nopal::run(nopal::workers);
      return before == inside && nopal::workers() == inside ? 0 : 2;
    });
    EXPECT_TRUE(end.ok()) << '"' << wanted << "\": " << end;
  }
}

TEST(IsCurrent, SaysOnWhichRuntimeTheCallerRuns) {
  runtime one({.workers = 1}), two({.workers = 2});
  EXPECT_FALSE(one.is_current());
  EXPECT_TRUE(one.run([&] { return one.is_current() && !two.is_current(); }));
  EXPECT_TRUE(
      one.run([&] { return two.run([&] { return two.is_current() && !one.is_current(); }); }));
  nopal::claim part = two.claim({.at_least = 1, .at_most = 1});
  EXPECT_TRUE(part.run([&] { return two.is_current() && !one.is_current(); }));
  EXPECT_FALSE(nopal::run([&] { return one.is_current() || two.is_current(); }));
}

TEST(ThreadNumber, NoTwoLivingThreadsShareOne) {
  runtime four({.workers = 4, .caller_works = false});
  std::mutex mutex;
  std::set<unsigned> seen{nopal::thread_number()};
  const auto add = [&] {
    const std::lock_guard lock(mutex);
    EXPECT_TRUE(seen.insert(nopal::thread_number()).second);
  };
  std::atomic<int> there{0};
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([&] {
        add();
        ++there;
        while (there < 5) std::this_thread::yield();
      });
    on_each_worker(four, add);
    ++there;
  }
  EXPECT_EQ(seen.size(), 9U);
  EXPECT_EQ(nopal::thread_number(), nopal::thread_number());
}

TEST(ThreadNumber, IsUsedAgain) {
  unsigned largest = 0;
  for (int i = 0; i < 50; ++i)
    std::jthread([&] { largest = std::max(largest, nopal::thread_number()); }).join();
  EXPECT_LT(largest, nopal::thread_number() + 50);
}

/// Counts how many there are, and how many strands use one at a time.
struct counted {
  static inline std::atomic<int> alive{0};

  counted() { ++alive; }
  counted(const counted& other) : value(other.value) { ++alive; }
  ~counted() { --alive; }

  void add(std::uint64_t n) {
    EXPECT_EQ(users.fetch_add(1), 0);
    value += n;
    users.fetch_sub(1);
  }

  std::uint64_t value = 0;
  std::atomic<int> users{0};
};

counted sum_of_two(const counted& a, const counted& b) {
  counted c;
  c.value = a.value + b.value;
  return c;
}

TEST(WorkerLocal, IsMadeAtItsFirstUse) {
  {
    worker_local<counted> v;
    EXPECT_EQ(counted::alive, 0);
    EXPECT_FALSE(v.combine(sum_of_two).has_value());
    runtime two({.workers = 2, .caller_works = false});
    for (int i = 0; i < 10; ++i) two.run([&] { v.with([](counted& c) { c.add(1); }); });
    EXPECT_GE(counted::alive, 1);
    EXPECT_LE(counted::alive, 2);
    on_each_worker(two, [&] { v.with([](counted&) {}); });
    EXPECT_EQ(counted::alive, 2);
    EXPECT_EQ(v.combine(sum_of_two)->value, 10U);
  }
  EXPECT_EQ(counted::alive, 0);
}

TEST(WorkerLocal, GuestsHaveTheirOwn) {
  worker_local<counted> v;
  {
    runtime two({.workers = 2});
    const auto add = [&] { v.with([](counted& c) { c.add(1); }); };
    for (int i = 0; i < 10; ++i) two.run(add);
    EXPECT_EQ(counted::alive, 1);
    two.run([&] {
      v.with([&](counted& c) {
        c.add(1);
        std::thread([&] { two.run(add); }).join();  // would wait for this one if they shared it
      });
    });
    EXPECT_EQ(counted::alive, 2);
  }
  EXPECT_EQ(v.combine(sum_of_two)->value, 12U);
}

TEST(WorkerLocal, IsUsedByOneStrandAtATime) {
  constexpr std::uint64_t n = nopal_test::with_sanitizer ? 1000 : 100000;
  nopal_test::everywhere([] {
    worker_local<counted> v;
    std::vector<std::uint64_t> numbers(n);
    std::iota(numbers.begin(), numbers.end(), 0);
    nopal::for_each(nopal::grain{10}, numbers,
                    [&](std::uint64_t i) { v.with([i](counted& c) { c.add(i); }); });
    EXPECT_EQ(v.combine(sum_of_two)->value, n * (n - 1) / 2);
  });
}

TEST(WorkerLocal, HasOneForEachWorkerOfEachRuntime) {
  worker_local<std::set<const void*>> seen;
  std::vector<std::unique_ptr<runtime>> runtimes;
  std::mutex mutex;
  std::set<const void*> all;
  unsigned workers = 0;
  for (const unsigned n : {1U, 3U, 20U}) {  // grows
    workers += n;
    runtimes.push_back(
        std::make_unique<runtime>(nopal::options{.workers = n, .caller_works = false}));
    on_each_worker(*runtimes.back(), [&] {
      seen.with([&](auto& own) {
        own.insert(&own);
        const std::lock_guard lock(mutex);
        all.insert(&own);
      });
    });
    EXPECT_EQ(all.size(), workers);
  }
  // Each still has its own.
  for (const auto& r : runtimes)
    on_each_worker(*r, [&] {
      seen.with([](auto& own) {
        EXPECT_EQ(own.size(), 1U);
        EXPECT_TRUE(own.contains(&own));
      });
    });
  const auto together = seen.combine([](std::set<const void*> a, const std::set<const void*>& b) {
    a.insert(b.begin(), b.end());
    return a;
  });
  EXPECT_EQ(together, all);
}

TEST(WorkerLocal, IsLeftToWorkersThatComeLater) {
  worker_local<counted> v;
  for (int i = 0; i < 20; ++i) {
    runtime two({.workers = 2, .caller_works = false});
    on_each_worker(two, [&] { v.with([](counted& c) { c.add(1); }); });
  }
  EXPECT_EQ(v.combine(sum_of_two)->value, 40U);
  EXPECT_LT(counted::alive, 20) << "other tests' workers may be about to end";
}

TEST(WorkerLocal, ThreadsThatAreNoWorkersShareOneAndTakeTurns) {
  worker_local<counted> v;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 1000; ++i)
        v.with([&](counted& c) {
          c.add(1);
          v.with([&](const counted& same) { EXPECT_EQ(&same, &c); });
        });
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(counted::alive, 1);
  EXPECT_EQ(v.combine(sum_of_two)->value, 4000U);
}

TEST(WorkerLocal, HasLinesOfItsOwn) {
  runtime four({.workers = 4, .caller_works = false});
  worker_local<char> v;
  std::mutex mutex;
  std::vector<std::uintptr_t> places;
  on_each_worker(four, [&] {
    v.with([&](const char& c) {
      const std::lock_guard lock(mutex);
      places.push_back(reinterpret_cast<std::uintptr_t>(&c));
    });
  });
  std::ranges::sort(places);
  for (std::size_t i = 0; i < places.size(); ++i) {
    EXPECT_EQ(places[i] % 128, 0U);
    EXPECT_TRUE(i == 0 || places[i] - places[i - 1] >= 128U);
  }
}

TEST(WorkerLocal, ReturnsWhatTheFunctionReturnsAndThrowsWhatItThrows) {
  nopal_test::everywhere([] {
    nopal::run([] {
      worker_local<int> v([] { return 5; });
      EXPECT_EQ(v.with([](int& x) { return ++x; }), 6);
      int& same = v.with([](int& x) -> int& { return x; });
      EXPECT_EQ(same, 6);
      EXPECT_THROW(v.with([](int&) { throw 1; }), int);
      worker_local<int> inner;
      EXPECT_EQ(v.with([&](int& x) { return inner.with([&](int& y) { return x + y; }); }), 6);
    });
  });
}

TEST(WorkerLocal, HoldsWhatCannotBeMoved) {
  worker_local<std::mutex> mutexes;
  worker_local<std::atomic<int>> made_by_hand([] { return std::atomic<int>(3); });
  mutexes.with([](std::mutex& m) { const std::lock_guard lock(m); });
  EXPECT_EQ(made_by_hand.with([](std::atomic<int>& x) { return x.load(); }), 3);
}

TEST(WorkerLocal, AConstructorThatThrowsLeavesItAsItWas) {
  nopal_test::everywhere([] {
    nopal::run([] {
      int calls = 0;
      worker_local<int> v([&] {
        if (++calls == 1) throw std::runtime_error("not yet");
        return calls;
      });
      EXPECT_THROW(v.with([](int&) {}), std::runtime_error);
      EXPECT_FALSE(v.combine(std::plus<>{}).has_value());
      EXPECT_EQ(v.with([](int& x) { return x; }), 2);
      EXPECT_EQ(v.combine(std::plus<>{}), 2);
    });
  });
}

#ifdef NOPAL_CHECK
NOPAL_FORKS void forks_by_frame() {
  nopal::fork_frame frame;
  frame.fork([] {});
  frame.join();
}

TEST(WorkerLocal, SaysThatItsFunctionForksOrSuspends) {
  if (nopal_test::with_tsan || nopal_test::with_emulator) GTEST_SKIP();
  const auto refused = [](auto f) {
    const auto child = nopal_test::in_child([&] {
      runtime one({.workers = 1});
      one.run([&] {
        worker_local<int> v;
        v.with([&](int&) { f(); });
      });
      return 0;
    });
    EXPECT_FALSE(child.exited) << child;
    EXPECT_NE(child.errors.find("nopal::worker_local::with() called has forked or suspended"),
              std::string::npos)
        << child;
  };
  refused([] { nopal::parallel_invoke([] {}, [] {}); });
  refused([] { forks_by_frame(); });
  refused([] {
    runtime other({.workers = 1});
    other.run([] {});
  });
  refused([] {
    nopal::countdown d(1);
    std::thread signals([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      d.signal();
    });
    d.wait();
    signals.join();
  });
}
#endif

}  // namespace
