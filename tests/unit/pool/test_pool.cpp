// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "nopal/pool.hpp"
#include "support/build.hpp"
#include "support/child_process.hpp"
#include "support/watchdog.hpp"

namespace {

using namespace std::chrono_literals;
using nopal::pool;
using nopal::detail::access_lists;
using nopal::detail::chunked_common;
using nopal::detail::make_access_lists;
using nopal::detail::salsa;
using nopal::detail::sc_pool;
using nopal::detail::sc_pool_options;

static_assert(sc_pool<salsa<int>>);
static_assert(sc_pool<salsa<std::unique_ptr<int>>>);
static_assert(std::is_nothrow_move_constructible_v<nopal::pool_producer<int>>);
static_assert(std::is_nothrow_move_constructible_v<nopal::pool_consumer<int>>);
static_assert(!std::is_copy_constructible_v<nopal::pool_producer<int>>);
static_assert(!std::is_copy_constructible_v<nopal::pool_consumer<int>>);
static_assert(std::input_iterator<nopal::pool_range<int, true>::iterator>);

/// Counts the objects that live; its move throws when told so.
struct counted {
  static inline std::atomic<int> alive{0};
  static inline bool throws = false;

  explicit counted(int v) : value(v) { ++alive; }
  counted(counted&& other) : value(other.value) {
    if (throws) throw std::runtime_error("move");
    ++alive;
  }
  counted& operator=(counted&&) = default;
  ~counted() { --alive; }

  int value;
};

TEST(Pool, WhatIsPutComesOut) {
  pool<int> p({.chunk = 3});
  auto in = p.producer();
  auto out = p.consumer();
  EXPECT_EQ(out.get(), std::nullopt);
  for (int i = 0; i < 100; ++i) {
    in.put(2 * i);
    in.put(2 * i + 1);
    EXPECT_EQ(out.get(), i);  // one producer and one consumer: first in, first out, as it happens
  }
  for (int i = 100; i < 200; ++i) EXPECT_EQ(out.get(), i);
  EXPECT_EQ(out.get(), std::nullopt);
}

TEST(Pool, OneTaskInAChunk) {
  pool<int> p({.chunk = 1});
  auto in = p.producer();
  auto out = p.consumer();
  for (int i = 0; i < 100; ++i) {
    in.put(i);
    EXPECT_EQ(out.get(), i);
    EXPECT_EQ(out.get(), std::nullopt);
  }
}

TEST(Pool, DefaultOptions) {
  pool<std::string> p;
  auto in = p.producer();
  const std::string text = "copied";
  in.put(text);
  in.emplace(3U, 'x');
  auto out = p.consumer();
  EXPECT_EQ(out.get(), "copied");
  EXPECT_EQ(out.get(), "xxx");
}

TEST(Pool, OnlyMovable) {
  pool<std::unique_ptr<int>> p({.chunk = 2});
  auto in = p.producer();
  auto out = p.consumer();
  for (int i = 0; i < 5; ++i) in.put(std::make_unique<int>(i));
  for (int i = 0; i < 5; ++i) EXPECT_EQ(**out.get(), i);
}

TEST(Pool, OverAligned) {
  struct alignas(512) wide {
    int value;
  };
  pool<wide> p({.chunk = 3});
  auto in = p.producer();
  auto out = p.consumer();
  for (int i = 0; i < 10; ++i) in.put(wide{i});
  for (int i = 0; i < 10; ++i) {
    const auto x = out.get();
    EXPECT_EQ(x->value, i);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&*x) % 512, 0U);
  }
}

struct nothing_there;

nothing_there* address(std::uintptr_t number) { return reinterpret_cast<nothing_there*>(number); }

TEST(Pool, PointersTakeOneWordEach) {
  using slot = nopal::detail::chunk<nothing_there*>::slot;
  EXPECT_EQ(sizeof(slot), sizeof(void*));
  EXPECT_EQ(sizeof(nopal::detail::chunk<std::uintptr_t>::slot), 2 * sizeof(void*));
}

