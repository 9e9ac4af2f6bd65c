// SPDX-License-Identifier: Apache-2.0
// Wherever nopal takes a function it also takes one that returns a task, and runs that to its end.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <list>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "nopal/algorithm.hpp"
#include "nopal/async.hpp"
#include "nopal/fork_frame.hpp"
#include "nopal/parallel_invoke.hpp"
#include "nopal/runtime.hpp"
#include "nopal/task.hpp"

namespace {

using nopal::task;

task<int> half_sum(int a, int b) { co_return a + b; }
task<int> doubled(int n) {
  int other = 0;
  co_await nopal::fork(&other, half_sum, n, 0);
  co_await nopal::join();
  co_return n + other;
}
task<int> sum(int a, int b) {
  int result = 0;
  co_await nopal::fork(&result, half_sum, a, b);
  co_await nopal::join();
  co_return result;
}
task<> throws(int n) {
  co_await nopal::fork(half_sum, n, n);
  co_await nopal::join();
  if (n % 10 == 7) throw std::runtime_error(std::to_string(n));
}

const std::vector<int> numbers{1, 2, 3, 4, 5, 6, 7, 8, 9, 10};

void every_algorithm() {
  std::vector<int> v(1000, 1);
  nopal::for_each(v, [](int& x) -> task<> { x += co_await doubled(1); });
  EXPECT_EQ(v, std::vector<int>(1000, 3));
  std::list<int> l(100, 1);
  nopal::for_each(nopal::grain{1}, l, [](int& x) -> task<> { x += co_await doubled(1); });
  EXPECT_EQ(l, std::list<int>(100, 3));
  std::atomic<int> indices{0};
  nopal::for_each(0, 100, [&](int i) -> task<> { indices += co_await doubled(i); });
  EXPECT_EQ(indices.load(), 9900);

  std::vector<int> out(numbers.size());
  nopal::map(numbers, out.begin(), doubled);
  EXPECT_EQ(out, (std::vector<int>{2, 4, 6, 8, 10, 12, 14, 16, 18, 20}));
  nopal::map(numbers, numbers, out.begin(), sum);
  EXPECT_EQ(out, (std::vector<int>{2, 4, 6, 8, 10, 12, 14, 16, 18, 20}));
  EXPECT_EQ(nopal::fold(numbers, 1, sum), 56);
  EXPECT_EQ(nopal::fold(nopal::grain{2}, numbers, sum), 55);
  EXPECT_EQ(nopal::fold(numbers, 0, std::plus<>(), doubled), 110);
  nopal::scan(nopal::grain{2}, numbers, out.begin(), sum);
  EXPECT_EQ(out, (std::vector<int>{1, 3, 6, 10, 15, 21, 28, 36, 45, 55}));
  nopal::exclusive_scan(numbers, out.begin(), 0, sum, doubled);
  EXPECT_EQ(out, (std::vector<int>{0, 2, 6, 12, 20, 30, 42, 56, 72, 90}));
}

TEST(coroutine_bodies, algorithms_run_them_on_workers_and_from_outside) {
  for (const bool caller_works : {false, true}) {
    every_algorithm();
    for (unsigned workers : {1U, 3U}) {
      nopal::runtime r({.workers = workers, .caller_works = caller_works});
      r.run(every_algorithm);
    }
  }
}

TEST(coroutine_bodies, algorithms_as_tasks_run_them) {
  const auto all = [] {
    return nopal::tasks::fold(std::views::all(numbers), 0, std::plus<>(), doubled);
  };
  EXPECT_EQ(nopal::run(all), 110);
}

TEST(coroutine_bodies, the_exception_of_the_first_in_order_goes_on) {
  for (const bool caller_works : {false, true}) {
    nopal::runtime r({.workers = 1, .caller_works = caller_works});
    try {
      r.run([] { nopal::for_each(0, 100, throws); });
      FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& e) {
      EXPECT_STREQ(e.what(), "7");
    }
  }
}

TEST(coroutine_bodies, parallel_invoke_runs_closures_that_return_tasks) {
  for (const bool caller_works : {false, true}) {
    const auto all = [] {
      const auto two = nopal::parallel_invoke([] { return doubled(1); }, [] { return doubled(2); });
      EXPECT_EQ(two, std::make_tuple(2, 4));
      const auto mixed = nopal::parallel_invoke(
          [] { return std::string("plain"); }, [] { return doubled(2); }, [] { return sum(1, 2); });
      EXPECT_EQ(mixed, std::make_tuple(std::string("plain"), 4, 3));
      EXPECT_EQ(nopal::parallel_invoke([] { return doubled(4); }), std::make_tuple(8));
      int a = 0;
      int b = 0;
      nopal::parallel_invoke([&]() -> task<> { a = co_await doubled(1); }, [&] { b = 1; });
      EXPECT_EQ(a + b, 3);
    };
    all();
    nopal::runtime r({.workers = 2, .caller_works = caller_works});
    r.run(all);
  }
}

TEST(coroutine_bodies, parallel_invoke_waits_for_the_other_if_a_task_throws) {
  std::atomic<bool> ended{false};
  EXPECT_THROW(nopal::parallel_invoke([] { return throws(7); },
                                      [&]() -> task<> {
                                        co_await doubled(1);
                                        ended = true;
                                      }),
               std::runtime_error);
}

NOPAL_FORKS void frame_of_tasks() {
  int a = 0;
  int b = 0;
  int c = 0;
  const auto held = std::make_unique<int>(5);
  nopal::fork_frame frame;
  frame.fork(&a, doubled, 1);
  frame.fork(&b, sum, 1, 2);
  frame.fork([](int* to, int n) -> task<> { *to = co_await doubled(n); }, &c, *held);
  frame.join();
  EXPECT_EQ(a, 2);
  EXPECT_EQ(b, 3);
  EXPECT_EQ(c, 10);
}

TEST(coroutine_bodies, fork_frame_runs_forked_tasks) {
  for (const bool caller_works : {false, true}) {
    frame_of_tasks();
    nopal::runtime r({.workers = 2, .caller_works = caller_works});
    r.run(frame_of_tasks);
  }
}

TEST(coroutine_bodies, what_is_spawned_runs_them) {
  for (const bool caller_works : {false, true}) {
    std::atomic<int> all{0};
    const auto add = [&](int n) -> task<> { all += co_await doubled(n); };
    {
      nopal::runtime r({.workers = 2, .caller_works = caller_works});
      nopal::task_scope s(r);
      s.spawn(add, 1);
      s.spawn(nopal::near(0), add, 2);
      EXPECT_EQ(s.async(doubled, 3).get(), 6);
      s.join();
      r.spawn_detached(add, 4);
      nopal::claim c = r.claim({});
      c.spawn(add, 5);
      EXPECT_EQ(c.run(doubled, 6), 12);
    }
    EXPECT_EQ(all.load(), 24);
  }
}

}  // namespace
