// SPDX-License-Identifier: Apache-2.0
// Signals that are received like the elements of a channel.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <optional>
#include <stop_token>
#include <string>
#include <system_error>
#include <thread>

#include "nopal/nopal.hpp"
#include "support/child_process.hpp"
#include "support/io.hpp"

namespace {

using namespace std::chrono_literals;
using namespace nopal_test;
namespace io = nopal::io;

/// ThreadSanitizer runs a handler only when the thread next makes a call of the C library that may
/// wait, which a strand may never do. A macro, since a test is skipped where this stands.
#define SKIP_WHERE_HANDLERS_ARE_LATE() \
  if (with_tsan || with_emulator) GTEST_SKIP() << "handlers run late here"

using signal_mask = unsigned long long;

void send(int signal) { ASSERT_EQ(::kill(::getpid(), signal), 0); }

TEST_F(Io, ASignalIsReceivedInEachForm) {
  SKIP_WHERE_HANDLERS_ARE_LATE();
  everywhere([] {
    io::signals set{SIGUSR1, SIGUSR2};
    EXPECT_EQ(set.try_receive(), std::nullopt);
    send(SIGUSR1);
    const int signal = set.receive();
    EXPECT_EQ(signal, SIGUSR1);
    send(SIGUSR2);
    EXPECT_EQ(int{set.receive(100s)}, SIGUSR2);
    std::error_code error = std::make_error_code(std::errc::timed_out);
    send(SIGUSR2);
    EXPECT_EQ(int{set.receive(error, 100s)}, SIGUSR2);
    EXPECT_FALSE(error);
    send(SIGUSR1);
    std::optional<int> got;
    while (!(got = set.try_receive())) std::this_thread::yield();
    EXPECT_EQ(got, SIGUSR1);
    nopal::run([&]() -> nopal::task<> {
      send(SIGUSR1);
      EXPECT_EQ(co_await set.receive(), SIGUSR1);
      send(SIGUSR1);
      EXPECT_EQ(co_await set.receive(error, 100s), SIGUSR1);
    });
  });
}

TEST_F(Io, AWaitForASignalEndsAtItsLimits) {
  SKIP_WHERE_HANDLERS_ARE_LATE();
  everywhere([] {
    io::signals set{SIGUSR1};
    std::error_code error;
    EXPECT_EQ(int{set.receive(error, 1ms)}, 0);
    EXPECT_EQ(error, std::errc::timed_out);
    EXPECT_THROW(set.receive(1ms), std::system_error);
    std::stop_source source;
    source.request_stop();
    EXPECT_THROW(set.receive(source.get_token()), nopal::stopped);
    send(SIGUSR1);
    EXPECT_EQ(int{set.receive()}, SIGUSR1) << "no wait that has ended takes one";
  });
}

TEST_F(Io, AStrandThatWaitsForASignalLeavesItsWorker) {
  SKIP_WHERE_HANDLERS_ARE_LATE();
  on_workers(1, [] {
    io::signals set{SIGUSR1};
    nopal::parallel_invoke([&] { EXPECT_EQ(int{set.receive()}, SIGUSR1); }, [] { send(SIGUSR1); });
  });
}

TEST_F(Io, ASignalIsACaseOfASelect) {
  SKIP_WHERE_HANDLERS_ARE_LATE();
  everywhere([] {
    io::signals set{SIGUSR1};
    nopal::channel<int> ch(1);
    std::optional<int> signal, element;
    ch.send(7);
    EXPECT_EQ(int{nopal::select(set.receiving(signal), ch.receiving(element))}, 1);
    EXPECT_EQ(signal, std::nullopt);
    EXPECT_EQ(element, 7);
    send(SIGUSR1);
    EXPECT_EQ(int{nopal::select(set.receiving(signal), ch.receiving(element))}, 0);
    EXPECT_EQ(signal, SIGUSR1);
    EXPECT_EQ(int{nopal::select(set.receiving(signal), nopal::after(1ms))}, 1);
  });
}

TEST_F(Io, EachSetGetsEachOfItsSignalsOnce) {
  SKIP_WHERE_HANDLERS_ARE_LATE();
  io::signals one{SIGUSR1, SIGUSR1}, two{SIGUSR1, SIGUSR2};
  send(SIGUSR1);
  EXPECT_EQ(int{one.receive()}, SIGUSR1);
  EXPECT_EQ(int{two.receive()}, SIGUSR1);
  send(SIGUSR2);
  EXPECT_EQ(int{two.receive()}, SIGUSR2);
  EXPECT_EQ(one.try_receive(), std::nullopt);
  EXPECT_EQ(two.try_receive(), std::nullopt);
}

std::atomic<int> handled{0};

TEST_F(Io, ASignalDoesAfterwardsWhatItDidBefore) {
  SKIP_WHERE_HANDLERS_ARE_LATE();
  handled = 0;
  struct sigaction own{}, before{};
  own.sa_handler = [](int) { ++handled; };
  ASSERT_EQ(::sigaction(SIGUSR1, &own, &before), 0);
  {
    io::signals set{SIGUSR1};
    {
      const io::signals other{SIGUSR1};
    }
    ::raise(SIGUSR1);
    EXPECT_EQ(int{set.receive()}, SIGUSR1);
  }
  EXPECT_EQ(handled, 0);
  ::raise(SIGUSR1);
  EXPECT_EQ(handled, 1);
  {
    const io::signals set{SIGUSR1};
    ASSERT_EQ(::sigaction(SIGUSR1, &own, nullptr), 0) << "the program changes it meanwhile";
  }
  ::raise(SIGUSR1);
  EXPECT_EQ(handled, 2);
  ::sigaction(SIGUSR1, &before, nullptr);
}

TEST_F(Io, ASignalIsReceivedThatAllThreadsBlock) {
  SKIP_WHERE_HANDLERS_ARE_LATE();
  sigset_t usr1, before;
  ::sigemptyset(&usr1);
  ::sigaddset(&usr1, SIGUSR1);
  ::pthread_sigmask(SIG_BLOCK, &usr1, &before);
  everywhere([&] {  // workers inherit the mask
    io::signals set{SIGUSR1};
    ::pthread_sigmask(SIG_BLOCK, &usr1, nullptr);
    send(SIGUSR1);
    EXPECT_EQ(int{set.receive()}, SIGUSR1);
  });
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

TEST_F(Io, ASignalThatCannotBeReceivedIsRefused) {
  const auto refused = [](int number) {
    try {
      const io::signals set{SIGUSR1, number};
      ADD_FAILURE() << "signal " << number;
    } catch (const std::system_error& e) {
      EXPECT_EQ(e.code(), std::errc::invalid_argument);
      EXPECT_EQ(std::string(e.what()),
                "nopal::io::signals: signal " + std::to_string(number) + ": Invalid argument");
    }
  };
  for (const int number : {SIGKILL, SIGSTOP, SIGSEGV, SIGFPE, 0, -1, 65}) refused(number);
  struct sigaction now{};
  ::sigaction(SIGUSR1, nullptr, &now);
  EXPECT_EQ(now.sa_handler, SIG_DFL) << "what has been taken is given back";
}

TEST_F(Io, ProcessesHaveSignalsAsTheyWere) {
  SKIP_WHERE_HANDLERS_ARE_LATE();
  const io::signals set{SIGTERM};
  EXPECT_EQ(io::run_process({"sh", "-c", "kill -TERM $$; exit 3"}).status.signal, SIGTERM);
  const pid_t child = ::fork();
  if (child == 0) {
    ::raise(SIGTERM);
    ::_exit(3);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGTERM);
}

TEST_F(Io, AChildOfForkReceivesSignalsOfItsOwn) {
  SKIP_WHERE_HANDLERS_ARE_LATE();
  io::signals of_parent{SIGUSR1};
  const pid_t child = ::fork();
  if (child == 0) {
    int got = 0;
    {
      io::signals set{SIGUSR1};
      ::raise(SIGUSR1);
      got = set.receive();
    }
    struct sigaction now{};
    ::sigaction(SIGUSR1, nullptr, &now);
    ::_exit(got == SIGUSR1 && now.sa_handler == SIG_DFL ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(of_parent.try_receive(), std::nullopt);
}

TEST_F(Io, AChildOfForkLosesNoSignalThatOnlyItsParentReceives) {
  SKIP_WHERE_HANDLERS_ARE_LATE();
  const io::signals of_parent{SIGTERM};
  const auto p = in_child([] {
    const io::signals own{SIGUSR1};
    ::raise(SIGTERM);
    return 3;
  });
  EXPECT_FALSE(p.exited);
  EXPECT_EQ(p.status, SIGTERM) << p;
}

/// The thread that takes the signals must neither begin to before they have the handler, nor go on
/// after that: by default they end the process.
TEST_F(Io, ASignalThatAllThreadsBlockEndsNothingWhileItsSetsComeAndGo) {
  SKIP_WHERE_HANDLERS_ARE_LATE();
  for (const bool is_first : {false, true}) {
    const auto p = in_child([is_first] {
      sigset_t all;
      ::sigfillset(&all);
      ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
      std::optional<io::signals> other;
      if (!is_first) other.emplace({SIGUSR2});
      std::atomic<bool> ends = false;
      std::thread sends([&] {
        while (!ends)
          for (const int number : {SIGUSR1, SIGUSR2}) {
            if (number == SIGUSR2 && is_first) continue;
            ::kill(::getpid(), number);
          }
      });
      for (int i = 0; i < 2000; ++i) const io::signals one{SIGUSR1};
      ends = true;
      sends.join();
      return 0;
    });
    EXPECT_TRUE(p.ok()) << p;
  }
}

/// Returns the mask of the thread that takes the signals.
signal_mask mask_of_taker() {
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::string name, line;
    std::getline(std::ifstream(task.path() / "comm") >> std::ws, name);
    if (name != "nopal-signals") continue;
    std::ifstream status(task.path() / "status");
    while (std::getline(status, line))
      if (line.starts_with("SigBlk:")) return std::stoull(line.substr(7), nullptr, 16);
  }
  return 0;
}

TEST_F(Io, TheThreadThatTakesTheSignalsBlocksNoFaults) {
  SKIP_WHERE_HANDLERS_ARE_LATE();
  const auto bit = [](int number) { return signal_mask{1} << (number - 1); };
  io::signals set{SIGUSR1};
  ::raise(SIGUSR1);
  EXPECT_EQ(int{set.receive()}, SIGUSR1);
  signal_mask mask = mask_of_taker();
  for (int i = 0; i < 10000 && (mask & bit(SIGUSR1)) != 0; ++i) {
    std::this_thread::sleep_for(1ms);
    mask = mask_of_taker();
  }
  EXPECT_EQ(mask & bit(SIGUSR1), 0U);
  EXPECT_NE(mask & bit(SIGUSR2), 0U) << "the program's threads run the handlers of other signals";
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) EXPECT_EQ(mask & bit(fault), 0U);
}

TEST_F(Io, ManySignalsAreAllReceivedByManyStrands) {
  SKIP_WHERE_HANDLERS_ARE_LATE();
  on_workers(2, [] {
    io::signals set{SIGUSR1};
    constexpr int rounds = 100;
    nopal::channel<int> received;
    nopal::parallel_invoke(
        [&] {
          for (int i = 0; i < rounds; ++i) {
            send(SIGUSR1);
            std::optional<int> got = received.receive();
            EXPECT_EQ(got, SIGUSR1);
          }
        },
        [&] {
          nopal::for_each(nopal::grain{1}, 0, rounds, [&](int) { received.send(set.receive()); });
        });
  });
}

}  // namespace
