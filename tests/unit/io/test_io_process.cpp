// SPDX-License-Identifier: Apache-2.0
// fork(2), exit(3), runtimes that end, and signals, while calls wait.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>

#include "nopal/nopal.hpp"
#include "support/build.hpp"
#include "support/child_process.hpp"
#include "support/environment.hpp"
#include "support/io.hpp"

// As in test_fork_process.
extern "C" const char* __tsan_default_options();
extern "C" const char* __tsan_default_options() { return "die_after_fork=0"; }
extern "C" const char* __asan_default_options();
extern "C" const char* __asan_default_options() { return "detect_leaks=0"; }

namespace {

using namespace std::chrono_literals;
using namespace nopal_test;
namespace io = nopal::io;

#define SKIP_WHERE_THE_CHILD_CANNOT_START_THREADS() \
  if (with_tsan || with_emulator)                   \
  GTEST_SKIP() << "neither ThreadSanitizer nor qemu-user supports threads in a child of a process"

bool io_works() {
  const pipe_ends p;
  std::string got;
  nopal::run([&] {
    nopal::parallel_invoke([&] { got = read_text(p.out()); },
                           [&] {
                             io::sleep_for(1ms);
                             nopal::blocking([&] { io::write(p.in(), bytes("hello")); });
                           });
  });
  return got == "hello";
}

TEST_F(Io, TheChildOfForkHasABackendOfItsOwn) {
  SKIP_WHERE_THE_CHILD_CANNOT_START_THREADS();
  ASSERT_TRUE(io_works());
  for (const bool by_exit : {false, true}) {
    const auto p = in_child([] { return io_works() ? 0 : 1; }, by_exit);
    EXPECT_TRUE(p.ok()) << p;
  }
  const auto p = in_child([] { return in_child([] { return io_works() ? 0 : 1; }).ok() ? 0 : 1; });
  EXPECT_TRUE(p.ok()) << p;
  EXPECT_TRUE(io_works()) << "the parent's is as before";
}

TEST_F(Io, AForkWhileCallsWaitLeavesThemToTheParent) {
  SKIP_WHERE_THE_CHILD_CANNOT_START_THREADS();
  on_workers(1, [] {
    const pipe_ends p;
    std::string got;
    nopal::parallel_invoke([&] { got = read_text(p.out()); },
                           [&] {
                             const auto child = in_child([] {
                               // The strand goes on alone, on a thread that is no worker any more.
                               const pipe_ends own;
                               io::write(own.in(), bytes("x"));
                               io::sleep_for(1ms);
                               const bool same = nopal::blocking([] { return true; });
                               return read_text(own.out()) == "x" && same ? 0 : 1;
                             });
                             EXPECT_TRUE(child.ok()) << child;
                             io::write(p.in(), bytes("y"));
                           });
    EXPECT_EQ(got, "y");
  });
}

TEST_F(Io, TheChildOfForkClosesNoDescriptorOfTheProgram) {
  SKIP_WHERE_THE_CHILD_CANNOT_START_THREADS();
  const auto p = in_child([] {
    close_range(3, ~0U, 0);  // as daemons do; the numbers are those of other files then
    const descriptor file(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    std::array<int, 20> same{};
    for (int& s : same) s = ::dup(file);
    const bool works = io_works();
    for (const int s : same) {
      struct ::stat about{};
      if (::fstat(s, &about) != 0 || !S_ISCHR(about.st_mode)) return 1;
      ::close(s);
    }
    return works ? 0 : 1;
  });
  EXPECT_TRUE(p.ok()) << p;
}

TEST_F(Io, ExitWhileCallsWaitOnAThreadOfTheProgram) {
  SKIP_WHERE_THE_CHILD_CANNOT_START_THREADS();
  // Nobody waits for a thread that waits: its call ends with the process. The pipe is never
  // closed: a destructor at exit may come before the thread's call, which would throw then.
  const auto p = in_child(
      [] {
        static const pipe_ends& forever = *new pipe_ends;
        std::thread([] {
          std::array<std::byte, 1> one;
          io::read(forever.out(), one, std::stop_source().get_token());
        }).detach();
        std::this_thread::sleep_for(2ms);
        return 0;
      },
      true);
  EXPECT_TRUE(p.ok()) << p;
}

TEST_F(Io, ExitWaitsForWhatTheDefaultRuntimeRuns) {
  SKIP_WHERE_THE_CHILD_CANNOT_START_THREADS();
  const auto p = in_child(
      [] {
        static std::atomic<bool> begun = false;
        std::thread([] {
          nopal::run([] {
            begun = true;
            io::sleep_for(20ms);
            std::fputs("slept\n", stderr);
          });
        }).detach();
        while (!begun) std::this_thread::yield();
        return 0;
      },
      true);
  EXPECT_TRUE(p.ok()) << p;
  EXPECT_EQ(p.errors, "slept\n");
}

TEST_F(Io, ExitInABlockingFunctionWaitsForNobody) {
  SKIP_WHERE_THE_CHILD_CANNOT_START_THREADS();
  const auto p = in_child([] {
    nopal::run([] { nopal::blocking([] { std::exit(0); }); });
    return 1;
  });
  EXPECT_TRUE(p.ok()) << p;
}

TEST_F(Io, ARuntimeEndsWhenItsCallsHave) {
  auto r = std::make_unique<nopal::runtime>(nopal::options{.workers = 2});
  std::atomic<bool> begun = false;
  std::atomic<bool> slept = false;
  std::jthread caller([&] {
    r->run([&] {
      begun = true;
      io::sleep_for(10ms);
      slept = true;
    });
  });
  while (!begun) std::this_thread::yield();
  r.reset();
  EXPECT_TRUE(slept);
}

TEST_F(Io, AnExceptionBesideACallThatWaitsIsThrownWhenThatHasEnded) {
  on_workers(2, [] {
    std::atomic<bool> ended = false;
    EXPECT_THROW(nopal::parallel_invoke(
                     [&] {
                       io::sleep_for(5ms);
                       ended = true;
                     },
                     [] { throw std::runtime_error("at once"); }),
                 std::runtime_error);
    EXPECT_TRUE(ended);
  });
}

TEST_F(Io, AnExceptionThatIsHandledAroundACallIsStillTheSame) {
  on_workers(2, [] {
    nopal::for_each(nopal::grain{1}, 0, 20, [](int i) {
      try {
        throw std::runtime_error(std::to_string(i));
      } catch (const std::exception&) {
        io::sleep_for(1ms);
        try {
          throw;
        } catch (const std::runtime_error& e) {
          EXPECT_EQ(e.what(), std::to_string(i));
        }
      }
    });
  });
}

/// Makes a system call fail for this process from here on, as containers do.
void refuse_system_call(int number, int error) {
  std::array filter{
      sock_filter BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      sock_filter BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(number), 0, 1),
      sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<unsigned>(error)),
      sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  const sock_fprog program{filter.size(), filter.data()};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
    throw std::system_error(errno, std::system_category(), "seccomp");
}

TEST_F(Io, WhereIoUringIsRefusedThreadsDoItsWork) {
  SKIP_WHERE_THE_CHILD_CANNOT_START_THREADS();
  for (const int error : {EPERM, ENOSYS}) {
    const auto p = in_child([&] {
      refuse_system_call(SYS_io_uring_setup, error);
      return io_works() && !io::stats().ring ? 0 : 1;
    });
    EXPECT_TRUE(p.ok()) << p;
  }
}

/// There is a ring, but the kernel takes nothing from it, as when it is short of memory: first each
/// entry is refused, and then the queue of those that were is full.
TEST_F(Io, WhatTheRingDoesNotTakeThreadsDo) {
  SKIP_WHERE_THE_CHILD_CANNOT_START_THREADS();
  const auto p = in_child([] {
    nopal::runtime r({.workers = 1});
    return r.run([] {
      io::sleep_for(1ms);
      if (!io::stats().ring) return 0;  // `WhereIoUringIsRefusedThreadsDoItsWork`
      refuse_system_call(SYS_io_uring_enter, EAGAIN);
      sockaddr_un at{};
      at.sun_family = AF_UNIX;
      std::snprintf(&at.sun_path[1], sizeof at.sun_path - 1, "nopal.%d", ::getpid());
      const auto* address = reinterpret_cast<const sockaddr*>(&at);
      const descriptor server(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
      if (::bind(server, address, sizeof at) != 0 || ::listen(server, 8) != 0) return 1;
      for (int i = 0; i < 300; ++i) {  // more than the queue has room for
        const descriptor client(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
        int accepted = -1;
        nopal::parallel_invoke([&] { accepted = io::accept(server, SOCK_CLOEXEC); },
                               [&] { io::connect(client, address, sizeof at); });
        ::close(accepted);
      }
      return io::stats().helper_threads != 0 ? 0 : 2;
    });
  });
  EXPECT_TRUE(p.ok()) << p;
}

TEST_F(Io, ADescriptorIsClosedEvenIfNoThreadCanBeStarted) {
  SKIP_WHERE_THE_CHILD_CANNOT_START_THREADS();
  const auto p = in_child([] {
    nopal::runtime r({.workers = 1});
    return r.run([] {
      refuse_system_call(SYS_clone3, EAGAIN);
      refuse_system_call(SYS_clone, EAGAIN);
      const int fd = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
      std::error_code error;
      // Long enough not to be over before it begins, on a machine that is busy.
      nopal::io::sleep_for(10s, error);
      if (error != std::errc::resource_unavailable_try_again) return 1;
      io::close(fd, error);
      return !error && ::fcntl(fd, F_GETFD) == -1 ? 0 : 2;
    });
  });
  EXPECT_TRUE(p.ok()) << p;
}

TEST_F(Io, TheEnvironmentForgoesIoUring) {
  SKIP_WHERE_THE_CHILD_CANNOT_START_THREADS();
  const auto p = in_child([] {
    const environment_variable by_threads("NOPAL_IO", "threads");
    return io_works() && !io::stats().ring ? 0 : 1;
  });
  EXPECT_TRUE(p.ok()) << p;
}

std::atomic<int> signals{0};

/// A thread of the program that waits is disturbed by signals; its calls go on nonetheless.
TEST_F(Io, SignalsBreakNoCallOff) {
  struct sigaction handler{};
  handler.sa_handler = [](int) { ++signals; };
  struct sigaction before{};
  sigaction(SIGUSR1, &handler, &before);
  const pipe_ends p;
  std::atomic<bool> over = false;
  std::string got;
  std::jthread reader([&] {
    got = read_text(p.out());
    io::sleep_for(5ms);
    std::error_code error;
    std::array<std::byte, 1> one;
    io::read(p.out(), one, error, std::chrono::steady_clock::now() + 5ms);
    EXPECT_EQ(error, std::errc::timed_out);
    over = true;
    while (signals < 1000000) std::this_thread::yield();
  });
  for (int i = 0; !over; ++i) {
    pthread_kill(reader.native_handle(), SIGUSR1);
    std::this_thread::sleep_for(100us);
    if (i == 10) io::write(p.in(), bytes("hello"));
  }
  signals = 1000000;
  reader.join();
  EXPECT_EQ(got, "hello");
  sigaction(SIGUSR1, &before, nullptr);
}

}  // namespace