TEST(Pool, PointersComeOutAsTheyWere) {
  pool<nothing_there*> p({.consumers = 2, .chunk = 3});
  auto in = p.producer();
  auto out = p.consumer();
  auto thief = p.consumer();
  // Null, odd ones, what is next to the marks, and the highest.
  const std::vector<std::uintptr_t> all{0,
                                        1,
                                        2,
                                        3,
                                        0x8000'0000'0000'0000,
                                        0x8000'0000'0000'0002,
                                        0x8000'0000'0000'0004,
                                        ~std::uintptr_t{0}};
  for (int round = 0; round < 10; ++round) {
    std::vector<std::uintptr_t> got;
    for (const std::uintptr_t x : all) in.put(address(x));
    while (const auto x = (got.size() % 3 == 2 ? thief : out).get())
      got.push_back(reinterpret_cast<std::uintptr_t>(*x));
    std::ranges::sort(got);
    EXPECT_EQ(got, all);
  }
}

TEST(Pool, PointersThatStandForMarksAreRefused) {
  pool<nothing_there*> p({.chunk = 2});
  auto in = p.producer();
  auto out = p.consumer();
  for (const std::uintptr_t mark : {0x8000'0000'0000'0001, 0x8000'0000'0000'0003}) {
    EXPECT_THROW(in.put(address(mark)), std::invalid_argument);
    EXPECT_EQ(out.get(), std::nullopt);
    in.put(address(mark + 1));
    EXPECT_EQ(out.get(), address(mark + 1));
  }
  p.close();
  EXPECT_FALSE(out.wait_for(1h).has_value());  // no put is believed to be inside
}

TEST(Pool, TryGet) {
  pool<int> p({.consumers = 3, .chunk = 2});
  auto in = p.producer();
  auto out = p.consumer();
  auto thief = p.consumer();
  EXPECT_EQ(thief.try_get(), std::nullopt);
  for (int i = 0; i < 7; ++i) in.put(i);
  int sum = 0;
  for (int i = 0; i < 7; ++i) sum += (i % 2 == 0 ? out : thief).try_get().value();
  EXPECT_EQ(sum, 21);
  EXPECT_EQ(out.try_get(), std::nullopt);
  EXPECT_EQ(thief.try_get(), std::nullopt);
}

TEST(Pool, Large) {
  using large = std::array<std::uint64_t, 2000>;
  pool<large> p({.chunk = 3});
  auto in = p.producer();
  auto out = p.consumer();
  large x{};
  for (std::uint64_t i = 0; i < 10; ++i) {
    x.fill(i);
    in.put(x);
  }
  for (std::uint64_t i = 0; i < 10; ++i) {
    x.fill(i);
    EXPECT_EQ(out.get(), x);
  }
}

TEST(Pool, ATaskWhoseMoveThrowsIsTaken) {
  {
    pool<counted> p({.chunk = 2});
    auto in = p.producer();
    auto out = p.consumer();
    for (int i = 0; i < 6; ++i) in.emplace(i);
    for (int i = 0; i < 6; i += 3) {
      EXPECT_EQ(out.get()->value, i);
      counted::throws = true;
      EXPECT_THROW((void)out.get(), std::runtime_error);  // the last in its chunk, and the first
      counted::throws = false;
      EXPECT_EQ(counted::alive, 4 - i);
      EXPECT_EQ(out.get()->value, i + 2);
    }
    EXPECT_FALSE(out.get().has_value());
    in.emplace(7);  // into a chunk that has been emptied by that
    EXPECT_EQ(out.get()->value, 7);
  }
  EXPECT_EQ(counted::alive, 0);
}

TEST(Pool, APutWhoseMoveThrowsLeavesNothing) {
  {
    pool<counted> p({.chunk = 2});
    auto in = p.producer();
    auto out = p.consumer();
    counted x(1);
    counted::throws = true;
    EXPECT_THROW(in.put(std::move(x)), std::runtime_error);
    counted::throws = false;
    EXPECT_FALSE(out.get().has_value());
    in.put(std::move(x));
    EXPECT_EQ(out.get()->value, 1);
  }
  EXPECT_EQ(counted::alive, 0);
}

TEST(Pool, APutWithoutMemoryLeavesTheTaskAlone) {
  if (nopal_test::with_sanitizer) GTEST_SKIP() << "sanitizers end the process";
  struct huge {
    std::unique_ptr<int> value;
    std::array<std::byte, std::size_t{1} << 28> rest;
  };
  pool<huge> p({.chunk = 1U << 20});
  auto in = p.producer();
  const std::unique_ptr<huge> x(new huge);  // nobody touches the rest
  x->value = std::make_unique<int>(5);
  EXPECT_THROW(in.put(std::move(*x)), std::bad_alloc);
  EXPECT_EQ(*x->value, 5);
}

