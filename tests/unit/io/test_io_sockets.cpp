// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <stop_token>
#include <string>
#include <system_error>
#include <thread>

#include "nopal/nopal.hpp"
#include "support/io.hpp"

namespace {

using namespace std::chrono_literals;
using namespace nopal_test;
namespace io = nopal::io;

struct address {
  sockaddr_storage bytes{};
  socklen_t length = sizeof bytes;

  [[nodiscard]] const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&bytes); }
};

/// Listens on the loopback interface.
descriptor listening(address& at, int flags = 0) {
  descriptor s(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | flags, 0));
  sockaddr_in any{};
  any.sin_family = AF_INET;
  any.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::bind(s, reinterpret_cast<const sockaddr*>(&any), sizeof any) != 0 || ::listen(s, 100) != 0)
    ADD_FAILURE() << std::strerror(errno);
  ::getsockname(s, reinterpret_cast<sockaddr*>(&at.bytes), &at.length);
  return s;
}

void serve_once(int flags) {
  address at;
  const descriptor server = listening(at, flags);
  nopal::parallel_invoke(
      [&] {
        const descriptor c(io::accept(server, SOCK_CLOEXEC | flags));
        std::array<std::byte, 16> room;
        for (std::size_t n; (n = io::recv(c, room, 0)) != 0;)
          EXPECT_EQ(io::send(c, std::span(room).first(n), 0), n);
      },
      [&] {
        const descriptor c(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | flags, 0));
        io::connect(c, at.get(), at.length);
        for (int i = 0; i < 10; ++i) {
          const std::string said = "number " + std::to_string(i);
          EXPECT_EQ(io::send(c, bytes(said), 0), said.size());
          std::array<std::byte, 16> room;
          EXPECT_EQ(text(std::span(room).first(io::recv(c, room, 0))), said);
        }
        ::shutdown(c, SHUT_WR);
        std::array<std::byte, 1> one;
        EXPECT_EQ(io::recv(c, one, 0), 0U);
      });
}

TEST_F(Io, ConnectionsOverLoopback) {
  on_workers(1, [] { serve_once(0); });
  on_workers(2, [] { serve_once(0); });
}

