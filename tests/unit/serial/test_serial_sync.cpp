// SPDX-License-Identifier: Apache-2.0
// The serial elision of nopal/sync.hpp.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <mutex>
#include <nopal/nopal.hpp>
#include <nopal/sync.hpp>
#include <optional>
#include <shared_mutex>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace {

constexpr std::chrono::milliseconds short_time(2);

/// Expects that a wait throws because nobody can end it, and says so.
template <class F>
void waits_for_ever(F&& f) {
  try {
    f();
    ADD_FAILURE() << "the wait has ended";
  } catch (const std::system_error& e) {
    EXPECT_EQ(e.code(), std::errc::resource_deadlock_would_occur);
    EXPECT_NE(std::string(e.what()).find("serial"), std::string::npos);
  }
}

/// Expects that the wait ends by its deadline, a stop, and not at all. `wait` takes what the calls
/// take.
template <class F>
void waits_within(F&& wait) {
  const auto begin = std::chrono::steady_clock::now();
  std::error_code error;
  wait(error, nopal::limits(short_time));
  EXPECT_EQ(error, std::errc::timed_out);
  EXPECT_GE(std::chrono::steady_clock::now() - begin, short_time);
  EXPECT_THROW(wait(nopal::limits(short_time)), std::system_error);
  std::stop_source source;
  wait(error, nopal::limits(source.get_token()));
  EXPECT_EQ(error, std::errc::resource_deadlock_would_occur);
  waits_for_ever([&] { wait(nopal::limits(source.get_token())); });
  source.request_stop();
  wait(error, nopal::limits(source.get_token()));
  EXPECT_EQ(error, std::errc::operation_canceled);
  EXPECT_THROW(wait(nopal::limits(source.get_token())), nopal::stopped);
}

TEST(SerialSync, Mutex) {
  nopal::mutex m;
  {
    const std::lock_guard held(m);
    EXPECT_FALSE(m.try_lock());
    EXPECT_FALSE(m.try_lock_for(short_time));
    EXPECT_FALSE(m.try_lock_until(std::chrono::system_clock::now()));
    waits_for_ever([&] { m.lock(); });
    waits_within([&](auto&&... a) { m.lock(a...); });
  }
  EXPECT_TRUE(m.try_lock());
  m.unlock();
  std::error_code error = std::make_error_code(std::errc::timed_out);
  m.lock(error, short_time);
  EXPECT_FALSE(error);
  m.unlock();
}

TEST(SerialSync, SharedMutex) {
  nopal::shared_mutex m;
  {
    const std::lock_guard writes(m);
    EXPECT_FALSE(m.try_lock_shared());
    waits_for_ever([&] { m.lock_shared(); });
    waits_within([&](auto&&... a) { m.lock_shared(a...); });
    EXPECT_FALSE(m.try_lock_shared_for(short_time));
  }
  const std::shared_lock one(m), two(m);
  EXPECT_FALSE(m.try_lock());
  EXPECT_FALSE(m.try_lock_for(short_time));
  waits_for_ever([&] { m.lock(); });
  waits_within([&](auto&&... a) { m.lock(a...); });
}

TEST(SerialSync, Semaphore) {
  nopal::semaphore s(1);
  s.acquire();
  EXPECT_FALSE(s.try_acquire());
  EXPECT_FALSE(s.try_acquire_for(short_time));
  waits_for_ever([&] { s.acquire(); });
  waits_within([&](auto&&... a) { s.acquire(a...); });
  s.release(2);
  EXPECT_TRUE(s.try_acquire());
  EXPECT_TRUE(s.try_acquire_for(short_time));
}

TEST(SerialSync, Latch) {
  nopal::latch l(3);
  l.count_down();
  EXPECT_FALSE(l.try_wait());
  waits_for_ever([&] { l.wait(); });
  waits_for_ever([&] { l.arrive_and_wait(); });
  waits_within([&](auto&&... a) { l.wait(a...); });
  l.arrive_and_wait();
  l.wait(short_time);
}

TEST(SerialSync, Flag) {
  nopal::flag f;
  waits_for_ever([&] { f.wait(); });
  waits_within([&](auto&&... a) { f.wait(a...); });
  f.set();
  EXPECT_TRUE(f.is_set());
  f.wait();
  f.reset();
  EXPECT_FALSE(f.is_set());
}

TEST(SerialSync, Barrier) {
  int phases = 0;
  nopal::barrier b(2, [&]() noexcept { ++phases; });
  auto first = b.arrive();
  waits_within([&](auto&&... a) { b.wait(first, a...); });
  b.arrive_and_wait();
  b.wait(std::move(first));
  EXPECT_EQ(phases, 1);
  waits_for_ever([&] { b.arrive_and_wait(); });
  b.arrive_and_drop();
  EXPECT_EQ(phases, 2);
  b.arrive_and_wait();
  EXPECT_EQ(phases, 3);
}

TEST(SerialSync, Once) {
  nopal::once o;
  int runs = 0;
  EXPECT_THROW(o.call([] { throw std::runtime_error("thrown"); }), std::runtime_error);
  o.call([&] {
    EXPECT_FALSE(o.try_call([] {}));
    waits_for_ever([&] { o.call([] {}); });
    waits_within([&](auto&&... a) { o.call([] {}, a...); });
    ++runs;
  });
  o.call([&] { ++runs; });
  EXPECT_EQ(runs, 1);
  EXPECT_TRUE(o.is_done());
}

