// SPDX-License-Identifier: Apache-2.0
// Wrong calls of nopal::io; see check_calls.py.
#include <array>
#include <chrono>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "nopal/nopal.hpp"

namespace io = nopal::io;

nopal::task<> awaits();

int main() {
  std::array<std::byte, 16> bytes{};
  std::array<char, 16> characters{};
  std::vector<std::byte> more(16);
  std::string text = "text";
  std::error_code error;
  struct ::statx result;
  const auto soon = std::chrono::steady_clock::now();
#if NOPAL_REFUSED == 0
  io::read(0, bytes, error);
  io::read(0, more, error, soon);
  io::read(0, more, error, std::chrono::seconds(1));
  io::write(1, std::as_bytes(std::span(text)), error);
  io::read(0, characters);
  io::read(0, text, error);
  io::read(0, {characters.data(), characters.size()});
  io::write(1, text);
  io::write(1, "text");
  io::write(1, {"text", 4});
  io::write(1, std::string_view("text"));
  io::write(1, text + "more");
  io::pwrite(1, text, 0);
  io::send(1, text, 0);
  io::recv(1, text, 0);
  text = io::read_all(0);
  io::read_all(0, text);
  io::write_all(1, text, soon);
  io::sleep_for(std::chrono::milliseconds(0));
  io::sleep_until(soon, error);
#elif NOPAL_REFUSED == 1
  // says: such as std::chrono::milliseconds(10)
  io::sleep_for(10);
#elif NOPAL_REFUSED == 2
  // says: such as std::chrono::milliseconds(10)
  io::sleep_for(10, error);
#elif NOPAL_REFUSED == 3
  // says: a time_point of std::chrono::steady_clock, since other clocks may be set
  io::sleep_until(std::chrono::system_clock::now());
#elif NOPAL_REFUSED == 4
  // says: such as std::chrono::milliseconds(10)
  io::sleep_for(soon);
#elif NOPAL_REFUSED == 5
  // says: a time_point of std::chrono::steady_clock, since other clocks may be set
  io::sleep_until(std::chrono::seconds(1));
#elif NOPAL_REFUSED == 6
  // says: limits: a std::stop_token, a duration or a time_point
  io::sleep_for(std::chrono::seconds(1), 2);
#elif NOPAL_REFUSED == 7
  // says: such as std::chrono::milliseconds(10)
  io::sleep_for();
#elif NOPAL_REFUSED == 8
  // says: std::as_writable_bytes(std::span(x)) the bytes of other objects x
  std::vector<short> numbers(3);
  io::read(0, numbers);
#elif NOPAL_REFUSED == 9
  // says: {p, n} is n bytes at a pointer p
  io::read(0, characters.data(), characters.size());
#elif NOPAL_REFUSED == 10
  // says: neither const nor a temporary
  io::read(0, std::string(3, 0));
#elif NOPAL_REFUSED == 11
  // says: std::string_view(a) the text in an array of char
  char name[3]{};
  io::write(1, name);
#elif NOPAL_REFUSED == 12
  // says: {p, n} is n bytes at a pointer p
  io::write(1, &error);
#elif NOPAL_REFUSED == 13
  // says: {p, n} is n bytes at a pointer p
  io::write(1, "text", 4);
#elif NOPAL_REFUSED == 14
  // says: std::as_bytes(std::span(x)) the bytes of other objects x
  io::write(1, std::wstring(3, L'a'));
#elif NOPAL_REFUSED == 15
  // says: the bytes to read into are const
  const std::vector<std::byte> fixed(3);
  io::read(0, fixed);
#elif NOPAL_REFUSED == 16
  // says: neither const nor a temporary
  io::read("file", bytes);
#elif NOPAL_REFUSED == 17
  // says: std::as_writable_bytes(std::span(x)) the bytes of other objects x
  io::read(stdin, bytes);
#elif NOPAL_REFUSED == 18
  // says: std::as_writable_bytes(std::span(x)) the bytes of other objects x
  io::pread(0, bytes);
#elif NOPAL_REFUSED == 19
  // says: limits: a std::stop_token, a duration or a time_point
  io::read(0, bytes, 10);
#elif NOPAL_REFUSED == 20
  // says: limits: a std::stop_token, a duration or a time_point
  io::read(0, bytes, 0.5);
#elif NOPAL_REFUSED == 21
  // says: the buffers are a std::span of const iovec
  io::readv(0, bytes);
#elif NOPAL_REFUSED == 22
  // says: a const char* path
  io::openat(AT_FDCWD, text, 0, 0);
#elif NOPAL_REFUSED == 23
  // says: a const char* path, flags, and a mode
  io::openat(AT_FDCWD, "file", 0);
#elif NOPAL_REFUSED == 24
  // says: a mask, and a struct statx
  io::statx(AT_FDCWD, "file", 0, 0, &result);
#elif NOPAL_REFUSED == 25
  // says: std::as_bytes(std::span(x)) the bytes of other objects x
  io::send(1, bytes);
#elif NOPAL_REFUSED == 26
  // says: std::as_bytes(std::span(x)) the bytes of other objects x
  std::vector<int> numbers(3);
  io::send(1, numbers, 0);
#elif NOPAL_REFUSED == 27
  // says: the bytes to read into are const
  io::recv(1, std::string_view(text), 0);
#elif NOPAL_REFUSED == 28
  // says: an io::address, which io::resolve() returns
  io::connect(1, "localhost", 80);
#elif NOPAL_REFUSED == 29
  // says: a const sockaddr*, and the length of that
  sockaddr address{};
  io::connect(1, address, sizeof address);
#elif NOPAL_REFUSED == 30
  // says: a socket and flags, both int
  io::accept(1);
#elif NOPAL_REFUSED == 31
  // says: a descriptor, which is an int, and the events
  io::poll(text, 1);
#elif NOPAL_REFUSED == 32
  // says: the buffers are a std::span of const iovec
  std::array<std::array<char, 3>, 2> buffers{};
  io::writev(1, buffers);
#elif NOPAL_REFUSED == 33
  // says: unused-result
  io::async_read(0, bytes);
#elif NOPAL_REFUSED == 34
  // says: such as std::chrono::milliseconds(10)
  nopal::run([&]() -> nopal::task<> { co_await io::async_sleep_for(10); });
#elif NOPAL_REFUSED == 35
  // says: std::as_bytes(std::span(x)) the bytes of other objects x
  nopal::run([&]() -> nopal::task<> { co_await io::async_write(1, soon); });
#elif NOPAL_REFUSED == 36
  // says: the bytes to read into are const
  nopal::run([&]() -> nopal::task<> { co_await io::async_read(0, "text", error); });
#elif NOPAL_REFUSED == 37
  // says: ‘void’ || 'void'
  nopal::run([&]() -> nopal::task<> { co_await io::read(0, bytes); });
#elif NOPAL_REFUSED == 38
  // says: a msghdr and no pointer to it
  msghdr message{};
  io::sendmsg(1, &message, 0);
#elif NOPAL_REFUSED == 39
  // says: a descriptor is an int
  io::close(text);
#elif NOPAL_REFUSED == 40
  // says: fileno(f) tells of a FILE* f
  io::fsync(stdout);
#elif NOPAL_REFUSED == 41
  // says: std::as_bytes(std::span(x)) the bytes of other objects x
  std::vector<int> numbers(3);
  io::write(1, numbers);
#elif NOPAL_REFUSED == 42
  // says: std::as_bytes(std::span(x)) the bytes of other objects x
  io::pwrite(1, text);
#elif NOPAL_REFUSED == 43
  // says: the bytes to read into are const
  io::pread(0, std::as_const(characters), 0);
#elif NOPAL_REFUSED == 44
  // says: such as std::chrono::milliseconds(10)
  io::sleep_for(1.5);
#elif NOPAL_REFUSED == 45
  // says: io_expression
  const nopal::task<> t = io::async_sleep_for(std::chrono::seconds(1));
#elif NOPAL_REFUSED == 46
  // says: the bytes to read into are const
  io::read_all(0, "text");
#elif NOPAL_REFUSED == 47
  // says: neither const nor a temporary
  nopal::run([&]() -> nopal::task<> { co_await io::async_read_all(0, &text); });
#elif NOPAL_REFUSED == 48
  // says: std::string_view(a) the text in an array of char
  char name[3]{};
  io::write_all(1, name);
#endif
  static_cast<void>(result);
}
