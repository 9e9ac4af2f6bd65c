// SPDX-License-Identifier: Apache-2.0
// select: of several cases one is taken, and the others leave nothing behind.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <ranges>
#include <stop_token>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "nopal/nopal.hpp"
#include "nopal/sync/channel.hpp"
#include "nopal/sync/select.hpp"
#include "support/build.hpp"
#include "support/everywhere.hpp"

namespace {

using namespace std::chrono_literals;
using nopal::after;
using nopal::channel;
using nopal::otherwise;
using nopal::parallel_invoke;
using nopal::select;
using nopal::task;
using nopal_test::everywhere;
using nopal_test::on_one_worker;
using clock = std::chrono::steady_clock;

TEST(Select, TakesACaseThatNeedsNoWait) {
  everywhere([] {
    channel<int> empty(1), full(1);
    full.send(7);
    std::optional<int> got;
    EXPECT_EQ(int(select(empty.receiving(got), full.sending(8), full.receiving(got))), 2);
    EXPECT_EQ(got, std::optional(7));
    EXPECT_EQ(int(select(full.receiving(got), full.sending(8))), 1);
    EXPECT_EQ(full.try_receive(), std::optional(8));
    EXPECT_EQ(empty.size(), 0U);
    const int lvalue = 9;
    switch (select(empty.receiving(got), empty.sending(lvalue))) {
      case 1:
        break;
      default:
        ADD_FAILURE();
    }
    EXPECT_EQ(empty.try_receive(), std::optional(9));
  });
}

TEST(Select, WaitsForTheFirstCaseThatCanBeTaken) {
  on_one_worker([] {
    channel<int> a, b, c;
    std::optional<int> got;
    int which = -1;
    const auto wait = [&] { which = select(a.receiving(got), b.sending(1), c.receiving(got)); };
    parallel_invoke(wait, [&] { EXPECT_TRUE(c.try_send(2)); });
    EXPECT_EQ(which, 2);
    EXPECT_EQ(got, std::optional(2));
    parallel_invoke(wait, [&] { EXPECT_EQ(b.try_receive(), std::optional(1)); });
    EXPECT_EQ(which, 1);
    parallel_invoke(wait, [&] { EXPECT_TRUE(a.try_send(3)); });
    EXPECT_EQ(which, 0);
    EXPECT_EQ(got, std::optional(3));
    // Nothing is left of the cases that were not taken.
    EXPECT_FALSE(a.try_send(4) || c.try_send(4));
    EXPECT_EQ(b.try_receive(), std::nullopt);
  });
}

// The optional of a case that is not taken is empty, whichever case is looked at first.
TEST(Select, EmptiesWhatItCouldReceiveInto) {
  channel<int> a(1), b(1);
  for (int i = 0; i < 64; ++i) {
    std::optional<int> of_a(1), of_b(2);
    a.send(3);
    EXPECT_EQ(int(select(a.receiving(of_a), b.receiving(of_b))), 0);
    EXPECT_EQ(of_a, std::optional(3));
    EXPECT_EQ(of_b, std::nullopt);
  }
  b.close();
  std::optional<int> stale(1);
  EXPECT_EQ(int(select(b.receiving(stale), a.receiving(stale))), 0);
  EXPECT_EQ(stale, std::nullopt);
}

/// Sends to a channel when it is destroyed.
struct sends_at_its_end {
  channel<std::unique_ptr<sends_at_its_end>>* to;
  ~sends_at_its_end() { to->try_send(nullptr); }
};

// What lies there from the round before is not destroyed while the channel is locked.
TEST(Select, MayReceiveIntoWhatUsesTheChannelAtItsEnd) {
  channel<std::unique_ptr<sends_at_its_end>> c(2);
  std::optional<std::unique_ptr<sends_at_its_end>> got(new sends_at_its_end{&c});
  EXPECT_EQ(int(select(c.receiving(got), otherwise())), 0);
  EXPECT_TRUE(got.has_value() && *got == nullptr);
}

TEST(Select, MovesFromWhatItSendsOnlyIfItTakesTheCase) {
  channel<std::string> full(1), room(1);
  full.send("full");
  const std::string same = "a text that is longer than what lies in a string itself";
  std::string a = same, b = same;
  EXPECT_EQ(int(select(full.sending(std::move(a)), room.sending(std::move(b)))), 1);
  EXPECT_EQ(a, same);
  EXPECT_EQ(room.try_receive(), std::optional(same));
  room.send("full");
  b = same;
  EXPECT_EQ(int(select(full.sending(std::move(a)), room.sending(std::move(b)), after(1ms))), 2);
  EXPECT_EQ(a, same);
  EXPECT_EQ(b, same);
  EXPECT_THROW(select(nopal::limits(1ms), full.sending(std::move(a))), std::system_error);
  EXPECT_EQ(a, same);
}

TEST(Select, WithTheSameChannelTwice) {
  on_one_worker([] {
    channel<int> c;
    std::optional<int> a, b;
    int which = -1;
    parallel_invoke([&] { which = select(c.receiving(a), c.receiving(b)); },
                    [&] {
                      EXPECT_TRUE(c.try_send(1));
                      EXPECT_FALSE(c.try_send(2));
                    });
    EXPECT_EQ(which, 0);  // the one that was listed first
    EXPECT_EQ(a, std::optional(1));
    EXPECT_EQ(b, std::nullopt);
    parallel_invoke([&] { which = select(c.sending(3), c.sending(4)); },
                    [&] {
                      EXPECT_EQ(c.try_receive(), std::optional(3));
                      EXPECT_EQ(c.try_receive(), std::nullopt);
                    });
    EXPECT_EQ(which, 0);
  });
}

// It sends and receives at one channel, and is no partner of its own.
TEST(Select, DoesNotPairWithItself) {
  on_one_worker([] {
    channel<int> c;
    std::optional<int> a, b;
    EXPECT_EQ(int(select(c.sending(1), c.receiving(a), after(1ms))), 2);
    EXPECT_EQ(int(select(c.receiving(a), c.sending(1), otherwise())), 2);
    EXPECT_EQ(a, std::nullopt);
    int first = -1, second = -1;
    parallel_invoke([&] { first = select(c.sending(1), c.receiving(a)); },
                    [&] { second = select(c.sending(2), c.receiving(b)); });
    EXPECT_TRUE((first == 0 && second == 1 && b == 1 && !a) ||
                (first == 1 && second == 0 && a == 2 && !b))
        << first << ' ' << second;
    EXPECT_EQ(c.try_receive(), std::nullopt);
    EXPECT_FALSE(c.try_send(3));
  });
}

// Two that face each other over the same two channels, named in both orders.
TEST(Select, TwoThatFaceEachOther) {
  constexpr int rounds = nopal_test::with_sanitizer ? 100 : 500;
  channel<int> a, b;
  std::atomic<int> over_a{0}, over_b{0};
  const auto one = [&] {
    for (int i = 0; i < rounds; ++i) {
      std::optional<int> got;
      const int which = i % 2 == 0 ? int(select(a.sending(i), b.receiving(got)))
                                   : 1 - int(select(b.receiving(got), a.sending(i)));
      which == 0 ? ++over_a : ++over_b;
      EXPECT_EQ(got.has_value(), which == 1);
    }
  };
  const auto other = [&] {
    for (int i = 0; i < rounds; ++i) {
      std::optional<int> got;
      const int which = i % 3 == 0 ? int(select(a.receiving(got), b.sending(i)))
                                   : 1 - int(select(b.sending(i), a.receiving(got)));
      which == 0 ? --over_a : --over_b;
      EXPECT_EQ(got.has_value(), which == 0);
    }
  };
  everywhere([&] {
    parallel_invoke(one, other);
    EXPECT_EQ(over_a, 0);
    EXPECT_EQ(over_b, 0);
  });
  {
    const std::jthread first(one), second(other);
  }
  EXPECT_EQ(over_a, 0);
  EXPECT_EQ(over_b, 0);
}

TEST(Select, AfterAWhile) {
  everywhere([] {
    channel<int> c;
    std::optional<int> got;
    const clock::time_point before = clock::now();
    EXPECT_EQ(int(select(c.receiving(got), after(1ms))), 1);
    EXPECT_GE(clock::now(), before + 1ms);
    EXPECT_EQ(int(select(after(clock::now() + 1ms), c.sending(1))), 0);
    EXPECT_EQ(int(select(after(clock::now() - 1s), c.sending(1))), 0);
    EXPECT_EQ(int(select(c.sending(1), after(std::chrono::system_clock::now()))), 1);
    EXPECT_EQ(c.try_receive(), std::nullopt);
    parallel_invoke([&] { EXPECT_EQ(int(select(after(1h), c.receiving(got))), 1); },
                    [&] { c.send(1); });
    parallel_invoke(
        [&] { EXPECT_EQ(int(select(c.receiving(got), after(std::chrono::hours::max()))), 0); },
        [&] { c.send(2); });
    EXPECT_EQ(got, std::optional(2));
    channel<int> room(1);
    EXPECT_EQ(int(select(room.sending(1), after(-1h))), 0);  // a case that can be taken comes first
  });
}

TEST(Select, Otherwise) {
  everywhere([] {
    channel<int> c(1);
    std::optional<int> got;
    EXPECT_EQ(int(select(otherwise(), c.receiving(got))), 0);
    EXPECT_EQ(int(select(otherwise(), c.sending(1))), 1);
    EXPECT_EQ(int(select(c.sending(2), otherwise())), 1);
    EXPECT_EQ(int(select(nopal::limits(1ms), c.receiving(got), otherwise())), 0);
    EXPECT_EQ(got, std::optional(1));
    c.close();
    EXPECT_EQ(int(select(otherwise(), c.receiving(got))), 1);
    EXPECT_EQ(got, std::nullopt);
  });
}

TEST(Select, AtAClosedChannel) {
  everywhere([] {
    channel<int> closed(1), open;
    std::optional<int> got;
    closed.send(1);
    closed.close();
    EXPECT_EQ(int(select(open.receiving(got), closed.receiving(got))), 1);
    EXPECT_EQ(got, std::optional(1));
    EXPECT_EQ(int(select(open.receiving(got), closed.receiving(got))), 1);
    EXPECT_EQ(got, std::nullopt);
    try {
      const int which = select(open.receiving(got), closed.sending(1));
      ADD_FAILURE() << which;
    } catch (const std::system_error& e) {
      EXPECT_EQ(e.code(), std::errc::broken_pipe);
    }
    EXPECT_THROW((void)int(select(nopal::limits(1ms), closed.sending(1))), std::system_error);
  });
}

// Nobody uses the index, so that the call is made at the end of the expression.
TEST(Select, ThrowsAtAClosedChannelWhereNobodyUsesItsValue) {
  channel<int> closed;
  closed.close();
  EXPECT_THROW(select(closed.sending(1)), std::system_error);
  EXPECT_THROW(select(nopal::limits(1h), closed.sending(1)), std::system_error);
}

TEST(Select, IsToldThatAChannelIsClosedWhileItWaits) {
  everywhere([] {
    channel<int> a, b;
    std::optional<int> got;
    parallel_invoke([&] { EXPECT_EQ(int(select(a.receiving(got), b.receiving(got))), 1); },
                    [&] { b.close(); });
    EXPECT_EQ(got, std::nullopt);
    parallel_invoke(
        [&] {
          try {
            const int which = select(a.sending(1), after(1h));
            ADD_FAILURE() << which;
          } catch (const std::system_error& e) {
            EXPECT_EQ(e.code(), std::errc::broken_pipe);
          }
        },
        [&] { a.close(); });
  });
}

TEST(Select, ALimitEndsAWait) {
  everywhere([] {
    channel<int> c, room(1);
    std::optional<int> got;
    std::stop_source source;
    try {
      (void)int(select(nopal::limits(1ms), c.receiving(got), c.sending(1), after(1h)));
      ADD_FAILURE();
    } catch (const std::system_error& e) {
      EXPECT_EQ(e.code(), std::errc::timed_out);
    }
    EXPECT_EQ(int(select(1h, c.receiving(got), after(1ms))), 1);
    parallel_invoke(
        [&] {
          EXPECT_THROW((void)int(select(source.get_token(), c.receiving(got), c.sending(2))),
                       nopal::stopped);
        },
        [&] { source.request_stop(); });
    EXPECT_THROW(select({source.get_token(), 1h}, room.sending(1)), nopal::stopped);
    EXPECT_EQ(room.size(), 0U);
    EXPECT_EQ(int(select(clock::now() - 1s, room.sending(1))), 0);
    EXPECT_EQ(c.try_receive(), std::nullopt);
    EXPECT_FALSE(c.try_send(3));
  });
}

task<int> select_in_task(channel<int>& a, channel<int>& b, std::optional<int>& got) {
  co_return co_await select(a.receiving(got), b.sending(7));
}
task<int> select_within(channel<int>& a, std::optional<int>& got, nopal::limits within) {
  co_return co_await select(within, a.receiving(got), after(1h));
}
task<int> select_after(channel<int>& a, std::optional<int>& got) {
  const int which = co_await select(a.receiving(got), a.sending(1), after(1ms));
  co_return which * 10 + co_await select(otherwise(), a.receiving(got));
}

TEST(Select, InTasks) {
  everywhere([] {
    channel<int> a, b;
    std::optional<int> got;
    int which = -1;
    const auto wait = [&] { which = nopal::wait(select_in_task(a, b, got)); };
    parallel_invoke(wait, [&] { a.send(1); });
    EXPECT_EQ(which, 0);
    EXPECT_EQ(got, std::optional(1));
    parallel_invoke(wait, [&] { EXPECT_EQ(std::optional<int>(b.receive()), std::optional(7)); });
    EXPECT_EQ(which, 1);
    EXPECT_EQ(nopal::wait(select_after(a, got)), 20);
    EXPECT_THROW(nopal::wait(select_within(a, got, 1ms)), std::system_error);
    std::stop_source source;
    parallel_invoke(
        [&] {
          EXPECT_THROW(nopal::wait(select_within(a, got, source.get_token())), nopal::stopped);
        },
        [&] { source.request_stop(); });
    parallel_invoke(
        [&] { EXPECT_THROW(nopal::wait(select_in_task(a, b, got)), std::system_error); },
        [&] { b.close(); });
  });
}

// Whatever is ready all the time, each case has its turn.
TEST(Select, NoCaseIsStarved) {
  channel<int> a(1), b(1), c(1);
  for (auto* one : {&a, &b, &c}) one->send(0);
  std::array<int, 3> taken{};
  constexpr int times = 3000;
  for (int i = 0; i < times; ++i) {
    std::optional<int> got;
    const int which = select(a.receiving(got), b.receiving(got), c.receiving(got));
    ++taken[static_cast<unsigned>(which)];
    std::array{&a, &b, &c}[static_cast<unsigned>(which)]->send(i);
  }
  for (const int t : taken) EXPECT_GT(t, times / 10);
}

// Some CPUs count their time in steps of many ticks.
TEST(Select, BeginsAnywhereHoweverTheCpuCounts) {
  for (unsigned n = 1; n <= 5; ++n)
    for (std::uint64_t step = 1; step <= 120; ++step) {
      std::array<unsigned, 5> begun{};
      for (std::uint64_t i = 0; i < 1000; ++i) {
        const unsigned first = nopal::detail::index_at(12'345'678'901 * step + i * step, n);
        ASSERT_LT(first, n);
        ++begun[first];
      }
      for (unsigned i = 0; i < n; ++i) EXPECT_GT(begun[i], 1000 / n / 3) << n << ' ' << step;
    }
}

// All elements of several channels arrive once, whoever takes them.
TEST(Select, ManyAtOnce) {
  constexpr int each = nopal_test::with_sanitizer ? 100 : 1000;
  channel<int> a, b(1), c(4), quit;
  std::atomic<long> sum{0};
  std::atomic<int> count{0}, sending{3};
  const auto send = [&](int i) {
    for (int k = 0; k < each; ++k) {
      // Somewhere else if nobody takes it here.
      const int which = i % 2 == 0 ? int(select(a.sending(k), b.sending(k), c.sending(k)))
                                   : int(select(c.sending(k), a.sending(k), after(10us)));
      if (i % 2 == 1 && which == 2) b.send(k);
    }
    if (--sending == 0) quit.close();
  };
  const auto receive = [&] {
    for (bool ends = false; !ends;) {
      std::optional<int> got, none;
      const int which =
          select(quit.receiving(none), a.receiving(got), b.receiving(got), c.receiving(got));
      if (which == 0) {
        // What is in the channels still is received before the end.
        ends = select(b.receiving(got), c.receiving(got), otherwise()) == 2;
      }
      if (got) {
        sum += *got;
        ++count;
      }
    }
  };
  nopal::runtime own({.workers = 2, .caller_works = false});
  {
    std::vector<std::jthread> all;
    for (int i = 0; i < 3; ++i) {
      if (i == 0)
        all.emplace_back([&] { own.run([&] { send(0); }); });
      else
        all.emplace_back([&, i] { send(i); });
      if (i == 1)
        all.emplace_back([&] { own.run([&] { parallel_invoke(receive, receive); }); });
      else
        all.emplace_back(receive);
    }
  }
  EXPECT_EQ(count, 3 * each);
  EXPECT_EQ(sum, 3L * each * (each - 1) / 2);
}

// A wait ends as soon as it goes on, and the last one destroys the channel.
TEST(Select, MayEndWithItsChannels) {
  constexpr int rounds = nopal_test::with_sanitizer ? 100 : 500;
  for (int i = 0; i < rounds; ++i) {
    auto a = std::make_unique<channel<int>>();
    auto b = std::make_unique<channel<int>>(1);
    std::jthread sends([&, to_a = a.get(), to_b = b.get()] {
      EXPECT_EQ(i % 2 == 0 ? int(select(to_a->sending(1))) : int(select(to_b->sending(1))), 0);
    });
    std::optional<int> got;
    EXPECT_EQ(int(select(a->receiving(got), b->receiving(got))), i % 2);
    a.reset();
    b.reset();
  }
}

}  // namespace
