// SPDX-License-Identifier: Apache-2.0
// Processes that are started: what they read and write, how they end, and who ends them.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <stop_token>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "nopal/nopal.hpp"
#include "support/child_process.hpp"
#include "support/io.hpp"

namespace {

using namespace std::chrono_literals;
using namespace nopal_test;
namespace io = nopal::io;

/// Whether every process that this one has started has been reaped.
bool all_are_reaped() { return ::waitpid(-1, nullptr, WNOHANG) == -1 && errno == ECHILD; }

TEST_F(Io, AProcessIsRunInEachForm) {
  const io::arguments script{"sh", "-c", "cat; echo no >&2; exit 3"};
  const auto check = [](const io::process_result& r, std::string_view output) {
    EXPECT_EQ(r.status, (io::exit_status{3, 0}));
    EXPECT_FALSE(r.status.succeeded());
    EXPECT_EQ(r.output, output);
    EXPECT_EQ(r.errors, "no\n");
  };
  everywhere([&] {
    std::error_code error = std::make_error_code(std::errc::timed_out);
    check(io::run_process(script, {.input = "abc"}), "abc");
    check(io::run_process(script), "");
    check(io::run_process(script, 100s), "");
    check(io::run_process(script, {.input = "abc"}, error, 100s), "abc");
    check(io::run_process(script, error), "");
    EXPECT_FALSE(error);
    EXPECT_TRUE(io::run_process({"true"}).status.succeeded());
  });
  EXPECT_TRUE(all_are_reaped());
}

TEST_F(Io, ATaskRunsAProcess) {
  const std::vector<std::string_view> words{"sh", "-c", "cat; echo no >&2; exit 3"};
  everywhere([&] {
    nopal::run([&]() -> nopal::task<> {
      std::error_code error = std::make_error_code(std::errc::timed_out);
      const io::arguments script(words);
      EXPECT_EQ((co_await io::async_run_process(script, {.input = "abc"})).output, "abc");
      EXPECT_EQ((co_await io::async_run_process(script)).status.code, 3);
      EXPECT_EQ((co_await io::async_run_process(script, {.input = "abc"}, error, 100s)).output,
                "abc");
      EXPECT_EQ((co_await io::async_run_process(script, error)).errors, "no\n");
      EXPECT_FALSE(error);
      io::process cat = co_await io::async_start_process({"cat"}, {.input = io::stream::piped});
      cat.close_input();
      EXPECT_TRUE((co_await cat.async_wait()).succeeded());
      io::process sleeps = co_await io::async_start_process({"sleep", "1000"});
      EXPECT_EQ(co_await sleeps.async_wait(error, 1ms), io::exit_status());
      EXPECT_EQ(error, std::errc::timed_out);
      sleeps.signal(SIGTERM);
      EXPECT_EQ((co_await sleeps.async_wait()).signal, SIGTERM);
    });
  });
  EXPECT_TRUE(all_are_reaped());
}

TEST_F(Io, AStopOfTheScopeEndsAProcess) {
  const auto ends = [](auto run) {
    std::stop_source source;
    const std::jthread stops([&] {
      std::this_thread::sleep_for(20ms);
      source.request_stop();
    });
    EXPECT_THROW(nopal::with_stop(source.get_token(), run), nopal::stopped);
  };
  const std::vector<std::string_view> ignores{"sh", "-c", "trap '' TERM; while :; do :; done"};
  everywhere([&] {
    ends([] { io::run_process({"sleep", "1000"}); });
    ends([&] { io::run_process(ignores, {.grace = 20ms}); });
    ends([]() -> nopal::task<> { co_await io::async_run_process({"sleep", "1000"}); });
    ends([&]() -> nopal::task<> { co_await io::async_run_process(ignores, {.grace = 20ms}); });
    ends([] { io::start_process({"sleep", "1000"}).wait(); });
    EXPECT_TRUE(nopal::with_stop({}, [] { return io::run_process({"true"}).status.succeeded(); }));
  });
  EXPECT_TRUE(all_are_reaped());
}

/// A stop that comes after a task has run a process ends what its strand does next.
TEST_F(Io, AStrandWhoseTaskStartsAProcessStaysInItsScope) {
  const auto stays = [](auto&& start) {
    std::stop_source source;
    nopal::with_stop(source.get_token(), [&] {
      const std::stop_token scope = nopal::current_stop_token();
      nopal::run([&]() -> nopal::task<> {
        co_await start();
        EXPECT_TRUE(nopal::current_stop_token() == scope);
      });
      EXPECT_TRUE(nopal::current_stop_token() == scope);
      source.request_stop();
      EXPECT_TRUE(nopal::stop_requested());
    });
  };
  everywhere([&] {
    stays([]() -> nopal::task<> { co_await io::async_run_process({"true"}); });
    stays([]() -> nopal::task<> { co_await io::async_start_process({"true"}); });
  });
  EXPECT_TRUE(all_are_reaped());
}

TEST_F(Io, AStopDoesNotEndTheWaitsOfTheGrace) {
  const std::vector<std::string_view> ignores{"sh", "-c", "trap '' TERM; while :; do :; done"};
  const auto waits = [&](auto&& run) {
    std::stop_source source;
    const std::jthread stops([&] {
      std::this_thread::sleep_for(20ms);
      source.request_stop();
    });
    const std::uint64_t before = io::stats().waits;
    EXPECT_THROW(nopal::with_stop(source.get_token(), run), nopal::stopped);
    return io::stats().waits - before;
  };
  everywhere([&] {
    EXPECT_LT(waits([&] { io::run_process(ignores, {.grace = 20ms}); }), 50U);
    EXPECT_LT(
        waits([&]() -> nopal::task<> { co_await io::async_run_process(ignores, {.grace = 20ms}); }),
        50U);
  });
}

TEST_F(Io, MuchGoesThroughAProcessBothWays) {
  std::string much(1 << 20, '-');
  for (std::size_t i = 0; i < much.size(); i += 7) much[i] = static_cast<char>('a' + i % 26);
  everywhere([&] { EXPECT_TRUE(io::run_process({"cat"}, {.input = much}).output == much); });
}

TEST_F(Io, AProcessMayLeaveItsInput) {
  const std::string much(1 << 20, 'x');
  everywhere([&] { EXPECT_EQ(io::run_process({"true"}, {.input = much}).status.code, 0); });
}

TEST_F(Io, AProgramThatIsNotThereIsNamed) {
  const auto text_of = [](auto&& f) {
    try {
      f();
    } catch (const std::system_error& e) {
      EXPECT_EQ(e.code(), std::errc::no_such_file_or_directory);
      return std::string(e.what());
    }
    return std::string();
  };
  const std::string text = "nopal::io: process '/no/such': No such file or directory";
  everywhere([&] {
    std::error_code error;
    EXPECT_EQ(text_of([] { io::run_process({"/no/such"}); }), text);
    EXPECT_EQ(text_of([] { io::start_process({"/no/such"}); }), text);
    EXPECT_EQ(io::start_process({"/no/such"}, {}, error).id(), 0);
    EXPECT_EQ(error, std::errc::no_such_file_or_directory);
    io::run_process({}, error);
    EXPECT_EQ(error, std::errc::invalid_argument);
  });
  EXPECT_TRUE(all_are_reaped());
}

TEST_F(Io, AProcessIsEndedAtItsDeadline) {
  everywhere([] {
    std::error_code error;
    const io::process_result r = io::run_process({"sleep", "1000"}, error, 2ms);
    EXPECT_EQ(error, std::errc::timed_out);
    EXPECT_EQ(r.status, (io::exit_status{0, SIGTERM}));
    EXPECT_THROW(io::run_process({"yes"}, 2ms), std::system_error) << "it never stops writing";
    nopal::run([&]() -> nopal::task<> {
      co_await io::async_run_process({"sleep", "1000"}, error, 2ms);
      EXPECT_EQ(error, std::errc::timed_out);
    });
    EXPECT_TRUE(all_are_reaped());
  });
}

TEST_F(Io, AProcessThatDoesNotHeedSigtermIsKilledAfterItsGrace) {
  everywhere([] {
    const temporary_folder folder;
    const std::string file = folder.path() + "/ready";
    std::stop_source source;
    std::thread stops([&] {
      while (!std::filesystem::exists(file)) std::this_thread::sleep_for(1ms);
      source.request_stop();
    });
    std::error_code error;
    const io::process_result r =
        io::run_process({"sh", "-c", "trap '' TERM; echo begun; : > \"$0\"; exec sleep 1000", file},
                        {.grace = 5ms}, error, source.get_token());
    stops.join();
    EXPECT_EQ(error, std::errc::operation_canceled);
    EXPECT_EQ(r.status, (io::exit_status{0, SIGKILL}));
    EXPECT_EQ(r.output, "begun\n");
    EXPECT_TRUE(all_are_reaped());
    EXPECT_EQ(io::run_process({"true"}, error, source.get_token()).status, io::exit_status());
    EXPECT_EQ(error, std::errc::operation_canceled);
  });
}

TEST_F(Io, AGraceMayBeEndless) {
  const temporary_folder folder;
  const std::string file = folder.path() + "/ready";
  std::stop_source source;
  std::thread stops([&] {
    while (!std::filesystem::exists(file)) std::this_thread::sleep_for(1ms);
    source.request_stop();
  });
  std::error_code error;
  const io::process_result r = io::run_process(
      {"sh", "-c", "trap 'sleep 0.01; exit 7' TERM; : > \"$0\"; while :; do :; done", file},
      {.grace = std::chrono::milliseconds::max()}, error, source.get_token());
  stops.join();
  EXPECT_EQ(error, std::errc::operation_canceled);
  EXPECT_EQ(r.status, (io::exit_status{7, 0}));
}

/// A process that writes without pause lets no wait be ended by a stop.
TEST_F(Io, AStopOfTheScopeCountsAlthoughNoWaitHasEndedByIt) {
  everywhere([] {
    std::stop_source source;
    std::error_code error;
    nopal::with_stop(source.get_token(), [&] {
      auto sleeps = nopal::detail::child::start({"sleep", "1000"}, {}, error);
      nopal::detail::process_run run(std::move(sleeps), {}, 100s, {});
      source.request_stop();
      run.step({});
      EXPECT_TRUE(run.wait().is_unbroken) << "the process has its grace";
      while (run.goes_on()) {
        std::error_code waited;
        nopal::detail::perform<short>(run.wait(), waited, run.within());
        run.step(waited);
      }
      EXPECT_EQ(run.end(), std::errc::operation_canceled);
      EXPECT_EQ(run.result.status.signal, SIGTERM);
    });
  });
}

TEST_F(Io, AProcessIsTalkedToByPipes) {
  everywhere([] {
    io::process cat =
        io::start_process({"cat"}, {.input = io::stream::piped, .output = io::stream::piped});
    EXPECT_GT(cat.id(), 0);
    EXPECT_EQ(cat.errors(), -1);
    for (const char* word : {"one", "two"}) {
      io::write_all(cat.input(), word);
      EXPECT_EQ(read_text(cat.output()), word);
    }
    std::error_code error;
    EXPECT_EQ(cat.wait(error, 1ms), io::exit_status());
    EXPECT_EQ(error, std::errc::timed_out);
    cat.close_input();
    EXPECT_EQ(io::read_all(cat.output()), "");
    EXPECT_TRUE(cat.wait().succeeded());
    EXPECT_TRUE(cat.wait(error, 1ms).succeeded()) << "the same is told again";
    EXPECT_THROW(cat.signal(SIGTERM), std::system_error);
    EXPECT_TRUE(all_are_reaped());
  });
}

TEST_F(Io, AProcessThatNobodyWaitsForIsKilled) {
  everywhere([] {
    {
      io::process sleeps = io::start_process({"sleep", "1000"});
      io::process other = std::move(sleeps);
      sleeps = io::start_process({"sleep", "1000"});
      other.signal(SIGINT);
      EXPECT_EQ(other.wait().signal, SIGINT);
    }
    EXPECT_TRUE(all_are_reaped());
  });
}

TEST_F(Io, AChildOfForkLeavesTheProcessesOfItsParentAlone) {
  io::process cat =
      io::start_process({"cat"}, {.input = io::stream::piped, .output = io::stream::piped});
  const auto p = in_child([&] {
    io::process there = std::move(cat);
    std::error_code error;
    there.wait(error, 10s);
    if (error != std::errc::no_child_process) return 1;
    try {
      there.signal(SIGKILL);
      return 2;
    } catch (const std::system_error& e) {
      return e.code() == std::errc::no_such_process ? 0 : 3;
    }
  });
  ASSERT_TRUE(p.ok()) << p;
  io::write_all(cat.input(), "there");
  EXPECT_EQ(read_text(cat.output()), "there");
  cat.close_input();
  EXPECT_TRUE(cat.wait().succeeded());
}

TEST_F(Io, AWaitForAProcessThatIsNotThereFailsEachTime) {
  const auto fails = [](io::process& p) {
    std::error_code error;
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(p.wait(error), io::exit_status());
      EXPECT_EQ(error, std::errc::no_child_process);
    }
    EXPECT_THROW(p.wait(), std::system_error);
    nopal::run([&]() -> nopal::task<> {
      EXPECT_EQ(co_await p.async_wait(error), io::exit_status());
      EXPECT_EQ(error, std::errc::no_child_process);
    });
  };
  struct sigaction ignored{}, before{};
  ignored.sa_handler = SIG_IGN;
  ASSERT_EQ(::sigaction(SIGCHLD, &ignored, &before), 0);
  everywhere([&] {
    io::process none;
    fails(none);
    io::process reaped_by_the_system = io::start_process({"true"});
    fails(reaped_by_the_system);
  });
  ::sigaction(SIGCHLD, &before, nullptr);
}