TEST(Pool, TasksInsideAreDestroyedWithIt) {
  for (int taken = 0; taken < 8; ++taken) {
    {
      pool<counted> p({.producers = 2, .consumers = 2, .chunk = 3});
      auto in = p.producer();
      auto in2 = p.producer();
      auto out = p.consumer();
      auto out2 = p.consumer();
      for (int i = 0; i < 8; ++i) (i % 2 == 0 ? in : in2).emplace(i);
      for (int i = 0; i < taken; ++i) EXPECT_TRUE((i % 3 == 0 ? out2 : out).get().has_value());
      EXPECT_EQ(counted::alive, 8 - taken);
    }
    EXPECT_EQ(counted::alive, 0);
  }
}

TEST(Pool, TooManyHandles) {
  pool<int> p({.producers = 2, .consumers = 3});
  auto a = p.producer();
  {
    auto b = p.producer();
    try {
      (void)p.producer();
      FAIL();
    } catch (const std::length_error& e) {
      EXPECT_STREQ(
          e.what(),
          "nopal: all 2 producers of a pool are in use; pool_options::producers sets the limit");
    }
    b.put(1);
  }
  auto c = p.producer();  // goes on where b stopped
  c.put(2);
  std::vector<nopal::pool_consumer<int>> all;
  for (int i = 0; i < 3; ++i) all.push_back(p.consumer());
  EXPECT_THROW((void)p.consumer(), std::length_error);
  all.pop_back();
  all.push_back(p.consumer());
  EXPECT_TRUE(all.back().get().has_value());
  EXPECT_TRUE(all.front().get().has_value());
  EXPECT_FALSE(all.front().get().has_value());
}

TEST(Pool, HandlesMove) {
  pool<int> p({.producers = 2, .consumers = 2});
  auto a = p.producer();
  auto b = std::move(a);
  b.put(1);
  a = p.producer();
  a.put(2);
  auto x = p.consumer();
  std::optional<int> first, second;
  std::thread([&, y = std::move(x)]() mutable { first = y.get(); }).join();
  std::thread([&, y = p.consumer()]() mutable { second = y.get(); }).join();
  ASSERT_TRUE(first && second);
  EXPECT_EQ(*first + *second, 3);
}

TEST(Pool, OptionsOutOfRange) {
  EXPECT_THROW(pool<int>({.producers = 0}), std::invalid_argument);
  EXPECT_THROW(pool<int>({.consumers = 1025}), std::invalid_argument);
  EXPECT_THROW(pool<int>({.chunk = 0}), std::invalid_argument);
  EXPECT_THROW(pool<int>({.chunk = (1U << 20) + 1}), std::invalid_argument);
  EXPECT_THROW(
      pool<int>({.consumers = 2, .places = {.machine = "numa:2 core:1 pu:1", .consumers = {0}}}),
      std::invalid_argument);
  EXPECT_THROW(pool<int>({.places = {.machine = "numa:2 core:1 pu:1", .consumers = {2}}}),
               std::invalid_argument);
  EXPECT_THROW(pool<int>({.places = {.machine = "nonsense"}}), std::invalid_argument);
  try {
    pool<int> p({.consumers = 0});
    FAIL();
  } catch (const std::invalid_argument& e) {
    EXPECT_STREQ(e.what(), "nopal: pool_options::consumers is 0; allowed are 1 to 1024");
  }
}

TEST(Pool, Batch) {
  pool<int> p({.consumers = 2, .chunk = 4});
  auto in = p.producer();
  auto out = p.consumer();
  auto thief = p.consumer();
  std::array<int, 8> to{};
  EXPECT_EQ(out.get(to), 0U);
  for (int i = 0; i < 10; ++i) in.put(i);
  EXPECT_EQ(out.get(to), 8U);
  for (int i = 0; i < 8; ++i) EXPECT_EQ(to[static_cast<std::size_t>(i)], i);
  EXPECT_GE(thief.get(to), 1U);
  EXPECT_EQ(out.get(std::span<int>()), 0U);
}

TEST(Pool, Drain) {
  pool<int> p({.chunk = 4});
  auto in = p.producer();
  auto out = p.consumer();
  for (int i = 0; i < 10; ++i) in.put(i);
  int next = 0;
  for (const int x : out.drain()) EXPECT_EQ(x, next++);
  EXPECT_EQ(next, 10);
}

