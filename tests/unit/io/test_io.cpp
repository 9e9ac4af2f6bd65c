// SPDX-License-Identifier: Apache-2.0
// Each call, on strands, tasks and threads: what it returns, what it throws, and what it leaves.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>

#include "nopal/nopal.hpp"
#include "support/io.hpp"

namespace {

using namespace std::chrono_literals;
using namespace nopal_test;
namespace io = nopal::io;

TEST_F(Io, AStrandReadsWhatAnotherWritesOnOneWorker) {
  on_workers(1, [] {
    const pipe_ends p;
    nopal::parallel_invoke([&] { EXPECT_EQ(read_text(p.out()), "hello"); },
                           [&] { EXPECT_EQ(io::write(p.in(), bytes("hello")), 5U); });
  });
}

TEST_F(Io, AFullPipeIsWrittenWhenSomebodyReads) {
  on_workers(1, [] {
    const pipe_ends p;
    const std::string much(1 << 20, 'x');
    nopal::parallel_invoke(
        [&] {
          std::span<const std::byte> left = bytes(much);
          while (!left.empty()) left = left.subspan(io::write(p.in(), left));
        },
        [&] {
          std::size_t got = 0;
          while (got < much.size()) got += read_text(p.out(), 1 << 16).size();
          EXPECT_EQ(got, much.size());
        });
  });
}

TEST_F(Io, TheEndOfAPipeIsZero) {
  on_workers(2, [] {
    pipe_ends p;
    nopal::parallel_invoke([&] { EXPECT_EQ(read_text(p.out()), ""); },
                           [&] {
                             std::this_thread::sleep_for(1ms);
                             io::close(p.release_in());
                           });
  });
}

TEST_F(Io, ManyReadersOfOnePipeGetEachByteOnce) {
  on_workers(2, [] {
    const pipe_ends p;
    constexpr int readers = 100;
    std::atomic<int> sum{0};
    nopal::parallel_invoke(
        [&] {
          nopal::for_each(nopal::grain{1}, 0, readers, [&](int) {
            std::array<std::byte, 1> one;
            ASSERT_EQ(io::read(p.out(), one), 1U);
            sum += static_cast<int>(one[0]);
          });
        },
        [&] {
          for (int i = 0; i < readers; ++i) {
            const std::array one{static_cast<std::byte>(i)};
            io::write(p.in(), one);
          }
        });
    EXPECT_EQ(sum, readers * (readers - 1) / 2);
  });
}

TEST_F(Io, FilesAreWrittenAndReadAtOffsets) {
  everywhere([] {
    const temporary_folder folder;
    const std::string path = folder.path() + "/file";
    const int fd = io::openat(AT_FDCWD, path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    EXPECT_EQ(io::write(fd, bytes("0123456789")), 10U);
    EXPECT_EQ(io::pwrite(fd, bytes("ab"), 2), 2U);
    io::fsync(fd);
    std::array<char, 3> a{};
    std::array<char, 5> b{};
    const std::array<iovec, 2> parts{iovec{a.data(), a.size()}, iovec{b.data(), b.size()}};
    EXPECT_EQ(io::preadv(fd, parts, 1), 8U);
    EXPECT_EQ(std::string_view(a.data(), 3), "1ab");
    EXPECT_EQ(std::string_view(b.data(), 5), "45678");
    EXPECT_EQ(io::pwritev(fd, parts, 0), 8U);
    EXPECT_EQ(::lseek(fd, 0, SEEK_CUR), 10);
    EXPECT_EQ(::lseek(fd, 0, SEEK_SET), 0);
    EXPECT_EQ(read_text(fd, 4), "1ab4");
    EXPECT_EQ(io::readv(fd, std::span(parts).first(1)), 3U);
    EXPECT_EQ(std::string_view(a.data(), 3), "567");
    EXPECT_EQ(io::writev(fd, std::span(parts).first(1)), 3U);
    struct ::statx s{};
    io::statx(fd, "", AT_EMPTY_PATH, STATX_SIZE, s);
    EXPECT_EQ(s.stx_size, 10U);
    io::close(fd);
    EXPECT_EQ(::fcntl(fd, F_GETFD), -1);
  });
}

TEST_F(Io, ANegativeOffsetIsRefused) {
  everywhere([] {
    const temporary_folder folder;
    const int fd = io::openat(AT_FDCWD, (folder.path() + "/f").c_str(), O_RDWR | O_CREAT, 0600);
    std::array<std::byte, 1> one{};
    std::error_code error;
    EXPECT_EQ(io::pread(fd, one, -1, error), 0U);
    EXPECT_EQ(error, std::errc::invalid_argument);
    EXPECT_EQ(io::pwrite(fd, one, -1, error), 0U);
    EXPECT_EQ(error, std::errc::invalid_argument);
    io::close(fd);
  });
}

TEST_F(Io, AFullDiskIsToldAndLosesNothing) {
  everywhere([] {
    const int fd = io::openat(AT_FDCWD, "/dev/full", O_WRONLY | O_CLOEXEC, 0);
    std::error_code error;
    EXPECT_EQ(io::write(fd, bytes("x"), error), 0U);
    EXPECT_EQ(error, std::errc::no_space_on_device);
    EXPECT_THROW(io::write(fd, bytes("x")), std::system_error);
    io::close(fd);
  });
}

TEST_F(Io, AnErrorNamesTheCallAndItsDescriptorOrPath) {
  everywhere([] {
    const auto text_of = [](auto f) {
      try {
        f();
      } catch (const std::system_error& e) {
        return std::string(e.what());
      }
      return std::string("nothing thrown");
    };
    std::array<std::byte, 1> one{};
    EXPECT_EQ(text_of([&] { io::read(-7, one); }),
              "nopal::io: read on descriptor -7: Bad file descriptor");
    EXPECT_EQ(text_of([&] { io::openat(AT_FDCWD, "/nowhere", O_RDONLY, 0); }),
              "nopal::io: openat of '/nowhere': No such file or directory");
    EXPECT_EQ(text_of([&] { io::openat(-8, "nowhere", O_RDONLY, 0); }),
              "nopal::io: openat of 'nowhere' below descriptor -8: Bad file descriptor");
  });
}

/// Every call but sleep, on a descriptor that is closed.
void refuses_each_call(int fd) {
  std::array<std::byte, 1> one{};
  const std::array<iovec, 1> parts{iovec{one.data(), 1}};
  iovec part = parts[0];
  msghdr message{};  // not empty: qemu-user never looks at the descriptor of an empty one
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  struct ::statx s{};
  sockaddr_in to{};
  to.sin_family = AF_INET;
  const auto refused = [](auto f) {
    std::error_code error;
    f(error);
    EXPECT_EQ(error, std::errc::bad_file_descriptor);
  };
  refused([&](auto& e) { io::read(fd, one, e); });
  refused([&](auto& e) { io::pread(fd, one, 0, e); });
  refused([&](auto& e) { io::readv(fd, parts, e); });
  refused([&](auto& e) { io::preadv(fd, parts, 0, e); });
  refused([&](auto& e) { io::write(fd, one, e); });
  refused([&](auto& e) { io::pwrite(fd, one, 0, e); });
  refused([&](auto& e) { io::writev(fd, parts, e); });
  refused([&](auto& e) { io::pwritev(fd, parts, 0, e); });
  refused([&](auto& e) { io::send(fd, one, 0, e); });
  refused([&](auto& e) { io::recv(fd, one, 0, e); });
  refused([&](auto& e) { io::sendmsg(fd, message, 0, e); });
  refused([&](auto& e) { io::recvmsg(fd, message, 0, e); });
  refused([&](auto& e) { EXPECT_EQ(io::accept(fd, 0, e), -1); });
  refused([&](auto& e) { io::connect(fd, reinterpret_cast<const sockaddr*>(&to), sizeof to, e); });
  refused([&](auto& e) { io::fsync(fd, e); });
  refused([&](auto& e) { io::statx(fd, "x", 0, STATX_SIZE, s, e); });
  refused([&](auto& e) { EXPECT_EQ(io::openat(fd, "x", O_RDONLY, 0, e), -1); });
  refused([&](auto& e) { EXPECT_EQ(io::poll(fd, POLLIN, e), 0); });
  refused([&](auto& e) { io::close(fd, e); });
}

TEST_F(Io, AClosedDescriptorIsAnErrorOfEachCall) {
  everywhere([] {
    for (const int fd : {54321, -1}) refuses_each_call(fd);
  });
}

/// The calling thread neither blocks SIGPIPE nor has one that it has not handled.
void expect_sigpipe_untouched() {
  sigset_t set;
  pthread_sigmask(SIG_SETMASK, nullptr, &set);
  EXPECT_EQ(sigismember(&set, SIGPIPE), 0);
  sigpending(&set);
  EXPECT_EQ(sigismember(&set, SIGPIPE), 0);
}

TEST_F(Io, NobodyGetsSigpipeOnAWorker) {
  on_workers(1, [] {
    const auto breaks = [](auto&& write) {
      std::error_code error;
      write(error);
      EXPECT_EQ(error, std::errc::broken_pipe);
      expect_sigpipe_untouched();
    };
    for (const int flags : {0, O_NONBLOCK}) {
      pipe_ends p;
      ::fcntl(p.in(), F_SETFL, flags);
      io::close(p.release_out());
      breaks([&](auto& e) { io::write(p.in(), bytes("x"), e); });
      const std::string text = "x";
      const iovec part{const_cast<char*>(text.data()), text.size()};
      breaks([&](auto& e) { io::writev(p.in(), std::span(&part, 1), e); });
    }
    std::array<int, 2> ends{};
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
    const descriptor one(ends[0]), other(ends[1]);
    ::shutdown(one, SHUT_WR);
    breaks([&](auto& e) { io::write(one, bytes("x"), e); });
    breaks([&](auto& e) { io::send(one, bytes("x"), 0, e); });
    std::string text = "x";
    iovec part{text.data(), text.size()};
    msghdr message{};  // not empty, for qemu-user
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    breaks([&](auto& e) { io::sendmsg(one, message, 0, e); });
  });
}

TEST_F(Io, NobodyGetsSigpipeByAWriteThatWaits) {
  on_workers(1, [] {
    // A FIFO that was opened by its path has no call that does not wait: a helper thread makes it.
    const temporary_folder folder;
    const std::string path = folder.path() + "/fifo";
    ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
    for (const bool by_path : {false, true}) {
      pipe_ends p;
      int from =
          by_path ? ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC) : p.release_out();
      int to = by_path ? ::open(path.c_str(), O_WRONLY | O_CLOEXEC) : p.release_in();
      const std::string much(std::size_t{1} << 20, 'x');
      nopal::parallel_invoke(
          [&] {
            std::error_code error;
            while (!error) io::write(to, bytes(much), error);
            EXPECT_EQ(error, std::errc::broken_pipe);
          },
          [&] {
            io::sleep_for(2ms);
            io::close(from);
          });
      io::close(to);
      expect_sigpipe_untouched();
      nopal::blocking(expect_sigpipe_untouched);
    }
  });
}

TEST_F(Io, PollTellsWhatHasCome) {
  on_workers(1, [] {
    pipe_ends p;
    EXPECT_EQ(io::poll(p.in(), POLLOUT), POLLOUT);
    nopal::parallel_invoke([&] { EXPECT_EQ(io::poll(p.out(), POLLIN), POLLIN); },
                           [&] { io::write(p.in(), bytes("x")); });
    read_text(p.out(), 1);
    nopal::parallel_invoke([&] { EXPECT_EQ(io::poll(p.out(), 0), POLLHUP); },
                           [&] { io::close(p.release_in()); });
  });
}

TEST_F(Io, AFifoIsOpenWhenBothItsEndsAre) {
  on_workers(1, [] {
    const temporary_folder folder;
    const std::string path = folder.path() + "/fifo";
    ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
    nopal::parallel_invoke(
        [&] {
          const int to = io::openat(AT_FDCWD, path.c_str(), O_WRONLY | O_CLOEXEC, 0);
          EXPECT_EQ(io::write(to, bytes("hello")), 5U);
          io::close(to);
        },
        [&] {
          io::sleep_for(1ms);
          const int from = io::openat(AT_FDCWD, path.c_str(), O_RDONLY | O_CLOEXEC, 0);
          EXPECT_EQ(read_text(from), "hello");
          io::close(from);
        });
  });
}

TEST_F(Io, ATerminalIsWaitedFor) {
  const int opened = posix_openpt(O_RDWR | O_NOCTTY);
  const char* name = opened < 0 || unlockpt(opened) != 0 ? nullptr : ptsname(opened);
  const int other = name == nullptr ? -1 : ::open(name, O_RDWR | O_NOCTTY);
  if (other < 0) {
    const std::string why = std::strerror(errno);
    if (opened >= 0) ::close(opened);
    GTEST_SKIP() << "there is no pseudo-terminal here: " << why;  // in a container, say
  }
  const descriptor terminal(opened), user(other);
  on_workers(1, [&] {
    nopal::parallel_invoke([&] { EXPECT_EQ(read_text(user), "yes\n"); },
                           [&] { io::write(terminal, bytes("yes\n")); });
  });
}

nopal::task<std::string> reads_as_task(int fd) {
  std::array<std::byte, 16> room;
  const std::size_t n = co_await io::async_read(fd, room);
  co_return text(std::span(room).first(n));
}

nopal::task<> writes_as_task(int fd, std::string what) {
  std::error_code error;
  EXPECT_EQ(co_await io::async_write(fd, bytes(what), error), what.size());
  EXPECT_FALSE(error);
}

nopal::task<> both_as_tasks() {
  const pipe_ends p;
  nopal::eventual<std::string> got;
  co_await nopal::fork(&got, reads_as_task, p.out());
  co_await nopal::call(writes_as_task, p.in(), "hello");
  co_await nopal::join();
  EXPECT_EQ(*got, "hello");
}

TEST_F(Io, TasksReadAndWrite) {
  on_workers(1, [] { nopal::wait(both_as_tasks()); });
  on_workers(2, [] { nopal::wait(both_as_tasks()); });
}

nopal::task<> fails_as_task() {
  std::array<std::byte, 1> one{};
  EXPECT_THROW(co_await io::async_read(-1, one), std::system_error);
  std::error_code error;
  co_await io::async_sleep_for(1h, error, std::chrono::steady_clock::now() + 2ms);
  EXPECT_EQ(error, std::errc::timed_out);
  std::stop_source stop;
  stop.request_stop();
  co_await io::async_sleep_for(1h, error, stop.get_token());
  EXPECT_EQ(error, std::errc::operation_canceled);
}

TEST_F(Io, TasksGetErrors) {
  on_workers(1, [] { nopal::wait(fails_as_task()); });
}

TEST_F(Io, SleepsAsLongAsAsked) {
  everywhere([] {
    const auto begin = std::chrono::steady_clock::now();
    io::sleep_for(3ms);
    EXPECT_GE(std::chrono::steady_clock::now() - begin, 3ms);
    io::sleep_until(begin + 5ms);
    EXPECT_GE(std::chrono::steady_clock::now() - begin, 5ms);
    io::sleep_until(begin);
    io::sleep_for(-1h);
  });
}

/// While a worker searches, and the poller's thread rests after many events.
TEST_F(Io, WorkersFindEventsThemselves) {
  const std::uint64_t before = io::stats().looks;
  const auto end = std::chrono::steady_clock::now() + 60s;
  on_workers(2, [&] {
    const std::array<pipe_ends, 32> pipes;
    while (io::stats().looks == before && std::chrono::steady_clock::now() < end) {
      nopal::for_each(nopal::grain{1}, std::size_t{0}, 2 * pipes.size(), [&](std::size_t i) {
        const pipe_ends& p = pipes[i % pipes.size()];
        std::array<std::byte, 1> one{};
        if (i < pipes.size())
          EXPECT_EQ(io::read(p.out(), one), 1U);
        else
          EXPECT_EQ(io::write(p.in(), one), 1U);
      });
    }
  });
  EXPECT_GT(io::stats().looks, before);
}

TEST_F(Io, AStrandThatWaitsAgainAndAgainGivesNothingBack) {
  nopal::runtime r({.workers = 1});
  r.run([] {
    const pipe_ends there;
    const pipe_ends back;
    const auto send_and_wait = [](int to, int from) {
      std::array<std::byte, 1> one{};
      for (int i = 0; i < 1000; ++i) {
        io::write(to, one);
        io::read(from, one);
      }
    };
    nopal::parallel_invoke([&] { send_and_wait(there.in(), back.out()); },
                           [&] { send_and_wait(back.in(), there.out()); });
  });
  EXPECT_LT(r.stats().total.unmaps, 100U);
}

TEST_F(Io, AThousandSleepAtOnceOnOneWorker) {
  on_workers(1, [] {
    const auto begin = std::chrono::steady_clock::now();
    nopal::for_each(nopal::grain{1}, 0, 1000, [](int) { io::sleep_for(20ms); });
    EXPECT_LT(std::chrono::steady_clock::now() - begin, 15s);
  });
}

}  // namespace