TEST(SerialSync, Condition) {
  nopal::mutex m;
  nopal::condition c;
  std::unique_lock held(m);
  c.notify_one();
  waits_for_ever([&] { c.wait(held); });
  waits_for_ever([&] { c.wait(held, [] { return false; }); });
  waits_within([&](auto&&... a) { c.wait(held, a...); });
  waits_within([&](auto&&... a) { c.wait(held, [] { return false; }, a...); });
  c.wait(held, [] { return true; });
  EXPECT_TRUE(c.wait_for(held, short_time, [] { return true; }));
  EXPECT_FALSE(c.wait_for(held, short_time, [] { return false; }));
  EXPECT_EQ(c.wait_for(held, short_time), std::cv_status::timeout);
  const auto begin = std::chrono::steady_clock::now();
  const auto later = [&] { return std::chrono::steady_clock::now() >= begin + short_time; };
  EXPECT_TRUE(c.wait_until(held, begin + short_time, later));
  EXPECT_TRUE(held.owns_lock());
}

TEST(SerialSync, Channel) {
  nopal::channel<std::unique_ptr<int>> ch(2);
  EXPECT_TRUE(bool(ch.send(std::make_unique<int>(1))));
  EXPECT_TRUE(ch.try_send(std::make_unique<int>(2)));
  auto third = std::make_unique<int>(3);
  EXPECT_FALSE(ch.try_send(std::move(third)));
  waits_for_ever([&] { ch.send(std::move(third)); });
  waits_within([&](auto&&... a) { ch.send(std::move(third), a...); });
  EXPECT_EQ(*third, 3) << "it is as it was";
  std::optional<std::unique_ptr<int>> v = ch.receive();
  EXPECT_EQ(**v, 1);
  EXPECT_TRUE(bool(ch.send(std::move(third))));
  EXPECT_EQ(ch.size(), 2U);
  ch.close();
  EXPECT_FALSE(bool(ch.send(std::make_unique<int>(4))));
  int sum = 0;
  for (const auto& e : ch) sum = 10 * sum + *e;
  EXPECT_EQ(sum, 23);
  EXPECT_FALSE(ch.try_receive());

  nopal::channel<int> rendezvous;
  waits_for_ever([&] { rendezvous.send(1); });
  waits_for_ever([&] { rendezvous.receive(); });
  waits_within([&](auto&&... a) { rendezvous.receive(a...); });
}

TEST(SerialSync, Select) {
  nopal::channel<int> a(1), b(1);
  std::optional<int> from_a, from_b;
  EXPECT_EQ(int(nopal::select(a.receiving(from_a), nopal::otherwise())), 1);
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(int(nopal::select(a.receiving(from_a), nopal::after(short_time))), 1);
  EXPECT_GE(std::chrono::steady_clock::now() - begin, short_time);
  waits_for_ever([&] { nopal::select(a.receiving(from_a), b.receiving(from_b)); });
  EXPECT_THROW(nopal::select(short_time, a.receiving(from_a), nopal::after(std::chrono::hours(1))),
               std::system_error);
  EXPECT_EQ(int(nopal::select(a.receiving(from_a), b.sending(7))), 1);
  EXPECT_EQ(int(nopal::select(a.receiving(from_a), b.receiving(from_b))), 1);
  EXPECT_EQ(from_b, 7);
  b.close();
  EXPECT_THROW(nopal::select(b.sending(8), a.receiving(from_a)), std::system_error);
}

nopal::task<int> awaits_all() {
  nopal::mutex m;
  nopal::shared_mutex shared;
  nopal::condition c;
  nopal::semaphore s(1);
  nopal::latch l(1);
  nopal::barrier<> alone(1);
  nopal::flag f;
  nopal::once o;
  nopal::channel<int> ch(1);
  f.set();
  co_await m.lock();
  std::unique_lock held(m, std::adopt_lock);
  co_await c.wait(held, [] { return true; });
  co_await shared.lock_shared();
  shared.unlock_shared();
  co_await s.acquire();
  co_await l.arrive_and_wait();
  co_await alone.arrive_and_wait();
  co_await f.wait();
  co_await o.call([] {});
  if (!co_await ch.send(7)) co_return 0;
  std::optional<int> v;
  if (co_await nopal::select(ch.receiving(v), nopal::otherwise()) != 0) co_return 0;
  if (!co_await ch.send(*v)) co_return 0;
  v = co_await ch.receive();
  std::error_code error;
  co_await s.acquire(error, short_time);
  EXPECT_EQ(error, std::errc::timed_out);
  try {
    co_await s.acquire();
    ADD_FAILURE() << "the wait has ended";
  } catch (const std::system_error& e) {
    EXPECT_EQ(e.code(), std::errc::resource_deadlock_would_occur);
  }
  co_return *v;
}

TEST(SerialSync, TasksAwait) { EXPECT_EQ(nopal::wait(awaits_all()), 7); }

}  // namespace