TEST(Pool, Close) {
  pool<std::unique_ptr<int>> p({.consumers = 2, .chunk = 4});
  auto in = p.producer();
  auto out = p.consumer();
  for (int i = 0; i < 10; ++i) in.put(std::make_unique<int>(i));
  EXPECT_FALSE(p.is_closed());
  p.close();
  EXPECT_TRUE(p.is_closed());
  auto x = std::make_unique<int>(10);
  EXPECT_THROW(in.put(std::move(x)), nopal::pool_closed);
  EXPECT_EQ(*x, 10);
  EXPECT_FALSE(in.try_put(std::move(x)));
  EXPECT_EQ(*x, 10);
  int sum = 0;
  for (const auto& task : out.all()) sum += *task;
  EXPECT_EQ(sum, 45);
  EXPECT_FALSE(out.wait_for(1h).has_value());
  EXPECT_FALSE(out.get().has_value());
}

TEST(Pool, CloseWakesAll) {
  const nopal_test::watchdog w(20s, "close", 0);
  pool<int> p({.consumers = 4});
  std::vector<std::jthread> waiting;
  for (int i = 0; i < 4; ++i)
    waiting.emplace_back(
        [out = p.consumer()]() mutable { EXPECT_FALSE(out.wait_for(1h).has_value()); });
  std::this_thread::sleep_for(20ms);
  p.close();
}

TEST(Pool, WaitEndsWithATask) {
  const nopal_test::watchdog w(20s, "wait", 0);
  pool<int> p({.consumers = 3, .chunk = 2});
  auto in = p.producer();
  std::atomic<int> sum{0};
  std::vector<std::jthread> waiting;
  for (int i = 0; i < 3; ++i)
    waiting.emplace_back([&, out = p.consumer()]() mutable {
      for (const int x : out.all()) sum += x;
    });
  for (int i = 0; i < 30; ++i) {
    std::this_thread::sleep_for(i % 3 * 1ms);
    in.put(1);
    if (i % 5 == 4)
      while (sum != i + 1) std::this_thread::yield();
  }
  p.close();
  waiting.clear();
  EXPECT_EQ(sum, 30);
}

TEST(Pool, Deadline) {
  pool<int> p;
  auto in = p.producer();
  auto out = p.consumer();
  const auto before = std::chrono::steady_clock::now();
  EXPECT_FALSE(out.wait_for(30ms).has_value());
  EXPECT_GE(std::chrono::steady_clock::now() - before, 30ms);
  EXPECT_FALSE(out.wait_until(before).has_value());
  in.put(1);
  EXPECT_EQ(out.wait_until(before), 1);  // it is there, however late
  in.put(2);
  EXPECT_EQ(out.wait_for(std::chrono::hours::max()), 2);
}

TEST(Pool, Stop) {
  const nopal_test::watchdog w(20s, "stop", 0);
  pool<int> p({.consumers = 2});
  auto in = p.producer();
  auto out = p.consumer();
  std::stop_source stop;
  std::jthread other([&] {
    std::this_thread::sleep_for(20ms);
    stop.request_stop();
  });
  EXPECT_FALSE(out.wait_for(1h, stop.get_token()).has_value());
  in.put(1);
  EXPECT_EQ(out.wait_for(1h, stop.get_token()), 1);
  EXPECT_FALSE(out.wait_for(1h, stop.get_token()).has_value());
}

TEST(Pool, StopEndsARange) {
  const nopal_test::watchdog w(20s, "stop of a range", 0);
  pool<int> p;
  auto in = p.producer();
  std::stop_source stop;
  std::atomic<int> sum{0};
  std::jthread other([&, out = p.consumer()]() mutable {
    for (const int x : out.all(stop.get_token())) sum += x;
  });
  EXPECT_TRUE(in.try_put(1));
  EXPECT_TRUE(in.try_emplace(2));
  while (sum != 3) std::this_thread::yield();
  stop.request_stop();
}

/// Not inlined, since compilers warn of what is tested here.
[[gnu::noinline]] void destroy(std::unique_ptr<pool<int>>& p) { p.reset(); }

TEST(Pool, IsNotDestroyedBeforeItsHandles) {
  const auto end = nopal_test::in_child([] {
    auto p = std::make_unique<pool<int>>();
    auto in = p->producer();
    destroy(p);
    return 0;
  });
  EXPECT_FALSE(end.ok());
  EXPECT_NE(end.errors.find("a pool is destroyed while one of its producers or consumers exists"),
            std::string::npos)
      << end;
}