/// Connects, sends a byte, says that it was the last, and waits for the end of the connection.
void ask_once(const address& at) {
  const descriptor c(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const timeval patience{5, 0};
  ::setsockopt(c, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  ASSERT_EQ(::connect(c, at.get(), at.length), 0) << std::strerror(errno);
  char one = 'x';
  EXPECT_EQ(::send(c, &one, 1, 0), 1);
  ::shutdown(c, SHUT_WR);
  ASSERT_EQ(::recv(c, &one, 1, 0), 0)
      << "the other end was closed, and its peer was not told: " << std::strerror(errno);
}

/// The kernel frees a file when the last thread that uses it is back from the kernel, and a thread
/// that waits for events may be one of them.
TEST_F(Io, APeerIsToldAtOnceOfADescriptorThatIsClosed) {
  constexpr int many = 4000;
  address at;
  const descriptor server = listening(at);
  std::thread client([&] {
    for (int i = 0; i < many && !HasFatalFailure(); ++i) ask_once(at);
    ::shutdown(server, SHUT_RDWR);  // ends the accept that waits
  });
  on_workers(2, [&] {
    std::error_code error;
    while (true) {
      const int fd = io::accept(server, SOCK_CLOEXEC, error);
      if (error) break;
      const descriptor c(fd);
      std::array<std::byte, 1> room;
      while (io::recv(c, room, 0, error) != 0) {
      }
    }
  });
  client.join();
}

/// One connection wakes one of them, and the others can still be stopped.
TEST_F(Io, ManyAcceptFromOneSocket) {
  on_workers(2, [] {
    address at;
    const descriptor server = listening(at);
    constexpr int many = 50;
    std::stop_source stop;
    std::atomic<int> accepted = 0, stopped = 0;
    nopal::parallel_invoke(
        [&] {
          nopal::for_each(nopal::grain{1}, 0, many, [&](int) {
            std::error_code error;
            const int c = io::accept(server, SOCK_CLOEXEC, error, stop.get_token());
            if (c >= 0) ::close(c);
            ++(c >= 0 ? accepted : stopped);
          });
        },
        [&] {
          for (int i = 1; i <= 10; ++i) {
            const descriptor c(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
            io::connect(c, at.get(), at.length);
            while (accepted < i) io::sleep_for(1ms);
          }
          stop.request_stop();
        });
    EXPECT_EQ(accepted, 10);
    EXPECT_EQ(stopped, many - 10);
  });
}

/// A server that has always had to wait asks for events without an attempt. It must find what has
/// come before, the end of the connection, and the errors.
TEST_F(Io, ExpectedWaitsFindDataThatIsThere) {
  on_workers(1, [] {
    std::array<int, 2> ends;
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
    const descriptor server(ends[0]);
    const descriptor client(ends[1]);
    std::array<std::byte, 1> one;
    for (int i = 0; i < 40; ++i) {  // with several attempts and expected waits among them
      const std::uint64_t waits = io::stats().waits;
      nopal::parallel_invoke([&] { EXPECT_EQ(io::recv(server, one, 0), 1U); },
                             [&] { EXPECT_EQ(::send(client, "x", 1, 0), 1); });
      EXPECT_EQ(io::stats().waits, waits + 1);
    }
    constexpr int there = 40;
    const std::uint64_t waits = io::stats().waits;
    EXPECT_EQ(::send(client, std::string(there, 'y').data(), there, 0), there);
    for (int i = 0; i < there; ++i) EXPECT_EQ(io::recv(server, one, 0), 1U);
    EXPECT_LE(io::stats().waits, waits + 16);  // the rest were attempts, and found theirs
    ::shutdown(client, SHUT_WR);
    EXPECT_EQ(io::recv(server, one, 0), 0U);
    std::error_code error;
    const int closed = ::dup(server);
    ::close(closed);
    io::recv(closed, one, 0, error);
    EXPECT_EQ(error, std::errc::bad_file_descriptor);
  });
}

TEST_F(Io, DescriptorsThatDoNotBlockAreWaitedForToo) {
  on_workers(1, [] { serve_once(SOCK_NONBLOCK); });
}

TEST_F(Io, TheModeOfADescriptorStaysWhatItWas) {
  on_workers(1, [] {
    const pipe_ends p;
    nopal::parallel_invoke([&] { read_text(p.out()); }, [&] { io::write(p.in(), bytes("x")); });
    EXPECT_EQ(::fcntl(p.out(), F_GETFL) & O_NONBLOCK, 0);
  });
}

TEST_F(Io, ARefusedConnectionIsAnError) {
  everywhere([] {
    address at;
    {
      const descriptor s = listening(at);
    }
    const descriptor c(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    std::error_code error;
    io::connect(c, at.get(), at.length, error);
    EXPECT_EQ(error, std::errc::connection_refused);
  });
}

TEST_F(Io, ConnectPutsTheTimeLimitOfTheSocketBack) {
  on_workers(1, [] {
    address at;
    const descriptor s = listening(at);
    const descriptor c(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const timeval limit{7, 0};
    ::setsockopt(c, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    io::connect(c, at.get(), at.length);
    timeval after{};
    socklen_t size = sizeof after;
    ::getsockopt(c, SOL_SOCKET, SO_SNDTIMEO, &after, &size);
    EXPECT_EQ(after.tv_sec, 7);
  });
}

TEST_F(Io, MessagesCarryDescriptors) {
  on_workers(1, [] {
    std::array<int, 2> pair{};
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, pair.data()), 0);
    const descriptor a(pair[0]), b(pair[1]);
    nopal::parallel_invoke(
        [&] {
          std::array<char, 8> room;
          alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
          iovec part{room.data(), room.size()};
          msghdr m{};
          m.msg_iov = &part;
          m.msg_iovlen = 1;
          m.msg_control = control.data();
          m.msg_controllen = control.size();
          EXPECT_EQ(io::recvmsg(b, m, MSG_CMSG_CLOEXEC), 2U);
          ASSERT_NE(CMSG_FIRSTHDR(&m), nullptr);
          int got = -1;
          std::memcpy(&got, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof got);
          EXPECT_GE(got, 0);
          io::close(got);
        },
        [&] {
          std::string said = "hi";
          alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
          iovec part{said.data(), said.size()};
          msghdr m{};
          m.msg_iov = &part;
          m.msg_iovlen = 1;
          m.msg_control = control.data();
          m.msg_controllen = control.size();
          cmsghdr& head = *CMSG_FIRSTHDR(&m);
          head = {CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS};
          const int sent = a;
          std::memcpy(CMSG_DATA(&head), &sent, sizeof sent);
          EXPECT_EQ(io::sendmsg(a, m, 0), 2U);
        });
  });
}

TEST_F(Io, AUnixSocketIsConnected) {
  on_workers(1, [] {
    const temporary_folder folder;
    sockaddr_un at{};
    at.sun_family = AF_UNIX;
    std::strcpy(at.sun_path, (folder.path() + "/s").c_str());
    const descriptor s(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    ASSERT_EQ(::bind(s, reinterpret_cast<const sockaddr*>(&at), sizeof at), 0);
    ASSERT_EQ(::listen(s, 1), 0);
    nopal::parallel_invoke([&] { const descriptor c(io::accept(s, SOCK_CLOEXEC)); },
                           [&] {
                             const descriptor c(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
                             io::connect(c, reinterpret_cast<const sockaddr*>(&at), sizeof at);
                           });
  });
}

}  // namespace
