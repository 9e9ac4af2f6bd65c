// SPDX-License-Identifier: Apache-2.0
// What calls read into and write from, and the calls that transfer all of it.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "nopal/nopal.hpp"
#include "support/io.hpp"

namespace {

using namespace std::chrono_literals;
using namespace nopal_test;
namespace io = nopal::io;

TEST_F(Io, AnyBytesAreWrittenWithoutACopy) {
  const auto covers = [](const io::const_bytes& b, const void* data, std::size_t size) {
    EXPECT_EQ(b.data(), data);
    EXPECT_EQ(b.size(), size);
  };
  const std::string text("a\0b", 3);
  covers(text, text.data(), 3);
  covers(std::string_view(text), text.data(), 3);
  const std::vector<unsigned char> numbers(5);
  covers(numbers, numbers.data(), 5);
  std::array<signed char, 2> pair{};
  covers(pair, pair.data(), 2);
  covers(std::span<const char>(text), text.data(), 3);
  covers(std::as_bytes(std::span(text)), text.data(), 3);
  std::byte all[4]{};
  covers(all, all, 4);
  const char* from_c = "text";
  covers(from_c, from_c, 4);
  covers({from_c, 2}, from_c, 2);
  const char with_zeros[8] = "text";
  covers(with_zeros, with_zeros, 4);
  const char without_zero[3] = {'a', 'b', 'c'};
  covers(without_zero, without_zero, 3);
  EXPECT_EQ(io::const_bytes("text").size(), 4U);
  covers(io::mutable_bytes(all), all, 4);
  const std::u8string_view utf8 = u8"text";
  covers(utf8, utf8.data(), 4);
}

TEST_F(Io, AnyBytesAreReadIntoWithoutACopy) {
  const auto covers = [](const io::mutable_bytes& b, const void* data, std::size_t size) {
    EXPECT_EQ(b.data(), data);
    EXPECT_EQ(b.size(), size);
  };
  std::string text("abc");
  covers(text, text.data(), 3);
  std::vector<char> letters(5);
  covers(letters, letters.data(), 5);
  covers(std::span(letters).first(2), letters.data(), 2);
  std::array<std::byte, 2> pair{};
  covers(pair, pair.data(), 2);
  char buffer[16];
  covers(buffer, buffer, 16);
  covers({buffer, 3}, buffer, 3);
  covers(io::mutable_bytes(buffer), buffer, 16);
}

TEST_F(Io, TextIsReadAndWrittenInEachForm) {
  everywhere([] {
    std::array<int, 2> ends{};
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
    const descriptor a(ends[0]), b(ends[1]);
    std::string got(3, '-');
    std::error_code error;
    EXPECT_EQ(io::write(a, "abc"), 3U);
    EXPECT_EQ(io::read(b, got), 3U);
    EXPECT_EQ(got, "abc");
    EXPECT_EQ(io::send(a, std::string("def"), 0, error), 3U);
    EXPECT_EQ(io::recv(b, {got.data(), 2}, 0, error), 2U);
    EXPECT_EQ(got, "dec");
    nopal::run([&]() -> nopal::task<> {
      char one[1];
      EXPECT_EQ(co_await io::async_read(b, one), 1U);
      EXPECT_EQ(one[0], 'f');
    });
  });
}

/// Has one branch write more than a pipe takes, in the form that `writes` has, and another read it.
template <class W, class R>
void transfers_all(W&& writes, R&& reads) {
  on_workers(1, [&] {
    pipe_ends p;
    std::string much(300'000, '-');
    for (std::size_t i = 0; i < much.size(); i += 7) much[i] = static_cast<char>('a' + i % 26);
    nopal::parallel_invoke(
        [&] {
          writes(p.in(), much);
          ::close(p.release_in());
        },
        [&] { EXPECT_TRUE(reads(p.out(), much.size()) == much); });
  });
}

TEST_F(Io, AllIsWrittenAndReadToTheEnd) {
  transfers_all([](int fd, const std::string& much) { io::write_all(fd, much); },
                [](int fd, std::size_t) { return io::read_all(fd); });
}

TEST_F(Io, AllIsWrittenAndReadWithAnErrorCode) {
  std::error_code error = std::make_error_code(std::errc::timed_out);
  transfers_all(
      [](int fd, const std::string& much) {
        std::error_code none = std::make_error_code(std::errc::timed_out);
        EXPECT_EQ(io::write_all(fd, much, none), much.size());
        EXPECT_FALSE(none);
      },
      [&](int fd, std::size_t) { return io::read_all(fd, error); });
  EXPECT_FALSE(error);
}

TEST_F(Io, ABufferIsFilledByManyReads) {
  transfers_all([](int fd, const std::string& much) { io::write_all(fd, much, 10s); },
                [](int fd, std::size_t size) {
                  std::string all(size, '+');
                  std::error_code error;
                  EXPECT_EQ(io::read_all(fd, {all.data(), 1000}), 1000U);
                  EXPECT_EQ(io::read_all(fd, std::span(all).subspan(1000), error), size - 1000);
                  return all;
                });
}

TEST_F(Io, TasksTransferAll) {
  transfers_all(
      [](int fd, const std::string& much) {
        nopal::run([&]() -> nopal::task<> {
          std::error_code error;
          co_await io::async_write_all(fd, {much.data(), 1000});
          const std::span left = std::span(much).subspan(1000);
          EXPECT_EQ(co_await io::async_write_all(fd, left, error), left.size());
        });
      },
      [](int fd, std::size_t size) {
        return nopal::run([&]() -> nopal::task<std::string> {
          std::string all(1000, '+');
          std::error_code error;
          EXPECT_EQ(co_await io::async_read_all(fd, all), 1000U);
          std::array<char, 10> more{};
          EXPECT_EQ(co_await io::async_read_all(fd, more, error), 10U);
          all.append(more.data(), more.size());
          all += co_await io::async_read_all(fd);
          EXPECT_EQ(co_await io::async_read_all(fd, error), "");
          EXPECT_EQ(all.size(), size);
          co_return all;
        });
      });
}

TEST_F(Io, ALimitTellsHowMuchWasTransferred) {
  everywhere([] {
    const pipe_ends p;
    std::error_code error;
    io::write_all(p.in(), "abc");
    std::array<char, 5> five{};
    EXPECT_EQ(io::read_all(p.out(), five, error, 2ms), 3U);
    EXPECT_EQ(error, std::errc::timed_out);
    io::write_all(p.in(), "abc");
    EXPECT_EQ(io::read_all(p.out(), error, 2ms), "abc");
    EXPECT_EQ(error, std::errc::timed_out);
    EXPECT_THROW(io::read_all(p.out(), five, 2ms), std::system_error);
    const std::string much(1 << 20, 'x');
    const std::size_t n = io::write_all(p.in(), much, error, 2ms);
    EXPECT_EQ(error, std::errc::timed_out);
    EXPECT_GT(n, 0U);
    EXPECT_LT(n, much.size());
  });
}

TEST_F(Io, TheEndOfAFileIsNoError) {
  everywhere([] {
    pipe_ends p;
    io::write_all(p.in(), "abc");
    ::close(p.release_in());
    std::array<char, 5> five{};
    std::error_code error;
    EXPECT_EQ(io::read_all(p.out(), five, error), 3U);
    EXPECT_FALSE(error);
    EXPECT_EQ(io::read_all(p.out(), five), 0U);
    EXPECT_EQ(io::read_all(p.out()), "");
    EXPECT_THROW(io::read_all(-1), std::system_error);
    EXPECT_EQ(io::read_all(-1, error), "");
    EXPECT_EQ(error, std::errc::bad_file_descriptor);
    EXPECT_EQ(io::write_all(-1, "abc", error), 0U);
    EXPECT_EQ(error, std::errc::bad_file_descriptor);
  });
}

}  // namespace
