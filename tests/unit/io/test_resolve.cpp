// SPDX-License-Identifier: Apache-2.0
// Names and their addresses.
// A program of its own: it has a getaddrinfo of its own, which asks no server.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <stop_token>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include "nopal/nopal.hpp"
#include "support/io.hpp"

namespace {

std::atomic<bool> answers{true};
std::atomic<int> asked{0};
std::atomic<int> answered{0};
std::atomic<int> made{0};

struct answer {
  addrinfo info{};
  sockaddr_in address{};
};

}  // namespace

extern "C" {

/// Knows "two", which has two addresses, and no other names. Answers for "slow" when it may.
int getaddrinfo(const char* host, const char* service, const addrinfo* hints, addrinfo** found) {
  ++asked;
  const std::string_view name = host == nullptr ? "0.0.0.0" : host;
  while (name == "slow" && !answers) std::this_thread::sleep_for(std::chrono::microseconds(100));
  ++answered;
  if (name == "broken") {
    errno = EMFILE;
    return EAI_SYSTEM;
  }
  const std::string_view numbers = name == "two" || name == "slow" ? "127.0.0.1" : name;
  in_addr first{};
  if (::inet_pton(AF_INET, numbers.data(), &first) != 1) return EAI_NONAME;
  EXPECT_EQ(hints->ai_socktype, SOCK_STREAM);
  addrinfo* next = nullptr;
  for (unsigned i = name == "two" ? 2 : 1; i-- > 0;) {
    auto* a = new answer;
    ++made;
    a->address.sin_family = AF_INET;
    a->address.sin_port = htons(static_cast<std::uint16_t>(std::atoi(service)));
    a->address.sin_addr.s_addr = htonl(ntohl(first.s_addr) + i);
    a->info.ai_addr = reinterpret_cast<sockaddr*>(&a->address);
    a->info.ai_addrlen = sizeof a->address;
    a->info.ai_next = next;
    next = &a->info;
  }
  *found = next;
  return 0;
}

void freeaddrinfo(addrinfo* all) {
  while (all != nullptr) {
    addrinfo* next = all->ai_next;
    delete reinterpret_cast<answer*>(all);
    --made;
    all = next;
  }
}

}  // extern "C"

