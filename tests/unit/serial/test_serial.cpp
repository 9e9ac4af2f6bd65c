// SPDX-License-Identifier: Apache-2.0
// The serial elision. This program is linked without the library.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <coroutine>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <forward_list>
#include <functional>
#include <memory>
#include <nopal/nopal.hpp>
#include <optional>
#include <span>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace {

NOPAL_FORKS int fib(int n) {
  if (n < 2) return n;
  nopal::fork_frame frame;
  int a = 0;
  frame.fork(&a, fib, n - 1);
  const int b = fib(n - 2);
  frame.join();
  return a + b;
}

TEST(Serial, ForkFrame) { EXPECT_EQ(nopal::run(fib, 15), 610); }

TEST(Serial, ParallelInvokeRunsInOrder) {
  std::string order;
  nopal::parallel_invoke([&] { order += 'a'; }, [&] { order += 'b'; }, [&] { order += 'c'; });
  EXPECT_EQ(order, "abc");
  nopal::parallel_invoke();
}

TEST(Serial, ClosuresReturnInOrder) {
  std::string order;
  const auto [a, b, c] = nopal::parallel_invoke(
      [&] { return order += 'a'; }, [&]() -> const std::string& { return order += 'b'; },
      [&] { return std::make_unique<std::string>(order += 'c'); });
  EXPECT_EQ(a, "a");
  EXPECT_EQ(&b, &order);
  EXPECT_EQ(*c, "abc");
}

TEST(Serial, TheFirstExceptionGoesOnAndNothingAfterItRuns) {
  bool ran = false;
  EXPECT_THROW(
      nopal::parallel_invoke([] { throw std::runtime_error("first"); }, [&] { ran = true; }),
      std::runtime_error);
  EXPECT_FALSE(ran);
}

TEST(Serial, ArgumentsAreCopiedAsByAFork) {
  nopal::fork_frame frame;
  int x = 1;
  frame.fork([](int& y) { y = 2; }, std::ref(x));
  EXPECT_EQ(x, 2);
  int r = 0;
  frame.fork(&r, [](std::unique_ptr<int> p) { return *p; }, std::make_unique<int>(7));
  EXPECT_EQ(r, 7);
}

TEST(Serial, Runtime) {
  nopal::runtime r({.workers = 8});
  EXPECT_EQ(r.workers(), 1U);
  EXPECT_EQ(r.run(fib, 10), 55);
  EXPECT_EQ(r.stats().per_worker.size(), 1U);
  EXPECT_EQ(r.stats().total.steals, 0U);
  int x = 0;
  int& same = r.run([&]() -> int& { return x; });
  EXPECT_EQ(&same, &x);
  nopal::runtime from_environment;
  EXPECT_EQ(from_environment.workers(), 1U);
}

TEST(Serial, OptionsFromTheEnvironmentAreTheDefaults) {
  EXPECT_EQ(nopal::options::from_environment().workers, 0U);
  nopal::counts a, b;
  b.steals = 2;
  a += b;
  EXPECT_EQ(a.steals, 2U);
}

TEST(Serial, Algorithms) {
  std::vector<std::string> words(1000, "a");
  std::string order;
  nopal::for_each(nopal::grain{10}, words,
                  [&](std::string& word) { order += word = std::to_string(order.size() % 10); });
  EXPECT_EQ(nopal::fold(words, std::string(), std::plus<>{}), order);
  std::vector<std::size_t> ends(words.size());
  nopal::map(words, ends.begin(), &std::string::size);
  EXPECT_EQ(nopal::scan(nopal::grain{10}, ends, ends.begin(), std::plus<>{}), ends.end());
  EXPECT_EQ(ends.back(), order.size());
  nopal::exclusive_scan(nopal::deterministic, ends, ends.begin(), std::size_t{0}, std::ranges::max);
  EXPECT_EQ(ends.back(), order.size() - 1);
  const std::forward_list<int> list{1, 2, 3};
  EXPECT_EQ(nopal::fold(list, 0, std::plus<>{}), 6);
}

