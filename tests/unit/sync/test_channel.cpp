// SPDX-License-Identifier: Apache-2.0
// Channels: elements arrive once, in order, and whoever waits is served or told that it ends.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <iterator>
#include <memory>
#include <numeric>
#include <optional>
#include <ranges>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "nopal/nopal.hpp"
#include "nopal/sync/channel.hpp"
#include "support/build.hpp"
#include "support/child_process.hpp"
#include "support/everywhere.hpp"
#include "support/sleeper.hpp"

namespace {

using namespace std::chrono_literals;
using nopal::channel;
using nopal::parallel_invoke;
using nopal::task;
using nopal_test::everywhere;
using nopal_test::on_one_worker;
using clock = std::chrono::steady_clock;

static_assert(std::input_iterator<channel<int>::iterator>);
static_assert(std::ranges::input_range<channel<std::unique_ptr<int>>>);
static_assert(!std::is_copy_constructible_v<channel<int>>);

/// What is received, or -1.
int received(channel<int>& c) {
  const std::optional<int> v = c.receive();
  return v.value_or(-1);
}

TEST(Channel, HoldsAsMuchAsItsCapacity) {
  for (const std::size_t capacity : {0U, 1U, 2U, 7U}) {
    channel<int> c(capacity);
    EXPECT_EQ(c.capacity(), capacity);
    // The ring begins at another place each time.
    for (int round = 0; round < 9; ++round) {
      for (std::size_t i = 0; i < capacity; ++i) {
        EXPECT_EQ(c.size(), i);
        EXPECT_TRUE(c.try_send(static_cast<int>(i)));
      }
      EXPECT_FALSE(c.try_send(7));
      for (std::size_t i = 0; i < capacity; ++i)
        EXPECT_EQ(c.try_receive(), std::optional(static_cast<int>(i)));
      EXPECT_EQ(c.try_receive(), std::nullopt);
      if (capacity > 0) {
        EXPECT_TRUE(c.try_send(1));
        EXPECT_EQ(received(c), 1);
      }
    }
  }
}

TEST(Channel, OfTooMuchRoomIsRefused) {
  EXPECT_THROW(channel<int>(~std::size_t{0}), std::bad_alloc);
}

TEST(Channel, CarriesElementsInTheirOrder) {
  everywhere([] {
    for (const std::size_t capacity : {0U, 1U, 5U}) {
      channel<int> c(capacity);
      std::vector<int> all;
      parallel_invoke(
          [&] {
            for (int i = 0; i < 50; ++i) EXPECT_TRUE(bool(c.send(i)));
            c.close();
          },
          [&] {
            for (const int v : c) all.push_back(v);
          });
      std::vector<int> expected(50);
      std::iota(expected.begin(), expected.end(), 0);
      EXPECT_EQ(all, expected);
    }
  });
}

// A rendezvous: whoever sends goes on when its element has been received.
TEST(Channel, WithoutRoomLetsWhoeverSendsWaitForWhoeverReceives) {
  on_one_worker([] {
    channel<int> c;
    bool sent = false;
    EXPECT_FALSE(c.try_send(1));
    parallel_invoke(
        [&] {
          c.send(1);
          sent = true;
        },
        [&] {
          EXPECT_FALSE(sent);
          EXPECT_EQ(c.size(), 0U);
          EXPECT_EQ(c.try_receive(), std::optional(1));
        });
    EXPECT_TRUE(sent);
    parallel_invoke([&] { EXPECT_EQ(received(c), 2); }, [&] { EXPECT_TRUE(c.try_send(2)); });
    EXPECT_EQ(c.try_receive(), std::nullopt);
  });
}

// Those that wait are served in their order, and those that come later find no room before them.
TEST(Channel, ServesThoseThatWaitInTheirOrder) {
  on_one_worker([] {
    channel<int> c(1);
    std::vector<int> all;
    EXPECT_TRUE(c.try_send(0));
    const auto send = [&](int i) { return [&, i] { EXPECT_TRUE(bool(c.send(i))); }; };
    parallel_invoke(send(1), send(2), send(3), [&] {
      for (int i = 0; i < 4; ++i) {
        all.push_back(received(c));
        EXPECT_FALSE(i < 3 && c.try_send(9));
      }
    });
    EXPECT_EQ(all, (std::vector{0, 1, 2, 3}));
    std::array<int, 3> got{};
    const auto receive = [&](int i) { return [&, i] { got[i] = received(c); }; };
    parallel_invoke(receive(0), receive(1), receive(2), [&] {
      for (int i = 5; i < 8; ++i) EXPECT_TRUE(c.try_send(i));
      EXPECT_EQ(c.size(), 0U);
    });
    EXPECT_EQ(got, (std::array{5, 6, 7}));
  });
}

TEST(Channel, OfElementsThatOnlyMove) {
  everywhere([] {
    for (const std::size_t capacity : {0U, 2U}) {
      channel<std::unique_ptr<int>> c(capacity);
      int sum = 0;
      parallel_invoke(
          [&] {
            for (int i = 0; i < 10; ++i) {
              auto p = std::make_unique<int>(i);
              EXPECT_TRUE(bool(c.send(std::move(p))));
              EXPECT_EQ(p, nullptr);
            }
            c.close();
          },
          [&] {
            while (std::optional<std::unique_ptr<int>> p = c.receive()) sum += **p;
          });
      EXPECT_EQ(sum, 45);
      EXPECT_EQ(c.begin(), c.end());
    }
  });
}

TEST(Channel, DoesNotMoveFromWhatItRefuses) {
  for (const std::size_t capacity : {0U, 1U}) {
    channel<std::string> c(capacity);
    std::stop_source stopped;
    stopped.request_stop();
    std::error_code error;
    std::string text = "a text that is longer than what lies in a string itself";
    const std::string same = text;
    EXPECT_EQ(c.try_send("first"), capacity == 1);
    EXPECT_FALSE(c.try_send(std::move(text)));
    EXPECT_EQ(text, same);
    EXPECT_THROW(c.send(std::move(text), 1ms), std::system_error);
    EXPECT_EQ(text, same);
    EXPECT_FALSE(bool(c.send(std::move(text), error, 1ms)));
    EXPECT_EQ(error, std::errc::timed_out);
    EXPECT_EQ(text, same);
    EXPECT_FALSE(bool(c.send(std::move(text), error, stopped.get_token())));
    EXPECT_EQ(error, std::errc::operation_canceled);
    EXPECT_EQ(text, same);
    nopal_test::sleeper closes([&] {
      std::this_thread::sleep_for(2ms);
      c.close();
    });
    EXPECT_FALSE(bool(c.send(std::move(text))));  // closed as it waits
    EXPECT_EQ(text, same);
    EXPECT_FALSE(bool(c.send(std::move(text))));
    EXPECT_FALSE(bool(c.send(std::move(text), error, 1ms)));
    EXPECT_FALSE(error);
    EXPECT_FALSE(c.try_send(std::move(text)));
    EXPECT_EQ(text, same);
    closes.join();
  }
}

TEST(Channel, LetsBeReceivedWhatIsInItWhenItIsClosed) {
  channel<int> c(3);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(c.try_send(i));
  EXPECT_FALSE(c.is_closed());
  c.close();
  EXPECT_TRUE(c.is_closed());
  c.close();
  EXPECT_FALSE(c.try_send(3));
  EXPECT_EQ(c.size(), 3U);
  EXPECT_EQ(received(c), 0);
  EXPECT_FALSE(bool(c.send(3)));
  EXPECT_EQ(c.try_receive(), std::optional(1));
  std::error_code error = std::make_error_code(std::errc::timed_out);
  std::optional<int> last = c.receive(error, 1ms);
  EXPECT_EQ(last, std::optional(2));
  EXPECT_FALSE(error);
  EXPECT_EQ(received(c), -1);
  last = c.receive(1h);
  EXPECT_EQ(last, std::nullopt);
  EXPECT_EQ(c.try_receive(), std::nullopt);
}

TEST(Channel, ThatIsClosedLetsAllGoOnThatWait) {
  everywhere([] {
    channel<int> empty, full(1);
    full.send(1);
    std::atomic<int> ended{0};
    const auto receive = [&] { ended += received(empty) == -1; };
    const auto send = [&] { ended += !full.send(2); };
    parallel_invoke(receive, send, receive, send, [&] {
      empty.close();
      full.close();
    });
    EXPECT_EQ(ended, 4);
    EXPECT_EQ(received(full), 1);
    EXPECT_EQ(received(full), -1);
  });
}

TEST(Channel, ALimitEndsAWait) {
  everywhere([] {
    channel<int> c;
    std::error_code error;
    std::stop_source source;
    const clock::time_point before = clock::now();
    EXPECT_EQ(std::optional<int>(c.receive(error, 1ms)), std::nullopt);
    EXPECT_GE(clock::now(), before + 1ms);
    EXPECT_EQ(error, std::errc::timed_out);
    EXPECT_FALSE(bool(c.send(1, error, {source.get_token(), 1ms})));
    EXPECT_EQ(error, std::errc::timed_out);
    EXPECT_THROW(c.receive(1ms), std::system_error);
    EXPECT_THROW(c.send(1, clock::now() - 1s), std::system_error);
    parallel_invoke([&] { EXPECT_THROW(c.receive(source.get_token()), nopal::stopped); },
                    [&] { source.request_stop(); });
    EXPECT_EQ(c.try_receive(), std::nullopt);  // nothing has been left behind
    EXPECT_FALSE(c.try_send(2));
  });
}

// Whoever comes is served by the next that waits, not by those whose wait has ended.
TEST(Channel, PassesThoseByWhoseWaitHasEnded) {
  on_one_worker([] {
    channel<int> c;
    std::stop_source source;
    int got = 0;
    parallel_invoke([&] { EXPECT_THROW(c.receive(source.get_token()), nopal::stopped); },
                    [&] { got = received(c); },
                    [&] {
                      source.request_stop();
                      EXPECT_TRUE(c.try_send(5));
                      EXPECT_FALSE(c.try_send(6));
                    });
    EXPECT_EQ(got, 5);
    source = std::stop_source();
    parallel_invoke([&] { EXPECT_THROW(c.send(7, source.get_token()), nopal::stopped); },
                    [&] { EXPECT_TRUE(bool(c.send(8))); },
                    [&] {
                      source.request_stop();
                      EXPECT_EQ(c.try_receive(), std::optional(8));
                      EXPECT_EQ(c.try_receive(), std::nullopt);
                    });
  });
}

task<void> send_some(channel<int>& c, int first, int n) {
  for (int i = first; i < first + n; ++i)
    if (!co_await c.send(i)) co_return;
}
task<int> receive_all(channel<int>& c) {
  int sum = 0;
  while (std::optional<int> v = co_await c.receive()) sum += *v;
  co_return sum;
}
task<std::string> send_text(channel<std::string>& c, std::string text, nopal::limits within) {
  std::error_code error;
  const bool sent = co_await c.send(std::move(text), error, within);
  EXPECT_EQ(sent, !error);
  co_return error ? text : "sent";
}
task<std::string> receive_text(channel<std::string>& c, nopal::limits within) {
  std::optional<std::string> text = co_await c.receive(within);
  co_return text.value_or("nothing");
}

TEST(Channel, InTasks) {
  everywhere([] {
    for (const std::size_t capacity : {0U, 3U}) {
      channel<int> c(capacity);
      int sum = 0;
      parallel_invoke([&] { sum = nopal::wait(receive_all(c)); },
                      [&] {
                        parallel_invoke([&] { nopal::wait(send_some(c, 0, 20)); },
                                        [&] { nopal::wait(send_some(c, 20, 20)); });
                        c.close();
                      });
      EXPECT_EQ(sum, 39 * 20);
      nopal::wait(send_some(c, 0, 1));
    }
    channel<std::string> texts;
    EXPECT_EQ(nopal::wait(send_text(texts, "a text", 1ms)), "a text");
    EXPECT_THROW(nopal::wait(receive_text(texts, 1ms)), std::system_error);
    std::string got;
    parallel_invoke([&] { got = nopal::wait(receive_text(texts, {})); },
                    [&] { EXPECT_EQ(nopal::wait(send_text(texts, "another", {})), "sent"); });
    EXPECT_EQ(got, "another");
    std::stop_source source;
    parallel_invoke(
        [&] { EXPECT_THROW(nopal::wait(receive_text(texts, source.get_token())), nopal::stopped); },
        [&] { source.request_stop(); });
    texts.close();
    EXPECT_EQ(nopal::wait(receive_text(texts, {})), "nothing");
  });
}

/// Counts how many of its kind are alive.
struct counted {
  static inline std::atomic<int> alive{0};
  int value;
  explicit counted(int v) : value(v) { ++alive; }
  counted(const counted& o) : value(o.value) { ++alive; }
  counted(counted&& o) noexcept : value(std::exchange(o.value, -1)) { ++alive; }
  counted& operator=(const counted&) = delete;
  ~counted() { --alive; }
};

TEST(Channel, DestroysWhatIsInItAndNothingTwice) {
  {
    channel<counted> c(3);
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(c.try_send(counted(i)));
    EXPECT_EQ(counted::alive, 3);
    EXPECT_EQ(c.try_receive()->value, 0);
    EXPECT_EQ(counted::alive, 2);
    EXPECT_TRUE(c.try_send(counted(3)));  // behind the end of the ring
    const counted lvalue(4);
    EXPECT_FALSE(c.try_send(lvalue));
    EXPECT_EQ(counted::alive, 4);
  }
  EXPECT_EQ(counted::alive, 0);
  {
    channel<counted> c;
    parallel_invoke(
        [&] {
          const counted lvalue(5);
          c.send(lvalue);
          EXPECT_EQ(lvalue.value, 5);
          c.send(counted(6));
          c.close();
        },
        [&] {
          int next = 5;
          for (counted& v : c) EXPECT_EQ(v.value, next++);
          EXPECT_EQ(next, 7);
        });
  }
  EXPECT_EQ(counted::alive, 0);
}

struct copy_throws {
  int value = 0;
  explicit copy_throws(int v) : value(v) {}
  copy_throws(const copy_throws&) { throw std::runtime_error("copied"); }
  copy_throws(copy_throws&&) noexcept = default;
};

TEST(Channel, ACopyThatThrowsSendsNothing) {
  channel<copy_throws> c(2);
  const copy_throws lvalue(1);
  std::error_code error;
  EXPECT_THROW(c.send(lvalue), std::runtime_error);
  EXPECT_THROW(c.send(lvalue, 1ms), std::runtime_error);
  EXPECT_THROW(c.send(lvalue, error, 1ms), std::runtime_error);
  EXPECT_THROW(c.try_send(lvalue), std::runtime_error);
  EXPECT_EQ(c.size(), 0U);
  EXPECT_TRUE(bool(c.send(copy_throws(2))));
  EXPECT_EQ(c.try_receive()->value, 2);
}

struct alignas(64) aligned {
  std::uint64_t value;
  explicit aligned(std::uint64_t v) : value(v) { look(); }
  aligned(const aligned& o) noexcept : value(o.value) { look(); }
  ~aligned() { look(); }
  void look() const { EXPECT_EQ(reinterpret_cast<std::uintptr_t>(this) % 64, 0U); }
};

TEST(Channel, OfElementsOfAHighAlignment) {
  for (const std::size_t capacity : {0U, 3U}) {
    channel<aligned> c(capacity);
    std::uint64_t sum = 0;
    std::jthread sends([&] {
      for (std::uint64_t i = 0; i < 10; ++i) {
        const aligned lvalue(i);
        c.send(lvalue);
        c.send(aligned(i));
      }
      c.close();
    });
    while (std::optional<aligned> v = c.receive()) {
      v->look();
      sum += v->value;
    }
    EXPECT_EQ(sum, 90U);
  }
}

// Each element is received once, by strands, tasks and threads.
TEST(Channel, ManyThatSendAndManyThatReceive) {
  constexpr int each = nopal_test::with_sanitizer ? 200 : 2000;
  for (const std::size_t capacity : {0U, 1U, 16U}) {
    channel<int> c(capacity);
    std::atomic<int> sending{6};
    std::atomic<long> sum{0}, count{0};
    const auto send = [&] {
      for (int i = 0; i < each; ++i) EXPECT_TRUE(bool(c.send(i)));
    };
    const auto last_closes = [&] {
      if (--sending == 0) c.close();
    };
    const auto receive = [&] {
      for (const int v : c) {
        sum += v;
        ++count;
      }
    };
    nopal::runtime own({.workers = 2, .caller_works = false});
    {
      std::vector<std::jthread> all;
      for (const bool inside : {false, true}) {
        all.emplace_back([&, inside] {
          const auto some = [&] {
            nopal::for_each(std::views::iota(0, 3), [&](int i) {
              if (i == 0)
                nopal::wait(send_some(c, 0, each));
              else
                send();
              last_closes();
            });
          };
          inside ? own.run(some) : some();
        });
        all.emplace_back([&, inside] { inside ? own.run(receive) : receive(); });
      }
      all.emplace_back([&] {
        while (!c.is_closed() || c.size() > 0) {
          if (const std::optional<int> v = c.try_receive()) {
            sum += *v;
            ++count;
          } else {
            std::this_thread::yield();
          }
        }
      });
    }
    EXPECT_EQ(count, 6L * each);
    EXPECT_EQ(sum, 6L * each * (each - 1) / 2);
    EXPECT_EQ(c.size(), 0U);
  }
}

// Whoever has received the last element may destroy the channel.
TEST(Channel, MayBeDestroyedWhenTheLastElementIsReceived) {
  constexpr int rounds = nopal_test::with_sanitizer ? 100 : 500;
  for (int i = 0; i < rounds; ++i) {
    auto c = std::make_unique<channel<int>>(i % 2);
    std::jthread sends([&, to = c.get()] { to->send(i); });
    EXPECT_EQ(received(*c), i);
    c.reset();
  }
  for (int i = 0; i < rounds; ++i) {
    auto c = std::make_unique<channel<int>>(i % 2);
    std::jthread closes([to = c.get()] { to->close(); });
    EXPECT_EQ(received(*c), -1);
    if (i % 4 < 2) closes.join();  // otherwise it has let this thread go on, or has unlocked
    c.reset();
  }
}

TEST(Channel, IteratesOverWhatComes) {
  everywhere([] {
    channel<std::unique_ptr<int>> c(4);
    for (int i = 0; i < 4; ++i) EXPECT_TRUE(c.try_send(std::make_unique<int>(i)));
    c.close();
    auto it = c.begin();
    EXPECT_EQ(**it, 0);
    EXPECT_EQ(**it, 0);
    ++it;
    const std::unique_ptr<int> taken = std::move(*it);  // it is the iterator's own
    EXPECT_EQ(*taken, 1);
    it++;
    EXPECT_EQ(**it, 2);
    EXPECT_NE(it, c.end());
    ++it;
    ++it;
    EXPECT_EQ(it, c.end());
  });
  channel<int> squares(100);
  for (int i = 0; i < 10; ++i) squares.send(i * i);
  squares.close();
  int sum = 0;
  for (const int v : squares | std::views::filter([](int v) { return v % 2 == 0; })) sum += v;
  EXPECT_EQ(sum, 120);
}

// What a call is made for: its value, or nothing. It is made once.
TEST(Channel, ACallIsMadeOnceWhereverItsValueIsUsed) {
  channel<int> c(10);
  c.send(1);
  (void)c.send(2);
  const bool sent = c.send(3);
  if (c.send(4)) c.send(5);
  EXPECT_TRUE(sent && c.send(6) && !!c.send(7));
  EXPECT_EQ(c.size(), 7U);
  c.receive();
  const auto first = std::optional<int>(c.receive());
  EXPECT_EQ(first, std::optional(2));
  EXPECT_EQ(c.size(), 5U);
}

TEST(Channel, OfAChildOfFork) {
  if (nopal_test::with_tsan || nopal_test::with_emulator) GTEST_SKIP();
  channel<int> c(1);
  c.send(1);
  const auto child = nopal_test::in_child([&] {
    std::error_code error;
    if (c.send(2, error, 1ms) || error != std::errc::timed_out) return 1;
    nopal_test::sleeper sends([&] { c.send(2); });
    sends.until_asleep();
    if (received(c) != 1 || received(c) != 2) return 2;
    sends.join();
    nopal::runtime r({.workers = 2, .caller_works = false});
    int sum = 0;
    r.run([&] {
      parallel_invoke([&] { sum = nopal::wait(receive_all(c)); },
                      [&] {
                        nopal::wait(send_some(c, 0, 10));
                        c.close();
                      });
    });
    return sum == 45 ? 0 : 3;
  });
  EXPECT_TRUE(child.ok()) << child;
  EXPECT_EQ(c.size(), 1U);
  EXPECT_FALSE(c.is_closed());
}

}  // namespace
