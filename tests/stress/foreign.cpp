// SPDX-License-Identifier: Apache-2.0
// Trees of tasks that await what others resume or destroy, on threads of others, on workers and
// inline, with delays at every step of every protocol.
#include <gtest/gtest.h>

#include <chrono>
#include <coroutine>
#include <cstdint>

#include "nopal/nopal.hpp"
#include "support/build.hpp"
#include "support/delays.hpp"
#include "support/seed.hpp"
#include "support/watchdog.hpp"
#include "unit/task/foreign_coroutines.hpp"

namespace {

using namespace std::chrono_literals;
using nopal::task;

/// These resume what tasks await.
struct others {
  foreign::executor threads[2];
};

/// An awaitable that gives the handle to one of the others, as the number says.
struct leaves_to {
  others* to;
  unsigned number;
  std::uint64_t written = 0;

  static bool await_ready() noexcept { return false; }
  bool await_suspend(std::coroutine_handle<> h) {
    const auto go_on = [this, h] {
      written = number;  // the task sees this, and is not gone yet
      if (number % 8 == 7)
        h.destroy();
      else
        h.resume();
    };
    switch (number % 4) {
      case 0:
        go_on();
        break;
      case 1:
        written = number;
        return false;
      default:
        to->threads[number / 8 % 2].post(go_on);
    }
    return number != 0 || written == 0;  // the awaiter is still there
  }
  [[nodiscard]] std::uint64_t await_resume() const noexcept { return written; }
};

foreign::lazy<std::uint64_t> lazily(others& o, unsigned number) {
  co_return co_await leaves_to{&o, number};
}

/// The number of tasks below and with this one that got what they awaited.
task<std::uint64_t> awaits(others& o, unsigned depth, std::uint64_t seed) {
  nopal_test::random_numbers random(seed);
  std::uint64_t mine = 1;
  const unsigned number = random.below(64);
  try {
    if (random.one_in(4)) {
      const unsigned resumed_at_once_or_later = number & ~5U;
      if (co_await lazily(o, resumed_at_once_or_later) != resumed_at_once_or_later) mine = 0;
    } else if (co_await leaves_to{&o, number} != number || number % 8 == 7) {
      mine = 0;
    }
  } catch (const nopal::abandoned&) {
    if (number % 8 != 7) mine = 0;
  }
  std::uint64_t left = 0;
  std::uint64_t right = 0;
  if (depth != 0) {
    co_await nopal::fork(&left, awaits, o, depth - 1, random.next());
    co_await nopal::call(&right, awaits, o, depth - 1, random.next());
    co_await nopal::join();
  }
  co_return mine + left + right;
}

class Foreign : public testing::TestWithParam<unsigned> {};

TEST_P(Foreign, RandomTrees) {
  const std::uint64_t first = nopal_test::seed_or(70000 + 1000 * GetParam());
  constexpr unsigned depth = 7;
  others o;
  const nopal_test::random_delays delays(first);
  nopal::runtime r({.workers = GetParam(), .seed = first, .caller_works = GetParam() % 2 == 0});
  for (std::uint64_t seed = first; seed < first + 1 + 60 / nopal_test::work_divisor; ++seed) {
    const nopal_test::watchdog w(30s, "tasks that await what others resume", seed);
    ASSERT_EQ(r.run([&] { return nopal::wait(awaits(o, depth, seed)); }), (2U << depth) - 1)
        << GetParam() << " workers, NOPAL_TEST_SEED=" << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Workers, Foreign, testing::Values(1U, 2U, 3U, 8U),
                         testing::PrintToStringParamName());

}  // namespace