TEST(Serial, Countdown) {
  nopal::countdown d(1);
  d.add(2);
  nopal::parallel_invoke([&] { d.signal(); }, [&] { d.signal_and_end(); });
  EXPECT_FALSE(d.done());
  EXPECT_THROW(d.wait(), std::logic_error);
  const auto awaits = [&]() -> nopal::task<int> {
    co_await d;
    co_return 7;
  };
  EXPECT_THROW(nopal::run(awaits), std::logic_error);
  std::error_code error;
  d.wait(error, std::chrono::milliseconds(1));
  EXPECT_EQ(error, std::errc::timed_out);
  EXPECT_THROW(d.wait(nopal::limits()), std::system_error) << "nobody can end it";
  d.signal();
  EXPECT_TRUE(d.done());
  d.wait();
  d.wait(error, std::chrono::milliseconds(1));
  EXPECT_FALSE(error);
  EXPECT_EQ(nopal::run(awaits), 7);
}

TEST(Serial, LimitsOfWhatHasEnded) {
  std::stop_source stopped;
  stopped.request_stop();
  std::error_code error;
  int x = 1;
  nopal::task_scope s;
  nopal::pending<int&> p = s.async([&]() -> int& { return x; });
  EXPECT_THROW(static_cast<void>(p.get(stopped.get_token())), nopal::stopped);
  p.wait(error, stopped.get_token());
  EXPECT_EQ(error, std::errc::operation_canceled);
  p.wait(error, std::chrono::milliseconds(1));
  EXPECT_FALSE(error);
  int& same = p.get(std::chrono::milliseconds(1));
  EXPECT_EQ(&same, &x);
  EXPECT_THROW(p.wait(), std::logic_error);
  s.spawn([] { throw std::runtime_error("thrown"); });
  s.join(error, stopped.get_token());
  EXPECT_EQ(error, std::errc::operation_canceled);
  EXPECT_THROW(s.join(std::chrono::milliseconds(1)), std::runtime_error) << "it was kept";
  const auto joins = [&]() -> nopal::task<int> {
    co_await s.join();
    nopal::pending<int> q = s.async([] { return 5; });
    co_await q.wait();
    const int five = co_await q.get(std::chrono::milliseconds(1));
    co_return five;
  };
  EXPECT_EQ(nopal::run(joins), 5);
}

TEST(Serial, WorkerLocal) {
  EXPECT_EQ(nopal::current_worker(), 0U);
  nopal::worker_local<int> v([] { return 5; });
  EXPECT_FALSE(v.combine(std::plus<>{}).has_value());
  EXPECT_EQ(v.with([](int& x) { return ++x; }), 6);
  EXPECT_EQ(v.combine(std::plus<>{}), 6);
  nopal::worker_local<std::unique_ptr<int>> made_when_needed;
  EXPECT_TRUE(made_when_needed.with([](std::unique_ptr<int>& p) { return p == nullptr; }));
}

nopal::task<std::size_t> read_as_task(int fd, std::span<std::byte> to) {
  const std::size_t n = co_await nopal::io::async_read(fd, to);
  co_return n + static_cast<std::size_t>(co_await nopal::async_blocking([] { return 1; }));
}

nopal::task<std::string> echo_as_task(std::array<int, 2> ends) {
  std::string got(4, '-');
  co_await nopal::io::async_write_all(ends[1], "text");
  EXPECT_EQ(co_await nopal::io::async_read_all(ends[0], got), 4U);
  co_return got;
}

TEST(Serial, TextIsReadAndWritten) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  EXPECT_EQ(nopal::run(echo_as_task, ends), "text");
  nopal::io::write_all(ends[1], std::string("more"));
  nopal::io::close(ends[1]);
  std::error_code error;
  EXPECT_EQ(nopal::io::read_all(ends[0], error), "more");
  EXPECT_FALSE(error);
  EXPECT_EQ(nopal::io::read_all(ends[0]), "");
  nopal::io::close(ends[0]);
}

nopal::task<std::size_t> count_as_task(std::string path) {
  co_return (co_await nopal::io::async_read_directory(std::move(path))).size();
}

TEST(Serial, ADirectoryIsRead) {
  EXPECT_GT(nopal::run(count_as_task, "/"), 0U);
  EXPECT_FALSE(nopal::io::read_directory("/").empty());
  std::error_code error;
  EXPECT_TRUE(nopal::io::read_directory("/nothing/there", error).empty());
  EXPECT_EQ(error, std::errc::no_such_file_or_directory);
}

nopal::task<std::string> address_as_task(std::string host) {
  co_return (co_await nopal::io::async_resolve(std::move(host), "80")).front().text();
}

