// SPDX-License-Identifier: Apache-2.0
// Bytes that go round in a ring of pipes. Strands, tasks and threads carry them from one pipe to
// the next, and stops and deadlines end their reads at any moment. No byte may be lost or made.
#include "support/io.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <system_error>
#include <thread>
#include <vector>

#include "nopal/nopal.hpp"
#include "support/build.hpp"
#include "support/delays.hpp"
#include "support/seed.hpp"
#include "support/watchdog.hpp"

namespace {

using namespace std::chrono_literals;
using namespace nopal_test;
namespace io = nopal::io;
using clock = std::chrono::steady_clock;
using one_byte = std::array<std::byte, 1>;

constexpr unsigned pipes = 4;
constexpr unsigned bytes_in_ring = 6;

struct ring {
  std::array<pipe_ends, pipes> pipe;
  std::atomic<std::uint64_t> carried{0};
  std::atomic<std::uint64_t> refused{0};

  ring() {
    const one_byte one{};
    for (unsigned i = 0; i < bytes_in_ring; ++i) io::write(pipe[i % pipes].in(), one);
  }

  [[nodiscard]] unsigned bytes_now() const {
    unsigned n = 0;
    one_byte one;
    std::error_code error;
    for (const pipe_ends& p : pipe)
      while (io::read(p.out(), one, error, clock::now()) == 1) ++n;
    return n;
  }
};

/// How long one carrier waits for its next byte.
struct patience {
  std::stop_source stop;
  io::limits within;

  explicit patience(random_numbers& random) {
    if (random.one_in(2))
      within.deadline = clock::now() + std::chrono::microseconds(random.below(500));
    if (random.one_in(2)) within.stop = stop.get_token();
  }
};

void note(ring& r, std::size_t n, const std::error_code& error) {
  if (n == 1) {
    EXPECT_FALSE(error);
    ++r.carried;
  } else {
    EXPECT_TRUE(error == std::errc::timed_out || error == std::errc::operation_canceled) << error;
    ++r.refused;
  }
}

void carry(ring& r, unsigned from, std::uint64_t seed) {
  random_numbers random(seed);
  patience p(random);
  const auto move = [&] {
    one_byte one;
    std::error_code error;
    const std::size_t n = io::read(r.pipe[from].out(), one, error, p.within);
    if (n == 1) io::write(r.pipe[(from + 1) % pipes].in(), one);
    note(r, n, error);
  };
  const bool must_be_stopped = p.within.deadline == io::limits::moment::max();
  if (must_be_stopped && !p.within.stop.stop_possible()) return;
  nopal::parallel_invoke(move, [&] {
    if (random.one_in(2)) io::sleep_for(std::chrono::microseconds(random.below(200)));
    if (must_be_stopped || random.one_in(2)) p.stop.request_stop();
  });
}

nopal::task<> carry_as_task(ring* r, unsigned from, std::uint64_t seed) {
  random_numbers random(seed);
  const io::limits within(clock::now() + std::chrono::microseconds(random.below(500)));
  one_byte one;
  std::error_code error;
  const std::size_t n = co_await io::async_read(r->pipe[from].out(), one, error, within);
  if (n == 1) co_await io::async_write(r->pipe[(from + 1) % pipes].in(), one);
  note(*r, n, error);
}

void may_be_refused(const std::error_code& error) {
  if (error) {
    EXPECT_TRUE(error == std::errc::timed_out || error == std::errc::operation_canceled) << error;
  }
}

/// Calls that a helper thread or the kernel makes, with a stop at any moment.
void look(int listener, random_numbers random) {
  std::stop_source stop;
  const io::limits within(stop.get_token(),
                          clock::now() + std::chrono::microseconds(random.below(300)));
  const auto calls = [&] {
    std::error_code error;
    struct ::statx about{};
    io::statx(AT_FDCWD, "/", 0, STATX_TYPE, about, error, within);
    may_be_refused(error);
    if (!error) {
      EXPECT_TRUE(S_ISDIR(about.stx_mode));
    }
    const int fd = io::openat(AT_FDCWD, "/", O_RDONLY | O_CLOEXEC, 0, error, within);
    may_be_refused(error);
    if (fd >= 0) io::close(fd);
    EXPECT_EQ(io::accept(listener, 0, error, within), -1);
    may_be_refused(error);
  };
  nopal::parallel_invoke(calls, [&] {
    if (random.one_in(2)) stop.request_stop();
  });
}

class IoStress : public testing::TestWithParam<unsigned> {};

TEST_P(IoStress, NoByteIsLostInARingOfPipes) {
  const std::uint64_t first = seed_or(70000 + 1000 * GetParam());
  const random_delays delays(first);
  const descriptor listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ASSERT_EQ(::listen(listener, 1), 0);
  nopal::runtime runtime({.workers = GetParam(), .seed = first});
  runtime.run(makes_backend);
  const std::ptrdiff_t descriptors = open_descriptors();
  for (std::uint64_t seed = first; seed < first + 1 + 15 / work_divisor; ++seed) {
    const watchdog w(60s, "bytes in a ring of pipes", seed);
    ring r;
    std::jthread thread([&](const std::stop_token& over) {
      for (std::uint64_t i = 0; !over.stop_requested(); ++i)
        carry(r, static_cast<unsigned>(i % pipes), seed + i);
    });
    runtime.run([&] {
      nopal::for_each(nopal::grain{1}, 0, 50, [&](int i) {
        random_numbers random(seed * 1000 + static_cast<std::uint64_t>(i));
        const unsigned from = random.below(pipes);
        if (random.one_in(3))
          nopal::wait(carry_as_task(&r, from, random.next()));
        else
          carry(r, from, random.next());
        if (random.one_in(2)) look(listener, random);
        if (random.one_in(8)) nopal::blocking([&] { carry(r, from, random.next()); });
      });
    });
    thread.request_stop();
    thread.join();
    ASSERT_EQ(r.bytes_now(), bytes_in_ring) << "NOPAL_TEST_SEED=" << seed;
    ASSERT_GT(r.carried + r.refused, 0U);
  }
  EXPECT_EQ(open_descriptors(), descriptors);
  EXPECT_TRUE(nopal_test::frees_all_stacks(runtime));
}

INSTANTIATE_TEST_SUITE_P(Workers, IoStress, testing::Values(1U, 2U, 4U, 8U),
                         testing::PrintToStringParamName());

}  // namespace
