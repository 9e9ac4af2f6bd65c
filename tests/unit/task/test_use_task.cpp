// SPDX-License-Identifier: Apache-2.0
// Tasks await operations of Boost.Asio.
#include <gtest/gtest.h>

#include <array>
#include <boost/asio.hpp>
#include <chrono>
#include <cstddef>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "nopal/asio.hpp"
#include "nopal/nopal.hpp"
#include "support/everywhere.hpp"

namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using nopal::task;
using nopal::use_task;
using nopal_test::everywhere;
using socket = asio::local::stream_protocol::socket;

/// An io_context that a thread runs.
class served_context {
 public:
  asio::io_context io;
  ~served_context() {
    keeps_.reset();
    thread_.join();
  }

 private:
  asio::executor_work_guard<asio::io_context::executor_type> keeps_ = asio::make_work_guard(io);
  std::thread thread_{[this] { io.run(); }};
};

task<int> after(asio::io_context& io, std::chrono::milliseconds d, int n) {
  asio::steady_timer timer(io, d);
  co_await timer.async_wait(use_task);
  co_return n;
}

TEST(UseTask, ATimer) {
  served_context served;
  everywhere([&] {
    const auto begin = std::chrono::steady_clock::now();
    auto [a, b, c] = nopal::wait(
        nopal::all(after(served.io, 2ms, 1), after(served.io, 1ms, 2), after(served.io, 0ms, 3)));
    EXPECT_EQ(a + b + c, 6);
    EXPECT_GE(std::chrono::steady_clock::now() - begin, 2ms);
  });
}

task<> echo(socket& s) {
  std::array<char, 7> room;
  for (;;) {
    std::size_t n = 0;
    try {
      n = co_await s.async_read_some(asio::buffer(room), use_task);
    } catch (const boost::system::system_error& e) {
      EXPECT_EQ(e.code(), asio::error::eof);
      co_return;
    }
    EXPECT_EQ(co_await asio::async_write(s, asio::buffer(room, n), use_task), n);
  }
}

task<std::string> talk(socket& s, std::string_view text) {
  std::string answer(text.size(), ' ');
  std::size_t written = 0, read = 0;
  const auto writes = [&]() -> task<std::size_t> {
    co_return co_await asio::async_write(s, asio::buffer(text), use_task);
  };
  // One after the other: two threads may not begin operations of one socket at the same time.
  co_await nopal::call(&written, writes);
  read = co_await asio::async_read(s, asio::buffer(answer), use_task);
  EXPECT_EQ(written, text.size());
  EXPECT_EQ(read, text.size());
  s.shutdown(socket::shutdown_send);
  co_return answer;
}

task<> talks(asio::io_context& io) {
  socket one(io), other(io);
  asio::local::connect_pair(one, other);
  co_await nopal::fork(echo, other);
  EXPECT_EQ(co_await talk(one, "a text that is longer than the room of the other"),
            "a text that is longer than the room of the other");
  co_await nopal::join();
}

TEST(UseTask, APairOfSockets) {
  served_context served;
  everywhere([&] { nopal::wait(talks(served.io)); });
}

/// An operation that completes with whatever it is given, on the thread of the context.
template <class Signature, class Token, class... V>
auto async_values(asio::io_context& io, Token&& token, V... values) {
  return asio::async_initiate<Token, Signature>(
      [&io](auto handler, auto... v) {
        asio::post(
            io, [h = std::move(handler), ... v = std::move(v)]() mutable { h(std::move(v)...); });
      },
      token, std::move(values)...);
}

task<> completes(asio::io_context& io) {
  const boost::system::error_code none;
  co_await async_values<void()>(io, use_task);
  co_await async_values<void(boost::system::error_code)>(io, use_task, none);
  EXPECT_EQ(co_await async_values<void(int)>(io, use_task, 5), 5);
  auto moved = co_await async_values<void(boost::system::error_code, std::unique_ptr<int>)>(
      io, use_task, none, std::make_unique<int>(6));
  EXPECT_EQ(*moved, 6);
  auto [text, number] = co_await async_values<void(std::exception_ptr, std::string, int)>(
      io, use_task, nullptr, std::string("text"), 7);
  EXPECT_EQ(text, "text");
  EXPECT_EQ(number, 7);
  int caught = 0;
  try {
    co_await async_values<void(std::exception_ptr, int)>(
        io, use_task, std::make_exception_ptr(std::runtime_error("no")), 8);
  } catch (const std::runtime_error&) {
    ++caught;
  }
  try {
    co_await async_values<void(boost::system::error_code)>(io, use_task,
                                                           asio::error::operation_aborted);
  } catch (const boost::system::system_error& e) {
    EXPECT_EQ(e.code(), asio::error::operation_aborted);
    ++caught;
  }
  EXPECT_EQ(caught, 2);
}

TEST(UseTask, WhatOperationsCompleteWith) {
  served_context served;
  everywhere([&] { nopal::wait(completes(served.io)); });
}

// On one worker a child has begun to wait when its parent goes on.

TEST(UseTask, ACancelledTimer) {
  served_context served;
  asio::steady_timer timer(served.io, std::chrono::hours(1));
  nopal_test::on_one_worker([&]() -> task<> {
    const auto waits = [&]() -> task<> { co_await timer.async_wait(use_task); };
    nopal::try_eventual<void> outcome;
    co_await nopal::fork(&outcome, waits);
    asio::post(served.io, [&] { timer.cancel(); });
    co_await nopal::join();
    EXPECT_THROW(outcome.take(), boost::system::system_error);
  });
}

TEST(UseTask, AContextThatEndsAbandonsWhatWaits) {
  auto io = std::make_unique<asio::io_context>();
  nopal_test::on_one_worker([&]() -> task<> {
    const auto waits = [&]() -> task<> { co_await async_values<void()>(*io, use_task); };
    nopal::try_eventual<void> outcome;
    co_await nopal::fork(&outcome, waits);
    io.reset();
    co_await nopal::join();
    EXPECT_THROW(outcome.take(), nopal::abandoned);
  });
}

}  // namespace