TEST(Serial, AnAddressIsResolved) {
  EXPECT_EQ(nopal::run(address_as_task, "127.0.0.1"), "127.0.0.1:80");
  std::error_code error;
  EXPECT_TRUE(nopal::io::resolve("127.0.0.1", "no such service", error).empty());
  EXPECT_EQ(error.category(), nopal::io::resolve_category());
}

nopal::task<std::string> sorted_as_task(std::string text) {
  co_return (co_await nopal::io::async_run_process({"sort"}, {.input = text})).output;
}

TEST(Serial, AProcessIsRun) {
  EXPECT_EQ(nopal::run(sorted_as_task, "b\na\n"), "a\nb\n");
  EXPECT_EQ(nopal::io::run_process({"sh", "-c", "exit 3"}).status.code, 3);
  std::error_code error;
  using std::chrono::milliseconds;
  EXPECT_EQ(nopal::io::run_process({"sleep", "1000"}, error, milliseconds(2)).status.signal,
            SIGTERM);
  EXPECT_EQ(error, std::errc::timed_out);
  ::setenv("NOPAL_IO", "threads", 1);  // as if the kernel had no pidfd
  EXPECT_EQ(nopal::io::run_process({"sleep", "1000"}, error, milliseconds(2)).status.signal,
            SIGTERM);
  EXPECT_TRUE(nopal::io::start_process({"true"}).wait().succeeded());
  ::unsetenv("NOPAL_IO");
}

nopal::task<int> signal_as_task(nopal::io::signals& from) { co_return co_await from.receive(); }

TEST(Serial, SignalsAreReceived) {
  using std::chrono::milliseconds;
  nopal::io::signals set{SIGUSR1, SIGUSR2}, other{SIGUSR2};
  ::raise(SIGUSR1);
  const int signal = set.receive();
  EXPECT_EQ(signal, SIGUSR1);
  std::error_code error;
  EXPECT_EQ(int{set.receive(error, milliseconds(1))}, 0);
  EXPECT_EQ(error, std::errc::timed_out);
  ::raise(SIGUSR2);
  EXPECT_EQ(nopal::run(signal_as_task, std::ref(set)), SIGUSR2);
  std::optional<int> got, element;
  nopal::channel<int> ch(1);
  EXPECT_EQ(int{nopal::select(ch.receiving(element), other.receiving(got))}, 1);
  EXPECT_EQ(got, SIGUSR2);
  EXPECT_EQ(other.try_receive(), std::nullopt);
  EXPECT_THROW((nopal::io::signals{SIGUSR1, SIGKILL}), std::system_error);
}

TEST(Serial, InputAndOutput) {
  using std::chrono::milliseconds;
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  const std::array sent{std::byte{1}, std::byte{2}};
  std::array<std::byte, 4> got{};
  EXPECT_EQ(nopal::io::write(ends[1], sent), 2U);
  EXPECT_EQ(nopal::run(read_as_task, ends[0], got), 3U);
  EXPECT_EQ(got[1], std::byte{2});

  const auto begin = std::chrono::steady_clock::now();
  std::error_code error;
  EXPECT_EQ(nopal::io::read(ends[0], got, error, begin + milliseconds(1)), 0U);
  EXPECT_EQ(error, std::errc::timed_out);
  EXPECT_EQ(nopal::io::poll(ends[0], 0, error, begin + milliseconds(1)), 0);
  EXPECT_EQ(error, std::errc::timed_out);
  nopal::io::sleep_for(std::chrono::hours(1), error, begin + milliseconds(2));
  EXPECT_EQ(error, std::errc::timed_out);
  std::stop_source source;
  source.request_stop();
  EXPECT_THROW(nopal::io::read(ends[0], got, source.get_token()), std::system_error);
  EXPECT_EQ(nopal::blocking([] { return 7; }), 7);
  nopal::io::close(ends[0]);
  nopal::io::close(ends[1]);
}

TEST(Serial, WhatHasNothingLeft) {
  nopal::task_scope scope;
  nopal::pending<int> result = scope.async([] { return 1; });
  EXPECT_TRUE(result.valid());
  EXPECT_EQ(result.get(), 1);
  EXPECT_FALSE(result.valid());
  EXPECT_THROW(result.get(), std::logic_error);
  EXPECT_THROW(static_cast<void>(result.ready()), std::logic_error);
  nopal::pending<int> from = scope.async([] { return 2; });
  result = std::move(from);
  EXPECT_THROW(from.get(), std::logic_error);  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(result.get(), 2);

  nopal::runtime r;
  nopal::claim c = r.claim({});
  nopal::claim d = std::move(c);
  EXPECT_THROW(c.run([] {}), std::logic_error);  // NOLINT(bugprone-use-after-move)
  EXPECT_THROW(static_cast<void>(c.workers()), std::logic_error);
  EXPECT_THROW(c.grow(1), std::logic_error);
  EXPECT_THROW(const nopal::task_scope s(c), std::logic_error);
  EXPECT_EQ(d.run([] { return 3; }), 3);
}

