// SPDX-License-Identifier: Apache-2.0
// Stops and deadlines: of calls that wait, at every moment of theirs.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <stop_token>
#include <system_error>
#include <thread>

#include "nopal/nopal.hpp"
#include "support/build.hpp"
#include "support/io.hpp"

namespace {

using namespace std::chrono_literals;
using namespace nopal_test;
namespace io = nopal::io;
using clock = std::chrono::steady_clock;

TEST_F(Io, ADeadlineEndsTheWait) {
  everywhere([] {
    const pipe_ends p;
    std::array<std::byte, 1> one;
    std::error_code error;
    const auto begin = clock::now();
    EXPECT_EQ(io::read(p.out(), one, error, begin + 3ms), 0U);
    EXPECT_EQ(error, std::errc::timed_out);
    EXPECT_GE(clock::now() - begin, 3ms);
    io::poll(p.out(), POLLIN, error, begin);
    EXPECT_EQ(error, std::errc::timed_out);
    io::sleep_for(1h, error, begin + 4ms);
    EXPECT_EQ(error, std::errc::timed_out);
    EXPECT_THROW(io::read(p.out(), one, begin), std::system_error);
  });
}

TEST_F(Io, ADeadlineThatHasPassedLetsGoOnWhatNeedNotWait) {
  everywhere([] {
    const pipe_ends p;
    for (const int fd : {p.in(), p.out()})
      if (!pipes_know_nowait()) ::fcntl(fd, F_SETFL, O_NONBLOCK);
    io::write(p.in(), bytes("x"), clock::now() - 1h);
    std::array<std::byte, 1> one;
    EXPECT_EQ(io::read(p.out(), one, clock::now() - 1h), 1U);
  });
}

TEST_F(Io, AStopEndsTheWait) {
  everywhere([] {
    const pipe_ends p;
    std::stop_source source;
    std::jthread other([&] {
      std::this_thread::sleep_for(1ms);
      source.request_stop();
    });
    std::array<std::byte, 1> one;
    std::error_code error;
    io::read(p.out(), one, error, source.get_token());
    EXPECT_EQ(error, std::errc::operation_canceled);
    io::write(p.in(), bytes("x"));
    io::read(p.out(), one, error, source.get_token());
    EXPECT_EQ(error, std::errc::operation_canceled) << "nothing is done after the stop";
    EXPECT_EQ(io::read(p.out(), one), 1U) << "and nothing is lost";
    io::sleep_for(1h, error, source.get_token());
    EXPECT_EQ(error, std::errc::operation_canceled);
  });
}

TEST_F(Io, AStrandStopsAnotherOnOneWorker) {
  on_workers(1, [] {
    const pipe_ends p;
    std::stop_source source;
    std::error_code error;
    std::array<std::byte, 1> one;
    nopal::parallel_invoke([&] { io::read(p.out(), one, error, source.get_token()); },
                           [&] { source.request_stop(); });
    EXPECT_EQ(error, std::errc::operation_canceled);
  });
}

TEST_F(Io, AStopBeforeADeadlineIsAStop) {
  on_workers(1, [] {
    std::stop_source source;
    std::error_code error;
    nopal::parallel_invoke(
        [&] { io::sleep_for(1h, error, {source.get_token(), clock::now() + 1h}); },
        [&] { source.request_stop(); });
    EXPECT_EQ(error, std::errc::operation_canceled);
  });
}

TEST_F(Io, APollForErrorsAloneHasLimitsToo) {
  everywhere([] {
    const pipe_ends p;
    std::error_code error;
    io::poll(p.out(), 0, error, clock::now() + 2ms);
    EXPECT_EQ(error, std::errc::timed_out);
    std::stop_source source;
    std::jthread other([&] {
      std::this_thread::sleep_for(1ms);
      source.request_stop();
    });
    io::poll(p.out(), 0, error, source.get_token());
    EXPECT_EQ(error, std::errc::operation_canceled);
  });
}

TEST_F(Io, APollOfAFileThatHasNoEventsEndsByItsLimits) {
  everywhere([] {
    const descriptor file(::open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
    std::error_code error;
    EXPECT_EQ(io::poll(file, POLLIN, error), POLLIN);
    io::poll(file, POLLPRI, error, clock::now() + 2ms);
    EXPECT_EQ(error, std::errc::timed_out);
  });
}

TEST_F(Io, AConnectionThatIsAcceptedByNobodyTimesOut) {
  on_workers(1, [] {
    const descriptor s(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    ASSERT_EQ(::listen(s, 1), 0);
    std::error_code error;
    EXPECT_EQ(io::accept(s, 0, error, clock::now() + 2ms), -1);
    EXPECT_EQ(error, std::errc::timed_out);
  });
}

std::chrono::microseconds processor_time() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return 1s * (used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
         1us * (used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

/// Workers and io's thread come to rest sooner or later.
void expect_rest() {
  std::chrono::microseconds taken = 1s;
  for (int i = 0; i < 50 && taken >= 10ms; ++i) {
    const auto before = processor_time();
    std::this_thread::sleep_for(100ms);
    taken = processor_time() - before;
  }
  EXPECT_LT(taken, 10ms);
}

TEST_F(Io, NobodyRunsWhenTheLastTimerHasComeOrIsNotNeeded) {
  on_workers(1, [] { io::sleep_for(1ms); });
  expect_rest();
  on_workers(1, [] {
    const pipe_ends p;
    std::array<std::byte, 1> one;
    nopal::parallel_invoke([&] { EXPECT_EQ(io::read(p.out(), one, clock::now() + 50ms), 1U); },
                           [&] { io::write(p.in(), bytes("x")); });
  });
  std::this_thread::sleep_for(60ms);
  expect_rest();
}

/// Whether accept would wait is known only of a socket that does not block.
TEST_F(Io, ADeadlineThatHasPassedLeavesTheConnection) {
  on_workers(1, [] {
    sockaddr_in at{};
    socklen_t size = sizeof at;
    const descriptor s(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    ASSERT_EQ(::listen(s, 1), 0);
    ASSERT_EQ(::getsockname(s, reinterpret_cast<sockaddr*>(&at), &size), 0);
    const descriptor c(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    ASSERT_EQ(::connect(c, reinterpret_cast<const sockaddr*>(&at), size), 0);
    std::error_code error;
    EXPECT_EQ(io::accept(s, SOCK_CLOEXEC, error, clock::now() - 1h), -1);
    EXPECT_EQ(error, std::errc::timed_out);
    ::fcntl(s, F_SETFL, O_NONBLOCK);
    const descriptor accepted(io::accept(s, SOCK_CLOEXEC, error, clock::now() - 1h));
    EXPECT_FALSE(error);
  });
}

/// A byte that is written while the reader is stopped is read, or it is still in the pipe.
TEST_F(Io, AByteIsReadOrStaysWhateverStopsTheReader) {
  on_workers(2, [] {
    const pipe_ends p;
    if (!pipes_know_nowait()) ::fcntl(p.out(), F_SETFL, O_NONBLOCK);
    int got = 0;
    const int rounds = with_sanitizer ? 300 : 3000;
    for (int i = 0; i < rounds; ++i) {
      std::stop_source source;
      std::error_code error;
      std::array<std::byte, 1> one;
      std::size_t n = 0;
      const auto deadline = clock::now() + std::chrono::microseconds(i % 200);
      std::atomic<bool> written = false;
      nopal::parallel_invoke(
          [&] { n = io::read(p.out(), one, error, {source.get_token(), deadline}); },
          [&] {
            if (i % 3 == 0) source.request_stop();
            io::write(p.in(), bytes("x"));
            written = true;
            if (i % 3 == 1) source.request_stop();
          });
      ASSERT_EQ(n == 1, !error);
      if (n == 0) {
        ASSERT_EQ(io::read(p.out(), one, clock::now()), 1U);
      } else {
        ++got;
      }
      ASSERT_EQ(io::poll(p.out(), POLLIN, error, clock::now()), 0);
    }
    EXPECT_GT(got, 0);
  });
}

TEST_F(Io, OneStopEndsAThousandWaits) {
  on_workers(2, [] {
    const pipe_ends p;
    std::stop_source source;
    std::atomic<int> stopped{0};
    std::atomic<int> begun{0};
    constexpr int readers = 1000;
    nopal::parallel_invoke(
        [&] {
          nopal::for_each(nopal::grain{1}, 0, readers, [&](int) {
            std::array<std::byte, 1> one;
            std::error_code error;
            ++begun;
            io::read(p.out(), one, error, source.get_token());
            if (error == std::errc::operation_canceled) ++stopped;
          });
        },
        [&] {
          while (begun < readers) io::sleep_for(100us);
          source.request_stop();
        });
    EXPECT_EQ(stopped, readers);
  });
}

}  // namespace