namespace {

using namespace std::chrono_literals;
using namespace nopal_test;
namespace io = nopal::io;

std::string text_of(const std::vector<io::address>& all) {
  std::string text;
  for (const io::address& a : all) text += a.text() + " ";
  return text;
}

TEST_F(Io, ANameIsResolvedInEachForm) {
  everywhere([] {
    EXPECT_EQ(text_of(io::resolve("two", "80")), "127.0.0.1:80 127.0.0.2:80 ");
    EXPECT_EQ(text_of(io::resolve("", "8080", 10s)), "0.0.0.0:8080 ");
    std::error_code error = std::make_error_code(std::errc::timed_out);
    EXPECT_EQ(text_of(io::resolve("10.1.2.3", "1", error)), "10.1.2.3:1 ");
    EXPECT_FALSE(error);
    nopal::run([&]() -> nopal::task<> {
      EXPECT_EQ(text_of(co_await io::async_resolve("two", "80")), "127.0.0.1:80 127.0.0.2:80 ");
      EXPECT_EQ(text_of(co_await io::async_resolve("10.1.2.3", "1", error, 10s)), "10.1.2.3:1 ");
      EXPECT_FALSE(error);
    });
    EXPECT_EQ(made, 0);
  });
}

TEST_F(Io, ANameThatIsNotFoundIsToldByAnErrorOfResolve) {
  everywhere([] {
    std::error_code error;
    EXPECT_TRUE(io::resolve("nobody", "80", error).empty());
    EXPECT_EQ(error, std::error_code(EAI_NONAME, io::resolve_category()));
    EXPECT_EQ(error.message(), ::gai_strerror(EAI_NONAME));
    EXPECT_EQ(std::error_code(EAI_MEMORY, io::resolve_category()), std::errc::not_enough_memory);
    EXPECT_TRUE(io::resolve("broken", "80", error).empty());
    EXPECT_EQ(error, std::errc::too_many_files_open);
    const auto fails = [](auto&& f) {
      try {
        f();
        ADD_FAILURE() << "nothing is thrown";
      } catch (const std::system_error& e) {
        EXPECT_EQ(e.code().category(), io::resolve_category());
        EXPECT_EQ(std::string(e.what()), "nopal::io: resolve of 'nobody' and '80': " +
                                             std::string(::gai_strerror(EAI_NONAME)));
      }
    };
    fails([] { io::resolve("nobody", "80"); });
    fails(
        [] { nopal::run([]() -> nopal::task<> { co_await io::async_resolve("nobody", "80"); }); });
  });
}

/// Waits until a count is this number, for ten seconds at most. Returns the count.
int awaited(const std::atomic<int>& count, int number) {
  for (int i = 0; i < 10000 && count != number; ++i) std::this_thread::sleep_for(1ms);
  return count;
}

TEST_F(Io, ALimitEndsTheWaitForANameAndNotTheSearch) {
  everywhere([] {
    answers = false;
    const int before = asked;
    EXPECT_EQ(answered, before);
    std::error_code error;
    EXPECT_TRUE(io::resolve("slow", "80", error, 1ms).empty());
    EXPECT_EQ(error, std::errc::timed_out);
    std::stop_source source;
    std::thread stops([&] {
      EXPECT_EQ(awaited(asked, before + 2), before + 2);
      source.request_stop();
    });
    EXPECT_THROW(io::resolve("slow", "80", source.get_token()), std::system_error);
    stops.join();
    EXPECT_TRUE(io::resolve("two", "80", error, source.get_token()).empty());
    EXPECT_EQ(error, std::errc::operation_canceled);
    EXPECT_EQ(answered, before) << "both searches go on";
    answers = true;
    EXPECT_EQ(text_of(io::resolve("slow", "80", 100s)), "127.0.0.1:80 ");
    EXPECT_EQ(awaited(answered, before + 3), before + 3) << "both have come to their end";
    EXPECT_EQ(asked, before + 3) << "nobody has asked after the stop";
    EXPECT_EQ(awaited(made, 0), 0);
  });
}

TEST_F(Io, AStopOfTheScopeEndsTheWaitForAName) {
  everywhere([] {
    answers = false;
    const int before = answered;
    std::stop_source source;
    std::thread stops([&] {
      EXPECT_EQ(awaited(asked, before + 1), before + 1);
      source.request_stop();
    });
    EXPECT_THROW(nopal::with_stop(source.get_token(), [] { io::resolve("slow", "80"); }),
                 nopal::stopped);
    stops.join();
    answers = true;
    EXPECT_EQ(awaited(answered, before + 1), before + 1);
    EXPECT_EQ(awaited(made, 0), 0);
  });
}

TEST_F(Io, ASocketIsConnectedToAnAddress) {
  everywhere([] {
    const descriptor listens(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const io::address any = io::resolve("127.0.0.1", "0").front();
    ASSERT_EQ(::bind(listens, any.data(), any.size()), 0);
    ASSERT_EQ(::listen(listens, 4), 0);
    sockaddr_in own{};
    socklen_t size = sizeof own;
    ASSERT_EQ(::getsockname(listens, reinterpret_cast<sockaddr*>(&own), &size), 0);
    const io::address at(reinterpret_cast<const sockaddr*>(&own), size);
    EXPECT_EQ(at.port(), ntohs(own.sin_port));
    EXPECT_EQ(at, io::resolve("127.0.0.1", std::to_string(at.port())).front());
    const auto connects = [&](auto&& f) {
      const descriptor s(::socket(at.family(), SOCK_STREAM | SOCK_CLOEXEC, 0));
      std::error_code error;
      f(s, error);
      EXPECT_FALSE(error);
      const descriptor other(io::accept(listens, SOCK_CLOEXEC));
      EXPECT_EQ(io::send(s, "x", 0), 1U);
    };
    connects([&](int s, std::error_code&) { io::connect(s, at); });
    connects([&](int s, std::error_code& e) { io::connect(s, at, e, 10s); });
    connects([&](int s, std::error_code& e) {
      nopal::run([&]() -> nopal::task<> { co_await io::async_connect(s, at, e); });
    });
    connects([&](int s, std::error_code&) {
      nopal::run([&]() -> nopal::task<> { co_await io::async_connect(s, at, 10s); });
    });
  });
}

TEST(Address, IsWrittenInNumbers) {
  sockaddr_in6 six{};
  six.sin6_family = AF_INET6;
  six.sin6_addr = in6addr_loopback;
  six.sin6_port = htons(443);
  const io::address a(reinterpret_cast<const sockaddr*>(&six), sizeof six);
  EXPECT_EQ(a.text(), "[::1]:443");
  EXPECT_EQ(a.port(), 443U);
  EXPECT_EQ(a.family(), AF_INET6);
  EXPECT_EQ(a.size(), sizeof six);
  EXPECT_NE(a, io::address());
  EXPECT_EQ(io::address().text(), "");
  EXPECT_EQ(io::address().port(), 0U);
}

}  // namespace
