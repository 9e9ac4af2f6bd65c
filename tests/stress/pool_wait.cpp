// SPDX-License-Identifier: Apache-2.0
// Consumers that wait for elements of a pool, in strands, tasks and threads, with delays at every
// step and with limits that come at any moment. Each element comes out once, and nobody sleeps
// beside an element, or beside a pool that is over.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <system_error>
#include <thread>
#include <vector>

#include "nopal/nopal.hpp"
#include "support/seed.hpp"
#include "support/sync_run.hpp"

namespace {

using namespace nopal_test;
using consumer = nopal::pool_consumer<unsigned>;

/// Notes which elements have come out.
class elements_out {
 public:
  explicit elements_out(unsigned n) : taken_(n) {}

  void take(unsigned x) noexcept {
    taken_[x].fetch_add(1, std::memory_order_relaxed);
    all_.fetch_add(1, std::memory_order_relaxed);
  }
  [[nodiscard]] unsigned all() const noexcept { return all_.load(std::memory_order_relaxed); }
  [[nodiscard]] bool each_once() const {
    return std::all_of(taken_.begin(), taken_.end(), [](const auto& n) { return n == 1; });
  }

 private:
  std::vector<std::atomic<unsigned>> taken_;
  std::atomic<unsigned> all_{0};
};

/// Gets elements until the pool is over.
void get_all(consumer out, elements_out& to, std::uint64_t seed) {
  random_numbers random(seed);
  for (;;) {
    std::error_code error;
    std::optional<unsigned> x;
    if (random.one_in(3))
      nopal::with_deadline(moment_below(50, random), [&] { x = out.wait(error, 1h); });
    else
      x = out.wait(error, some_limits(random));
    if (x)
      to.take(*x);
    else if (!error)
      return;
  }
}

nopal::task<> get_all_in_task(consumer& out, elements_out& to, std::uint64_t seed) {
  random_numbers random(seed);
  for (;;) {
    std::error_code error;
    const std::optional<unsigned> x = co_await out.wait(error, some_limits(random));
    if (x)
      to.take(*x);
    else if (!error)
      break;
  }
}

void put_all(nopal::pool_producer<unsigned> in, unsigned first, unsigned n, std::uint64_t seed) {
  random_numbers random(seed);
  for (unsigned i = 0; i < n; ++i) {
    in.put(first + i);
    if (random.one_in(3)) pass_time(random);
  }
}

void put_and_get(std::uint64_t seed, unsigned consumers, unsigned producers) {
  random_numbers random(seed);
  const unsigned each = 1 + random.below(12);
  const unsigned outside = random.one_in(4) ? 1 : 0;
  nopal::pool<unsigned> p(
      {.producers = producers, .consumers = consumers + outside, .chunk = 1 + random.below(4)});
  elements_out out(each * producers);
  std::vector<std::uint64_t> seeds(consumers + producers + 1);
  for (std::uint64_t& s : seeds) s = random.next();
  std::thread other;
  if (outside != 0) other = std::thread([&] { get_all(p.consumer(), out, seeds.back()); });
  nopal::parallel_invoke(
      [&] {
        in_strands(consumers, [&](unsigned i) {
          if (i % 2 == 0) return get_all(p.consumer(), out, seeds[i]);
          consumer c = p.consumer();
          nopal::wait(get_all_in_task(c, out, seeds[i]));
        });
      },
      [&] {
        in_strands(producers, [&](unsigned i) {
          put_all(p.producer(), i * each, each, seeds[consumers + i]);
        });
        // All elements come out before the end, which would wake everybody.
        while (out.all() != each * producers && random.below(1U << 12U) != 0)
          std::this_thread::yield();
        if (random.one_in(2))
          while (out.all() != each * producers) std::this_thread::yield();
        p.close();
      });
  if (other.joinable()) other.join();
  ASSERT_TRUE(out.each_once());
}

class PoolWaits : public testing::TestWithParam<unsigned> {};

TEST_P(PoolWaits, LoseNoElementAndNoWakeUp) {
  run_sync(GetParam(), "consumers that wait", 390000 + GetParam(), [](std::uint64_t seed) {
    random_numbers random(seed);
    for (unsigned i = 0; i < rounds_of(100); ++i) {
      const unsigned consumers = 1 + random.below(5), producers = 1 + random.below(3);
      put_and_get(random.next(), consumers, producers);
      if (testing::Test::HasFatalFailure()) return;
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Workers, PoolWaits, testing::Values(2U, 3U, 6U),
                         testing::PrintToStringParamName());

TEST(PoolWaits, StopsLoseNoElement) {
  run_sync(4, "stops of consumers", 395000, [](std::uint64_t seed) {
    random_numbers random(seed);
    for (unsigned i = 0; i < rounds_of(100); ++i) {
      constexpr unsigned n = 4;
      nopal::pool<unsigned> p({.consumers = n, .chunk = 2});
      elements_out out(n);
      const std::uint64_t of_round = random.next();
      nopal::parallel_invoke(
          [&] {
            in_strands(n, [&](unsigned k) {
              std::stop_source stop;
              consumer c = p.consumer();
              nopal::parallel_invoke(
                  [&] {
                    std::error_code error;
                    const std::optional<unsigned> x = c.wait(error, stop.get_token());
                    if (x) out.take(*x);
                    ASSERT_EQ(x.has_value(), !error);
                  },
                  [&] {
                    random_numbers mine(of_round + k);
                    pass_time(mine);
                    stop.request_stop();
                  });
            });
          },
          [&] { put_all(p.producer(), 0, n, of_round); });
      consumer rest = p.consumer();
      for (const unsigned x : rest.drain()) out.take(x);
      ASSERT_TRUE(out.each_once());
    }
  });
}

}  // namespace