/// An awaitable whose handle a thread resumes or destroys.
struct by_a_thread {
  bool destroys;
  std::thread thread{};

  static bool await_ready() noexcept { return false; }
  void await_suspend(std::coroutine_handle<> h) {
    thread = std::thread([this, h] { destroys ? h.destroy() : h.resume(); });
  }
  static int await_resume() noexcept { return 5; }
  ~by_a_thread() { thread.join(); }
};

nopal::task<int> waits_for_a_thread(bool destroys) {
  by_a_thread other{destroys};
  try {
    co_return co_await other;
  } catch (const nopal::abandoned&) {
    co_return -1;
  }
}

TEST(Serial, ATaskAwaitsWhatIsNotOfNopal) {
  EXPECT_EQ(nopal::wait(waits_for_a_thread(false)), 5);
  EXPECT_EQ(nopal::wait(waits_for_a_thread(true)), -1);
}

TEST(Serial, StartRunsTheTaskAtOnce) {
  const auto half = [](int n) -> nopal::task<int> {
    if (n % 2 != 0) throw std::invalid_argument("odd");
    co_return n / 2;
  };
  int got = 0;
  nopal::start(half(8), [&](nopal::outcome<int> o) { got = *o; });
  EXPECT_EQ(got, 4);
  bool threw = false;
  nopal::start(half(7), [&](nopal::outcome<int> o) -> nopal::task<> {
    threw = !o && o.error() != nullptr;
    co_return;
  });
  EXPECT_TRUE(threw);
  nopal::task<int> moved_from = half(2);
  const nopal::task<int> other = std::move(moved_from);
  EXPECT_THROW(nopal::start(std::move(moved_from), [](nopal::outcome<int>) { FAIL(); }),
               std::logic_error);
}

int halve(int n) {
  if (n % 2 != 0) throw std::invalid_argument("odd");
  return n / 2;
}

nopal::task<> writes_to_places() {
  int plain = 0;
  nopal::try_eventual<int> even, odd;
  nopal::eventual<void> ended;
  nopal::try_eventual<void> nothing;
  nopal::eventual<int&> reference;
  co_await nopal::fork(&plain, nopal::lift, halve, 8);
  co_await nopal::fork(&even, nopal::lift, halve, 6);
  co_await nopal::fork(&odd, nopal::lift, halve, 5);
  co_await nopal::fork(&ended, nopal::lift, [] {});
  co_await nopal::call(&nothing, nopal::lift, [] {});
  co_await nopal::call(&reference, nopal::lift, [](int& n) -> int& { return n; }, std::ref(plain));
  co_await nopal::join();
  EXPECT_EQ(plain, 4);
  EXPECT_EQ(*even, 3);
  EXPECT_FALSE(odd.has_value());
  EXPECT_THROW(odd.take(), std::invalid_argument);
  EXPECT_TRUE(ended.has_value());
  EXPECT_TRUE(nothing.has_value());
  EXPECT_EQ(&*reference, &plain);
  co_await nopal::fork(&odd, nopal::lift, halve, 4);
  co_await nopal::fork(&even, nopal::lift, halve, 7);
  co_await nopal::join();
  EXPECT_EQ(*std::as_const(odd), 2);
  EXPECT_EQ(odd.error(), nullptr);
  EXPECT_FALSE(even.has_value());
  auto [a, b] = co_await nopal::all(nopal::lift(halve, 2), nopal::lift(halve, 4));
  EXPECT_EQ(a + b, 3);
  std::vector<nopal::task<int>> several;
  for (int i = 0; i < 4; ++i) several.push_back(nopal::lift(halve, 2 * i));
  const std::vector<int> halves = co_await nopal::all(std::move(several));
  EXPECT_EQ(halves.at(3), 3);
}

TEST(Serial, TasksWriteToPlaces) { nopal::wait(writes_to_places()); }

}  // namespace
