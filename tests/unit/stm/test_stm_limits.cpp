// SPDX-License-Identifier: Apache-2.0
// Limits of transactions that wait in retry().
#include <gtest/gtest.h>

#include <optional>
#include <stop_token>
#include <system_error>
#include <thread>

#include "nopal/async/countdown.hpp"
#include "nopal/parallel_invoke.hpp"
#include "nopal/runtime.hpp"
#include "nopal/stm.hpp"
#include "nopal/stop.hpp"
#include "nopal/task.hpp"
#include "nopal/wait/stopped.hpp"
#include "unit/sync/on_workers.hpp"

namespace {

namespace stm = nopal::stm;
using namespace nopal_test;
using nopal::parallel_invoke;
using nopal::runtime;
using stm::transaction;

/// A counter that transactions take from.
struct tickets {
  explicit tickets(int n) : left(n) {}
  stm::var<int> left;
  stm::var<int> attempts{0};

  auto taking() {
    return [this](transaction& t) {
      t.set(attempts, t.get(attempts) + 1);
      if (t.get(left) == 0) t.retry();
      t.set(left, t.get(left) - 1);
      return t.get(left);
    };
  }
  void put() {
    stm::atomically([this](transaction& t) { t.set(left, t.get(left) + 1); });
  }
};

TEST(StmLimits, ADeadlineEndsATransactionWithoutEffect) {
  on_workers_and_threads(2, [] {
    tickets all(0);
    std::error_code error;
    EXPECT_FALSE(stm::atomically(all.taking(), error, short_time).has_value());
    EXPECT_TRUE(is_timeout(error));
    EXPECT_THROW(stm::atomically(all.taking(), short_time), std::system_error);
    bool was_undone = false;
    const auto waits = [&](transaction& t) {
      t.on_abort([&] { was_undone = true; });
      if (t.get(all.left) == 0) t.retry();
    };
    stm::atomically(waits, error, short_time);
    EXPECT_TRUE(is_timeout(error));
    EXPECT_TRUE(was_undone);
    EXPECT_EQ(all.attempts.value(), 0);
    all.put();
    EXPECT_EQ(stm::atomically(all.taking(), error, -short_time), 0) << "it need not wait";
    EXPECT_FALSE(error);
    all.put();
    EXPECT_EQ(stm::atomically(all.taking(), long_time), 0);
  });
}

TEST(StmLimits, ATaskHasADeadline) {
  on_one_and_two_workers([](runtime&) {
    tickets all(0);
    const auto waits = [](tickets& of) -> nopal::task<> {
      std::error_code error;
      const std::optional<int> none =
          co_await stm::async_atomically(of.taking(), error, short_time);
      EXPECT_FALSE(none.has_value());
      EXPECT_TRUE(is_timeout(error));
      bool has_thrown = false;
      try {
        static_cast<void>(co_await stm::async_atomically(of.taking(), short_time));
      } catch (const std::system_error& e) {
        has_thrown = is_timeout(e.code());
      }
      EXPECT_TRUE(has_thrown);
      of.put();
      const int zero = co_await stm::async_atomically(of.taking(), long_time);
      EXPECT_EQ(zero, 0);
    };
    nopal::wait(waits(all));
  });
}

TEST(StmLimits, AChangeEndsAWait) {
  on_one_and_two_workers([](runtime&) {
    for (const bool by_task : {false, true}) {
      tickets all(0);
      std::error_code error;
      std::optional<int> left;
      parallel_invoke(
          [&] {
            if (by_task)
              left = nopal::wait(stm::async_atomically(all.taking(), error, long_time));
            else
              left = stm::atomically(all.taking(), error, long_time);
          },
          [&] { all.put(); });
      EXPECT_EQ(left, 0);
      EXPECT_FALSE(error);
    }
  });
}

TEST(StmLimits, AStopEndsAWaitAndNoOther) {
  on_one_and_two_workers([](runtime&) {
    tickets all(0);
    std::stop_source source;
    std::error_code error;
    std::optional<int> left;
    bool is_stopped = false;
    nopal::countdown has_ended(1);
    parallel_invoke([&] { left = stm::atomically(all.taking()); },
                    [&] {
                      try {
                        stm::atomically(all.taking(), source.get_token());
                      } catch (const nopal::stopped&) {
                        is_stopped = true;
                      }
                      has_ended.signal();
                    },
                    [&] {
                      source.request_stop();
                      has_ended.wait();  // or it might take what is put
                      all.put();
                    });
    EXPECT_TRUE(is_stopped);
    EXPECT_EQ(left, 0);
    all.put();
    EXPECT_FALSE(stm::atomically(all.taking(), error, source.get_token()).has_value());
    EXPECT_TRUE(is_stop(error)) << "though it need not wait";
    EXPECT_EQ(all.left.value(), 1);
  });
}

TEST(StmLimits, AStopOfTheScopeEndsAWait) {
  on_one_and_two_workers([](runtime&) {
    tickets all(0);
    std::stop_source source;
    parallel_invoke(
        [&] {
          EXPECT_THROW(nopal::with_stop(source.get_token(), [&] { stm::atomically(all.taking()); }),
                       nopal::stopped);
        },
        [&] {
          EXPECT_THROW(nopal::with_stop(source.get_token(),
                                        [&] { nopal::wait(stm::async_atomically(all.taking())); }),
                       nopal::stopped);
        },
        [&] { source.request_stop(); });
    EXPECT_EQ(all.attempts.value(), 0);
  });
}

}  // namespace
