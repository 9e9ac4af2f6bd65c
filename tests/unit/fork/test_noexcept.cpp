// SPDX-License-Identifier: Apache-2.0
// An exception that comes out of nopal into a function that is noexcept: the program ends with a
// message that names the exception.
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstddef>
#include <optional>
#include <source_location>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "nopal/async.hpp"
#include "nopal/async/claim.hpp"
#include "nopal/io.hpp"
#include "nopal/nopal.hpp"
#include "nopal/reducer.hpp"
#include "nopal/stm.hpp"
#include "support/child_process.hpp"

namespace {

using namespace std::chrono_literals;
using nopal_test::ended_process;
using nopal_test::in_child;

[[gnu::noinline]] void throws_later() {
  std::this_thread::sleep_for(2ms);
  throw std::runtime_error("the one to be named");
}
std::string returns_later() {
  throws_later();
  return "never";
}
/// Long enough for another closure to be stolen, and to throw.
std::string returns_when_stolen() {
  std::this_thread::sleep_for(20ms);
  return "a string that does not fit into itself";
}
nopal::task<std::string> task_that_throws() { co_return returns_later(); }

// Each is a function of its own that is noexcept, into which the compiler may inline what it calls.

void invoke() noexcept {
  nopal::parallel_invoke([] { returns_when_stolen(); }, throws_later);
}
void invoke_first() noexcept {
  nopal::parallel_invoke(
      [] {
        returns_when_stolen();
        throws_later();
      },
      [] { returns_when_stolen(); });
}
void invoke_three() noexcept {
  nopal::parallel_invoke([] { returns_when_stolen(); }, throws_later, [] {});
}
void invoke_returning() noexcept {
  auto [a, b] = nopal::parallel_invoke(returns_when_stolen, returns_later);
  ADD_FAILURE() << a << b;
}
void invoke_returning_first() noexcept {
  auto [a, b] = nopal::parallel_invoke(returns_later, returns_when_stolen);
  ADD_FAILURE() << a << b;
}
void invoke_returning_three() noexcept {
  auto [a, b, c] =
      nopal::parallel_invoke(returns_when_stolen, returns_later, [] { return std::string(); });
  ADD_FAILURE() << a << b << c;
}
NOPAL_FORKS void frame() noexcept {
  nopal::fork_frame f;
  f.fork(throws_later);
  returns_when_stolen();
  f.join();
}
NOPAL_FORKS void frame_with_arguments() noexcept {
  nopal::fork_frame f;
  f.fork([](const std::string&, const std::string&) { throws_later(); }, returns_when_stolen(),
         std::string());
  returns_when_stolen();
  f.join();
}
void run() noexcept { ADD_FAILURE() << nopal::run(returns_later); }
void wait() noexcept { ADD_FAILURE() << nopal::wait(task_that_throws()); }
void scope() noexcept {
  nopal::task_scope s;
  s.spawn(throws_later);
  s.join();
}
void result() noexcept {
  nopal::task_scope s;
  ADD_FAILURE() << s.async(returns_later).get();
}
void claim() noexcept {
  nopal::runtime r({.workers = 2});
  nopal::claim c = r.claim({});
  ADD_FAILURE() << c.run(returns_later);
}
void for_each() noexcept {
  std::vector<int> v(10);
  nopal::for_each(nopal::grain{1}, v, [](int) { throws_later(); });
}
void map() noexcept {
  std::vector<std::string> v(10);
  nopal::map(nopal::grain{1}, v, v.begin(), [](const std::string&) { return returns_later(); });
}
void fold() noexcept {
  const std::vector<std::string> v(10);
  ADD_FAILURE() << nopal::fold(
      nopal::grain{1}, v, std::string(),
      [](const std::string&, const std::string&) { return returns_later(); });
}
void scan() noexcept {
  std::vector<std::string> v(10);
  nopal::scan(nopal::grain{1}, v, v.begin(),
              [](const std::string&, const std::string&) { return returns_later(); });
}
void reducer() noexcept {
  nopal::reducer<nopal::monoid::string> r;
  nopal::parallel_invoke([&] { r.update(returns_when_stolen()); },
                         [&] { r.update(returns_later()); });
}
void transaction() noexcept {
  nopal::stm::var<int> v{1};
  ADD_FAILURE() << nopal::stm::atomically([&](nopal::stm::transaction& t) {
    t.set(v, 2);
    return returns_later();
  });
}
void blocking() noexcept { ADD_FAILURE() << nopal::blocking(returns_later); }
void io() noexcept {
  std::vector<std::byte> buffer(1);
  nopal::io::read(-1, buffer);
}

/// Has something to clean up, as most functions that wait.
void limited_wait() noexcept {
  const std::string text(100, 'x');
  nopal::channel<std::string> c(1);
  const std::optional<std::string> got = c.receive(std::chrono::milliseconds(1));
  ADD_FAILURE() << text << got.has_value();
}
void limited_wait_of_scope() noexcept {
  nopal::task_scope s;
  nopal::flag never;
  s.spawn([&] { never.wait(); });
  s.join(std::chrono::milliseconds(1));
}
void limited_get() noexcept {
  nopal::task_scope s;
  nopal::flag never;
  nopal::pending<std::string> p = s.async([&]() -> std::string {
    never.wait();
    return "";
  });
  const std::string got = p.get(std::chrono::milliseconds(1));
  ADD_FAILURE() << got;
}
/// \param f  is noexcept.
template <class F>
void in_stopped_scope(F f) {
  std::stop_source s;
  s.request_stop();
  nopal::with_stop(s.get_token(), f);
}
void wait_in_stopped_scope() noexcept {
  in_stopped_scope([]() noexcept {
    const std::string text(100, 'x');
    nopal::semaphore none(0);
    none.acquire();
    ADD_FAILURE() << text;
  });
}
void select_in_stopped_scope() noexcept {
  in_stopped_scope([]() noexcept {
    std::optional<std::string> text(std::string(100, 'x'));
    nopal::channel<std::string> a(1), b(1);
    const int which = nopal::select(a.receiving(text), b.receiving(text));
    ADD_FAILURE() << which;
  });
}
void pool_in_stopped_scope() noexcept {
  in_stopped_scope([]() noexcept {
    nopal::pool<std::string> p;
    auto out = p.consumer();
    const std::optional<std::string> got = out.wait();
    ADD_FAILURE() << got.has_value();
  });
}
void io_in_stopped_scope() noexcept {
  in_stopped_scope([]() noexcept {
    const std::string text(100, 'x');
    nopal::io::sleep_for(std::chrono::hours(1));
    ADD_FAILURE() << text;
  });
}
void send_in_stopped_scope() noexcept {
  in_stopped_scope([]() noexcept {
    nopal::channel<std::string> c(0);
    c.send("a string that does not fit into itself");
  });
}
void limited_condition() noexcept {
  nopal::mutex m;
  nopal::condition c;
  std::unique_lock held(m);
  c.wait(held, std::chrono::milliseconds(1));
}
void limited_pool() noexcept {
  in_stopped_scope([]() noexcept {
    nopal::pool<std::string> p;
    auto out = p.consumer();
    const std::optional<std::string> got = out.wait_for(std::chrono::hours(1));
    ADD_FAILURE() << got.has_value();
  });
}
void stop() noexcept { nopal::with_stop(std::stop_token(), throws_later); }
void no_stop() noexcept { nopal::without_stop(throws_later); }
void deadline() noexcept { nopal::with_deadline(std::chrono::hours(1), throws_later); }
void once() noexcept {
  nopal::once o;
  o.call(throws_later);
}
void limited_once() noexcept {
  nopal::once o;
  o.call(throws_later, std::chrono::hours(1));
}
void of_worker() noexcept {
  nopal::worker_local<int> each;
  each.with([](int&) { throws_later(); });
}
void checks_stop() noexcept {
  in_stopped_scope([]() noexcept {
    const std::string text(100, 'x');
    nopal::check_stop();
    ADD_FAILURE() << text;
  });
}
void race() noexcept {
  const std::string text(100, 'x');
  ADD_FAILURE() << nopal::first_of(returns_later, returns_later) << text;
}
void errors_stop() noexcept {
  const std::string text(100, 'x');
  nopal::any_error_stops(throws_later, throws_later);
  ADD_FAILURE() << text;
}

void expect_named(void (*f)() noexcept, const std::string& type, const std::string& what,
                  const std::source_location& at = std::source_location::current()) {
  const testing::ScopedTrace called_from(__FILE__, static_cast<int>(at.line()), "");
  for (const char* workers : {"1", "2"})
    for (const bool on_worker : {false, true}) {
      if (f == claim && on_worker) continue;
      const ended_process child = in_child([&] {
        setenv("NOPAL_WORKERS", workers, 1);
        if (on_worker)
          nopal::run(f);
        else
          f();
        return 0;
      });
      EXPECT_FALSE(child.exited) << child;
      EXPECT_EQ(child.status, SIGABRT) << child;
      EXPECT_NE(child.errors.find("terminate called after throwing an instance of '" + type),
                std::string::npos)
          << workers << " workers" << (on_worker ? ", on one: " : ": ") << child;
      EXPECT_NE(child.errors.find("what():  " + what), std::string::npos) << child;
    }
}
void expect_named(void (*f)() noexcept,
                  const std::source_location& at = std::source_location::current()) {
  expect_named(f, "std::runtime_error'", "the one to be named", at);
}

TEST(Noexcept, NamesWhatClosuresThrow) {
  expect_named(invoke);
  expect_named(invoke_first);
  expect_named(invoke_three);
  expect_named(invoke_returning);
  expect_named(invoke_returning_first);
  expect_named(invoke_returning_three);
  expect_named(reducer);
}
TEST(Noexcept, NamesWhatForkedCallsThrow) {
  expect_named(frame);
  expect_named(frame_with_arguments);
}
TEST(Noexcept, NamesWhatRunAndWaitThrow) {
  expect_named(run);
  expect_named(wait);
  expect_named(claim);
}
TEST(Noexcept, NamesWhatSpawnedFunctionsThrow) {
  expect_named(scope);
  expect_named(result);
}
TEST(Noexcept, NamesWhatAlgorithmsThrow) {
  expect_named(for_each);
  expect_named(map);
  expect_named(fold);
  expect_named(scan);
}
TEST(Noexcept, NamesWhatTransactionsThrow) { expect_named(transaction); }
TEST(Noexcept, NamesWhatEndsAWait) {
  const std::string timed_out = "std::system_error'";
  expect_named(limited_wait, timed_out, "");
  expect_named(limited_wait_of_scope, timed_out, "");
  expect_named(limited_get, timed_out, "");
  const std::string stopped = "nopal::stopped'";
  expect_named(wait_in_stopped_scope, stopped, "");
  expect_named(select_in_stopped_scope, stopped, "");
  expect_named(pool_in_stopped_scope, stopped, "");
  expect_named(io_in_stopped_scope, stopped, "");
  expect_named(checks_stop, stopped, "");
  expect_named(send_in_stopped_scope, stopped, "");
  expect_named(limited_condition, timed_out, "");
  expect_named(limited_pool, stopped, "");
}
TEST(Noexcept, NamesWhatFunctionsInScopesThrow) {
  expect_named(race);
  expect_named(errors_stop);
  expect_named(stop);
  expect_named(no_stop);
  expect_named(deadline);
}
TEST(Noexcept, NamesWhatFunctionsThatAreHandedOverThrow) {
  expect_named(once);
  expect_named(limited_once);
  expect_named(of_worker);
}
TEST(Noexcept, NamesWhatTheSystemRefuses) {
  expect_named(blocking);
  expect_named(io, "std::system_error'", "");
}

}  // namespace