#if NOPAL_ASSERTIONS
TEST(Pool, AHandleInTwoThreadsIsFound) {
  const auto end = nopal_test::in_child([] {
    pool<int> p;
    auto out = p.consumer();
    std::jthread waits([&] { (void)out.wait(); });
    std::this_thread::sleep_for(50ms);
    (void)out.get();
    return 0;
  });
  EXPECT_FALSE(end.ok());
  EXPECT_NE(end.errors.find("two threads"), std::string::npos) << end;
}
#endif

#ifdef NOPAL_CHECK
TEST(Pool, AHandleThatHasBeenMovedFromIsFound) {
  const auto expect_found = [](auto use) {
    const auto end = nopal_test::in_child([&] {
      pool<int> p;
      use(p);
      return 0;
    });
    EXPECT_FALSE(end.ok());
    EXPECT_NE(
        end.errors.find("nopal: a producer or consumer of a pool is used that has been moved"),
        std::string::npos)
        << end;
  };
  // NOLINTBEGIN(bugprone-use-after-move)
  expect_found([](pool<int>& p) {
    auto in = p.producer();
    auto other = std::move(in);
    in.put(1);
  });
  const auto expect_found_when = [&](auto get) {
    expect_found([&](pool<int>& p) {
      auto out = p.consumer();
      auto other = std::move(out);
      get(out);
    });
  };
  expect_found_when([](auto& out) { (void)out.get(); });
  expect_found_when([](auto& out) { (void)out.try_get(); });
  expect_found_when([](auto& out) { (void)out.wait_for(1ms); });
  expect_found_when([](auto& out) {
    std::array<int, 2> to{};
    (void)out.get(to);
  });
  expect_found_when([](auto& out) {
    for (int& x : out.drain()) std::ignore = x;
  });
  // NOLINTEND(bugprone-use-after-move)
}
#endif

TEST(PoolPlaces, NearConsumersFirst) {
  const access_lists l = make_access_lists(
      {.producers = 16, .consumers = 16, .places = {.machine = "numa:8 core:2 pu:1"}});
  for (unsigned i = 0; i < 16; ++i) {
    for (const auto* list : {&l.of_producer[i], &l.of_consumer[i]}) {
      ASSERT_EQ(list->size(), 16U);
      EXPECT_EQ((*list)[0], i);
      EXPECT_EQ((*list)[1], i ^ 1U) << "the other one of the same node";
      EXPECT_EQ(std::vector<unsigned>(list->begin(), list->end()).size(), 16U);
    }
  }
}

TEST(PoolPlaces, FewerProducersThanConsumersAreSpread) {
  const access_lists l = make_access_lists(
      {.producers = 2, .consumers = 8, .places = {.machine = "numa:8 core:1 pu:1"}});
  EXPECT_EQ(l.of_producer[0][0], 0U);
  EXPECT_EQ(l.of_producer[1][0], 4U);
  EXPECT_NE(l.of_consumer[0][1], l.of_consumer[2][1]) << "not all turn to the same one";
}

TEST(PoolPlaces, AsGiven) {
  const access_lists l = make_access_lists(
      {.producers = 1,
       .consumers = 3,
       .places = {.machine = "numa:8 core:4 pu:1", .producers = {30}, .consumers = {0, 31, 1}}});
  EXPECT_EQ(l.of_producer[0][0], 1U);
  EXPECT_EQ(l.of_consumer[0], (std::vector<unsigned>{0, 2, 1}));
  EXPECT_EQ(l.of_consumer[2], (std::vector<unsigned>{2, 0, 1}));
}

TEST(PoolPlaces, EightNodes) {
  pool<int> p(
      {.producers = 3, .consumers = 8, .chunk = 2, .places = {.machine = "numa:8 core:4 pu:1"}});
  std::vector<nopal::pool_producer<int>> in;
  std::vector<nopal::pool_consumer<int>> out;
  for (int i = 0; i < 3; ++i) in.push_back(p.producer());
  for (int i = 0; i < 8; ++i) out.push_back(p.consumer());
  for (int i = 0; i < 300; ++i) in[static_cast<std::size_t>(i % 3)].put(1);
  int sum = 0;
  for (std::size_t i = 0; sum < 300; ++i) sum += out[i * i % 8].get().value();
  EXPECT_FALSE(out[0].get().has_value());
}