/// A signal that breaks off the question whether a process has ended is no end.
TEST_F(Io, SignalsEndNoWaitForAProcess) {
  struct sigaction own{}, before{};
  own.sa_handler = [](int) {};
  ASSERT_EQ(::sigaction(SIGALRM, &own, &before), 0);
  std::error_code error;
  const auto sleeps = nopal::detail::child::start({"sleep", "1000"}, {}, error);
  ASSERT_FALSE(error);
  const itimerval often{{0, 20}, {0, 20}}, never{};
  ::setitimer(ITIMER_REAL, &often, nullptr);
  bool has_ended = false;
  const auto end = std::chrono::steady_clock::now() + 300ms;
  while (!has_ended && std::chrono::steady_clock::now() < end) has_ended = sleeps.has_ended();
  ::setitimer(ITIMER_REAL, &never, nullptr);
  EXPECT_FALSE(has_ended);
  ::sigaction(SIGALRM, &before, nullptr);
}

TEST_F(Io, AProcessGetsTheDirectoryAndTheEnvironmentThatAreSaid) {
  everywhere([] {
    const std::vector<std::string> environment{"WHAT=this"};
    const io::process_result r = io::run_process({"/bin/sh", "-c", "pwd; echo $WHAT"},
                                                 {.directory = "/", .environment = environment});
    EXPECT_EQ(r.output, "/\nthis\n");
    EXPECT_EQ(io::run_process({"sh", "-c", "echo x; echo y >&2"},
                              {.output = io::stream::discarded, .errors = io::stream::piped})
                  .output,
              "");
  });
}

TEST_F(Io, AProcessGetsNoDescriptorOfOurs) {
  const pipe_ends p;
  everywhere([] {
    const std::string list = io::run_process({"ls", "/proc/self/fd"}).output;
    std::ptrdiff_t inherited = 1;  // that of ls
    for (int fd = 0; fd < 1024; ++fd) {
      const int flags = ::fcntl(fd, F_GETFD);
      inherited += flags >= 0 && (flags & FD_CLOEXEC) == 0 ? 1 : 0;
    }
    EXPECT_EQ(std::count(list.begin(), list.end(), '\n'), inherited) << list;
  });
}

TEST_F(Io, AProcessIsRunWithoutStandardStreams) {
  if (with_tsan || with_emulator)
    GTEST_SKIP() << "a child of a process cannot start threads here, by which it may wait";
  const pid_t child = ::fork();
  if (child == 0) {
    for (const int fd : {0, 1, 2}) ::close(fd);
    const io::process_result r =
        io::run_process({"sh", "-c", "cat; echo no >&2"}, {.input = "abc"});
    ::_exit(r.output == "abc" && r.errors == "no\n" ? 0 : 1);
  }
  int status = -1;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