// --- SALSA by itself -------------------------------------------------------------------------

class Salsa : public testing::Test {
 protected:
  std::optional<int> get(salsa<int>& p) {
    std::optional<int> x;
    const bool got = p.get(x);
    EXPECT_EQ(got, x.has_value());
    return x;
  }
  std::optional<int> steal(salsa<int>& thief, salsa<int>& victim) {
    std::optional<int> x;
    const bool got = thief.steal(victim, x);
    EXPECT_EQ(got, x.has_value());
    return x;
  }
  unsigned chunks() {
    unsigned n = 0;
    common.chunks.for_each([&](auto*) { ++n; });
    return n;
  }

  chunked_common<int> common{sc_pool_options{.producers = 1, .consumers = 2, .chunk = 4}};
  salsa<int> a{common, 0};
  salsa<int> b{common, 1};
  salsa<int>::producer_end in{0};
};

TEST_F(Salsa, HasNoRoomBeforeItsConsumerHasEmptiedAChunk) {
  EXPECT_FALSE(a.put_if_room(in, 0));
  for (int i = 0; i < 4; ++i) a.put(in, i);
  EXPECT_FALSE(a.put_if_room(in, 4));
  for (int i = 0; i < 4; ++i) EXPECT_EQ(get(a), i);
  EXPECT_TRUE(a.put_if_room(in, 4));
  EXPECT_EQ(chunks(), 1U);
}

TEST_F(Salsa, AStolenChunkIsTheThiefsSpareOne) {
  for (int i = 0; i < 4; ++i) a.put(in, i);
  EXPECT_EQ(get(a), 0);
  EXPECT_EQ(steal(b, a), 1);
  EXPECT_EQ(get(a), std::nullopt);
  EXPECT_EQ(get(b), 2);
  EXPECT_EQ(get(b), 3);
  EXPECT_FALSE(a.put_if_room(in, 4));
  a.let_go();
  b.let_go();
  EXPECT_TRUE(b.put_if_room(in, 4));
}

TEST_F(Salsa, AChunkStolenBack) {
  for (int i = 0; i < 4; ++i) a.put(in, i);
  EXPECT_EQ(get(a), 0);
  EXPECT_EQ(steal(b, a), 1);
  EXPECT_EQ(steal(a, b), 2);
  EXPECT_EQ(steal(b, a), 3);
  EXPECT_EQ(steal(a, b), std::nullopt);
  EXPECT_EQ(get(a), std::nullopt);
  EXPECT_EQ(get(b), std::nullopt);
}

TEST_F(Salsa, WhatIsPutIntoAStolenChunkComesOut) {
  a.put(in, 0);
  a.put(in, 1);
  EXPECT_EQ(get(a), 0);
  EXPECT_EQ(steal(b, a), 1);
  EXPECT_EQ(steal(a, b), std::nullopt) << "there is no task in it";
  a.put(in, 2);
  EXPECT_EQ(get(a), std::nullopt);
  EXPECT_EQ(get(b), 2);
}

TEST_F(Salsa, Emptiness) {
  EXPECT_TRUE(a.is_empty(0));
  a.put(in, 0);
  a.put(in, 1);
  EXPECT_FALSE(a.is_empty(0));
  EXPECT_TRUE(b.is_empty(0));
  a.set_indicator(1);
  b.set_indicator(1);
  EXPECT_EQ(get(a), 0);
  EXPECT_TRUE(a.check_indicator(1)) << "another is left";
  EXPECT_EQ(steal(b, a), 1);
  EXPECT_FALSE(a.check_indicator(1));
  EXPECT_FALSE(b.check_indicator(1));
  EXPECT_TRUE(a.is_empty(0));
  EXPECT_TRUE(b.is_empty(0));
}

TEST_F(Salsa, MemoryIsUsedAgain) {
  for (int round = 0; round < 1000; ++round) {
    for (int i = 0; i < 12; ++i)
      if (!a.put_if_room(in, i) && !b.put_if_room(in, i)) a.put(in, i);
    for (int left = 12; left > 0;) {
      std::optional<int> x = round % 2 == 0 ? steal(b, a) : steal(a, b);
      if (!x) x = get(a);
      if (!x) x = get(b);
      ASSERT_TRUE(x);
      --left;
    }
  }
  EXPECT_LE(chunks(), 6U);
}

}  // namespace
