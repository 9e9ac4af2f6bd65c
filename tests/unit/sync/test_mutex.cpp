// SPDX-License-Identifier: Apache-2.0
// The mutex: strands, tasks, guests and threads exclude each other, and nobody waits in vain.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <ranges>
#include <stop_token>
#include <system_error>
#include <thread>
#include <vector>

#include "nopal/nopal.hpp"
#include "nopal/sync/mutex.hpp"
#include "support/build.hpp"
#include "support/child_process.hpp"
#include "support/everywhere.hpp"
#include "support/sleeper.hpp"

namespace {

using namespace std::chrono_literals;
using nopal::mutex;
using nopal::parallel_invoke;
using nopal::task;
using nopal_test::everywhere;
using nopal_test::on_one_worker;
using nopal_test::sleeper;
using clock = std::chrono::steady_clock;

static_assert(sizeof(mutex) <= 24);
static_assert(!std::is_copy_constructible_v<mutex> && !std::is_move_constructible_v<mutex>);

void lock_and_unlock(mutex& m) { const std::lock_guard held(m); }

/// Whether nobody holds the mutex or is about to.
bool is_free(mutex& m) {
  if (!m.try_lock()) return false;
  m.unlock();
  return true;
}

TEST(Mutex, IsLockedOnceAtATime) {
  everywhere([] {
    mutex m;
    EXPECT_TRUE(m.try_lock());
    EXPECT_FALSE(m.try_lock());
    m.unlock();
    m.lock();
    EXPECT_FALSE(m.try_lock());
    EXPECT_FALSE(m.try_lock_for(0ns));
    EXPECT_FALSE(m.try_lock_for(-1h));
    EXPECT_FALSE(m.try_lock_until(clock::now()));
    m.unlock();
    EXPECT_TRUE(m.try_lock_for(0ns));
    m.unlock();
    EXPECT_TRUE(m.try_lock_until(std::chrono::system_clock::time_point()));
    m.unlock();
    EXPECT_TRUE(is_free(m));
  });
}

// Sections that fork, so that whoever holds the mutex may go on elsewhere.
TEST(Mutex, IsHeldAcrossForksAndJoins) {
  everywhere([] {
    mutex m;
    int sum = 0, inside = 0;
    nopal::for_each(std::views::iota(0, 200), [&](int i) {
      const std::lock_guard held(m);
      EXPECT_EQ(++inside, 1);
      int a = 0, b = 0;
      parallel_invoke([&] { a = i; }, [&] { b = i; });
      sum += a + b;
      EXPECT_EQ(--inside, 0);
    });
    EXPECT_EQ(sum, 200 * 199);
    EXPECT_TRUE(is_free(m));
  });
}

task<void> add_in_task(mutex& m, int& sum, int times) {
  for (int i = 0; i < times; ++i) {
    co_await m.lock();
    ++sum;
    m.unlock();
  }
}

// All that can wait, at the same mutex.
TEST(Mutex, StrandsTasksGuestsAndThreadsExcludeEachOther) {
  constexpr int times = nopal_test::with_sanitizer ? 300 : 3000;
  mutex m;
  int sum = 0;
  nopal::runtime own({.workers = 2, .caller_works = false});
  const auto strands = [&] {
    nopal::for_each(std::views::iota(0, 8), [&](int) {
      for (int i = 0; i < times / 8; ++i) {
        const std::lock_guard held(m);
        ++sum;
      }
    });
  };
  const auto tasks = [&] {
    nopal::for_each(std::views::iota(0, 8),
                    [&](int) { nopal::wait(add_in_task(m, sum, times / 8)); });
  };
  {
    std::vector<std::jthread> all;
    all.emplace_back([&] {
      for (int i = 0; i < times; ++i) {
        const std::lock_guard held(m);
        ++sum;
      }
    });
    all.emplace_back([&] {
      for (int i = 0; i < times; ++i) {
        while (!m.try_lock()) std::this_thread::yield();
        ++sum;
        m.unlock();
      }
    });
    all.emplace_back([&] { own.run(strands); });
    all.emplace_back([&] { own.run(tasks); });
    all.emplace_back(strands);  // a guest of the default runtime
    all.emplace_back(tasks);
  }
  EXPECT_EQ(sum, 2 * times + 4 * (times / 8 * 8));
  EXPECT_TRUE(is_free(m));
}

TEST(Mutex, AWorkerGoesOnWhileItsStrandWaits) {
  on_one_worker([] {
    mutex m;
    bool locked = false;
    m.lock();
    parallel_invoke(
        [&] {
          m.lock();
          locked = true;
          m.unlock();
        },
        [&] {
          EXPECT_FALSE(locked);
          m.unlock();
        });
    EXPECT_TRUE(locked);
  });
}

task<void> note_in_order(mutex& m, std::vector<int>& order, int i) {
  co_await m.lock();
  order.push_back(i);
  m.unlock();
}

TEST(Mutex, ThoseThatWaitLockInTheOrderInWhichTheyCame) {
  on_one_worker([] {
    mutex m;
    std::vector<int> order;
    const auto strand = [&](int i) {
      return [&, i] {
        const std::lock_guard held(m);
        order.push_back(i);
      };
    };
    const auto of_task = [&](int i) { return [&, i] { nopal::wait(note_in_order(m, order, i)); }; };
    m.lock();
    parallel_invoke(strand(0), of_task(1), of_task(2), strand(3), strand(4), of_task(5),
                    [&] { m.unlock(); });
    EXPECT_EQ(order, (std::vector{0, 1, 2, 3, 4, 5}));
  });
}

TEST(Mutex, ThreadsLockInTheOrderInWhichTheyCame) {
  mutex m;
  std::vector<int> order;
  std::vector<std::unique_ptr<sleeper>> all;
  m.lock();
  for (int i = 0; i < 4; ++i) {
    all.push_back(std::make_unique<sleeper>([&, i] {
      const std::lock_guard held(m);
      order.push_back(i);
    }));
    all.back()->until_asleep();
  }
  m.unlock();
  for (auto& t : all) t->join();
  EXPECT_EQ(order, (std::vector{0, 1, 2, 3}));
}

/// One worker that has a strand that waits for `m`, and then is busy until told otherwise.
class busy_worker {
 public:
  /// Precondition: the mutex is locked. Returns when `waits` waits.
  template <class F>
  explicit busy_worker(F waits) {
    thread_ = std::jthread([this, waits] {
      on_one_worker([&] {
        parallel_invoke(waits, [&] {
          busy_ = true;
          nopal_test::until(free_);
        });
      });
    });
    nopal_test::until(busy_);
  }
  ~busy_worker() { go_on(); }
  busy_worker(const busy_worker&) = delete;
  busy_worker& operator=(const busy_worker&) = delete;

  void go_on() { free_ = true; }
  void join() {
    go_on();
    thread_.join();
  }

 private:
  std::atomic<bool> busy_{false}, free_{false};
  std::jthread thread_;
};

// The strand has been woken, and its worker has no time for it.
TEST(Mutex, AWaiterIsOvertakenAtMostSoManyTimes) {
  mutex m;
  std::atomic<bool> locked{false};
  m.lock();
  busy_worker w([&] {
    const std::lock_guard held(m);
    locked = true;
  });
  m.unlock();
  unsigned overtakes = 0;
  while (m.try_lock()) {
    ++overtakes;
    m.unlock();
    ASSERT_LE(overtakes, mutex::most_overtakes);
  }
  EXPECT_EQ(overtakes, mutex::most_overtakes);
  // Now it is nobody's, and the one that has waited locks it before all others.
  EXPECT_FALSE(m.try_lock_for(1ms));
  sleeper next([&] {
    const std::lock_guard held(m);
    EXPECT_TRUE(locked);
  });
  next.until_asleep();
  EXPECT_FALSE(locked);
  w.join();
  next.join();
  EXPECT_TRUE(is_free(m));
}

// Whoever overtakes holds the mutex when the strand comes, time and again.
TEST(Mutex, AWaiterThatComesTooLateComesFirstAgain) {
  mutex m;
  std::atomic<bool> locked{false};
  m.lock();
  sleeper waits([&] {
    const std::lock_guard held(m);
    locked = true;
  });
  waits.until_asleep();
  sleeper second([&] {
    const std::lock_guard held(m);
    EXPECT_TRUE(locked);
  });
  second.until_asleep();
  unsigned overtakes = 0;
  for (;;) {
    m.unlock();
    if (!m.try_lock()) break;
    if (locked) {
      m.unlock();
      break;
    }
    ASSERT_LE(++overtakes, mutex::most_overtakes);
    if (overtakes < 4) waits.until_asleep();  // it has found the mutex locked
  }
  waits.join();
  second.join();
  EXPECT_TRUE(is_free(m));
}

// Its frame waits, and owns the mutex from the call of unlock() on.
TEST(Mutex, ATaskIsHandedTheLock) {
  mutex m;
  std::vector<int> order;
  m.lock();
  busy_worker w([&] { nopal::wait(note_in_order(m, order, 1)); });
  m.unlock();
  EXPECT_FALSE(m.try_lock());
  EXPECT_FALSE(m.try_lock_for(1ms));
  w.join();
  EXPECT_EQ(order, std::vector{1});
  EXPECT_TRUE(is_free(m));
}

TEST(Mutex, ALimitEndsAWait) {
  everywhere([] {
    mutex m;
    std::error_code error;
    m.lock();
    const clock::time_point before = clock::now();
    EXPECT_FALSE(m.try_lock_for(1ms));
    EXPECT_GE(clock::now(), before + 1ms);
    EXPECT_FALSE(m.try_lock_until(clock::now() + 1ms));
    EXPECT_FALSE(m.try_lock_until(std::chrono::system_clock::now() + 1ms));
    m.lock(error, 1ms);
    EXPECT_EQ(error, std::errc::timed_out);
    m.lock(error, clock::now() - 1s);
    EXPECT_EQ(error, std::errc::timed_out);
    try {
      m.lock(1ms);
      ADD_FAILURE();
    } catch (const nopal::stopped&) {
      ADD_FAILURE();
    } catch (const std::system_error& e) {
      EXPECT_EQ(e.code(), std::errc::timed_out);
    }
    std::stop_source source;
    m.lock(error, {source.get_token(), 1ms});
    EXPECT_EQ(error, std::errc::timed_out);
    parallel_invoke([&] { EXPECT_THROW(m.lock(source.get_token()), nopal::stopped); },
                    [&] { source.request_stop(); });
    m.unlock();
    // A requested stop ends the call before it locks, and a deadline does not.
    m.lock(error, {source.get_token(), 1h});
    EXPECT_EQ(error, std::errc::operation_canceled);
    EXPECT_THROW(m.lock(source.get_token()), nopal::stopped);
    EXPECT_TRUE(is_free(m));
    m.lock(error, clock::now() - 1s);
    EXPECT_FALSE(error);
    m.unlock();
    m.lock(clock::now() - 1s);
    EXPECT_FALSE(m.try_lock());
    m.unlock();
  });
}

task<std::error_code> lock_in_task(mutex& m, nopal::limits within) {
  std::error_code error;
  co_await m.lock(error, within);
  co_return error;
}
task<void> lock_or_throw(mutex& m, nopal::limits within) {
  co_await m.lock(within);
  m.unlock();
}

TEST(Mutex, ALimitEndsTheWaitOfATask) {
  everywhere([] {
    mutex m;
    std::stop_source source;
    m.lock();
    EXPECT_EQ(nopal::wait(lock_in_task(m, 1ms)), std::errc::timed_out);
    EXPECT_EQ(nopal::wait(lock_in_task(m, clock::now() - 1s)), std::errc::timed_out);
    EXPECT_THROW(nopal::wait(lock_or_throw(m, 1ms)), std::system_error);
    parallel_invoke(
        [&] {
          EXPECT_THROW(nopal::wait(lock_or_throw(m, {source.get_token(), 1h})), nopal::stopped);
        },
        [&] { source.request_stop(); });
    m.unlock();
    EXPECT_EQ(nopal::wait(lock_in_task(m, source.get_token())), std::errc::operation_canceled);
    EXPECT_TRUE(is_free(m));
    EXPECT_EQ(nopal::wait(lock_in_task(m, clock::now() - 1s)), std::error_code());
    EXPECT_FALSE(m.try_lock());
    m.unlock();
    nopal::wait(lock_or_throw(m, 1h));
    EXPECT_TRUE(is_free(m));
  });
}

// The first of two ends by its limit: as it waits, after it has been woken, and when all have.
TEST(Mutex, AWaiterThatALimitEndsTakesNoWakeUpWithIt) {
  on_one_worker([] {
    mutex m;
    std::stop_source source;
    bool locked = false;
    m.lock();
    parallel_invoke(
        [&] { EXPECT_THROW(m.lock(source.get_token()), nopal::stopped); },
        [&] { EXPECT_THROW(nopal::wait(lock_or_throw(m, source.get_token())), nopal::stopped); },
        [&] {
          m.lock();
          locked = true;
          m.unlock();
        },
        [&] { EXPECT_THROW(m.lock(source.get_token()), nopal::stopped); },
        [&] {
          source.request_stop();
          m.unlock();  // two of those that it finds have been ended, and have not gone on yet
        });
    EXPECT_TRUE(locked);
    EXPECT_TRUE(is_free(m));
  });
}

TEST(Mutex, MayBeUnlockedWhenALimitHasEndedAllThatWaited) {
  on_one_worker([] {
    mutex m;
    std::stop_source source;
    m.lock();
    const auto waits = [&] { EXPECT_THROW(m.lock(source.get_token()), nopal::stopped); };
    parallel_invoke(waits, waits, [&] {
      source.request_stop();
      m.unlock();
      EXPECT_TRUE(is_free(m));
      m.lock();
    });
    m.unlock();
    EXPECT_TRUE(is_free(m));
  });
}

TEST(Mutex, AWaiterThatIsEndedAfterItWasWokenWakesTheNext) {
  mutex m;
  std::atomic<bool> ended{false}, locked{false};
  m.lock();
  busy_worker first([&] {
    std::error_code error;
    m.lock(error, clock::now() + 20ms);
    EXPECT_TRUE(!error || error == std::errc::timed_out);
    if (!error) m.unlock();
    ended = true;
  });
  busy_worker second([&] {
    const std::lock_guard held(m);
    locked = true;
  });
  m.unlock();                         // wakes the first
  EXPECT_TRUE(m.try_lock());          // which is overtaken,
  std::this_thread::sleep_for(25ms);  // and its deadline passes
  first.go_on();
  nopal_test::until(ended);
  second.go_on();
  EXPECT_FALSE(locked);
  m.unlock();
  first.join();
  second.join();
  EXPECT_TRUE(locked);
  EXPECT_TRUE(is_free(m));
}

// Deadlines, stops, tasks and strands in all orders. Whoever were left behind would wait for ever.
TEST(Mutex, ManyLimitsAtTheSameTime) {
  constexpr int rounds = nopal_test::with_sanitizer ? 20 : 100;
  nopal::runtime r({.workers = 4, .caller_works = false});
  mutex m;
  int locked = 0, ended = 0;
  for (int round = 0; round < rounds; ++round) {
    std::stop_source source;
    std::atomic<int> ended_now{0};
    const int locked_before = locked;
    r.run([&] {
      nopal::for_each(std::views::iota(0, 16), [&](int i) {
        std::error_code error;
        const auto soon = std::chrono::microseconds(10 * ((i * 7 + round) % 16));
        if (i == 11) source.request_stop();
        if (i % 4 == 0) {
          error = nopal::wait(lock_in_task(m, {source.get_token(), soon}));
        } else if (i % 4 == 1) {
          m.lock(error, soon);
        } else if (i % 4 == 2) {
          m.lock(error, source.get_token());
        } else {
          m.lock();
        }
        if (error) {
          ++ended_now;
        } else {
          ++locked;
          if (i % 3 == 0) nopal::io::sleep_for(20us);
          m.unlock();
        }
      });
    });
    EXPECT_EQ(locked - locked_before + ended_now, 16);
    ended += ended_now;
    EXPECT_TRUE(is_free(m));
  }
  EXPECT_GT(locked, rounds * 3);
  EXPECT_GT(ended, 0);
}

TEST(Mutex, MayBeDestroyedWhenItsLastOwnerHasUnlocked) {
  constexpr int rounds = nopal_test::with_sanitizer ? 200 : 1000;
  nopal::runtime r({.workers = 2, .caller_works = false});
  for (int i = 0; i < rounds; ++i) {
    auto m = std::make_unique<mutex>();
    const auto end = [&] {
      m->lock();
      m->unlock();
      m.reset();
    };
    m->lock();
    std::atomic<bool> comes{false};
    if (i % 2 == 0) {
      r.run([&] { parallel_invoke(end, [&] { m->unlock(); }); });
    } else {
      std::jthread last([&] {
        comes = true;
        end();
      });
      nopal_test::until(comes);
      m->unlock();
    }
  }
}

TEST(Mutex, WithTheLocksOfTheStandard) {
  everywhere([] {
    mutex a, b, c;
    {
      std::unique_lock held(a, std::try_to_lock);
      EXPECT_TRUE(held.owns_lock());
      std::unique_lock second(a, std::defer_lock);
      EXPECT_FALSE(second.try_lock());
      EXPECT_FALSE(second.try_lock_for(1ms));
      EXPECT_FALSE(second.try_lock_until(clock::now()));
      held.unlock();
      second.lock();
      std::unique_lock third(a, 1ms);
      EXPECT_FALSE(third.owns_lock());
    }
    int sum = 0;
    nopal::for_each(std::views::iota(0, 100), [&](int i) {
      if (i % 2 == 0) {
        const std::scoped_lock held(a, b, c);
        ++sum;
      } else {
        std::lock(c, b, a);
        ++sum;
        for (mutex* m : {&a, &b, &c}) m->unlock();
      }
    });
    EXPECT_EQ(sum, 100);
    EXPECT_EQ(std::try_lock(a, b, c), -1);
    for (mutex* m : {&a, &b, &c}) m->unlock();
  });
}

TEST(Mutex, WithAConditionOfTheStandardOnThreads) {
  mutex m;
  std::condition_variable_any changed;
  bool set = false;
  std::jthread waits([&] {
    std::unique_lock held(m);
    changed.wait(held, [&] { return set; });
  });
  {
    const std::lock_guard held(m);
    set = true;
  }
  changed.notify_one();
}

TEST(Mutex, IsUnlockedByAnException) {
  everywhere([] {
    mutex m;
    m.lock();
    EXPECT_THROW(parallel_invoke(
                     [&] {
                       const std::lock_guard held(m);
                       throw std::runtime_error("thrown");
                     },
                     [&] { m.unlock(); }),
                 std::runtime_error);
    EXPECT_TRUE(is_free(m));
  });
}

// Without workers of its own, a child of fork(2) waits as a thread, and makes a runtime.
TEST(Mutex, OfAChildOfFork) {
  if (nopal_test::with_tsan || nopal_test::with_emulator) GTEST_SKIP();
  mutex m;
  m.lock();
  const auto child = nopal_test::in_child([&] {
    if (m.try_lock_for(1ms)) return 1;
    mutex own;
    own.lock();
    if (own.try_lock_for(1ms)) return 2;
    own.unlock();
    int sum = 0;
    nopal::runtime r({.workers = 2, .caller_works = false});
    r.run([&] {
      nopal::for_each(std::views::iota(0, 100), [&](int) {
        const std::lock_guard held(own);
        parallel_invoke([&] { ++sum; }, [] {});
      });
    });
    if (sum != 100) return 3;
    sleeper waits([&] { lock_and_unlock(m); });
    waits.until_asleep();
    m.unlock();  // the copy that is the child's
    waits.join();
    return is_free(m) ? 0 : 4;
  });
  EXPECT_TRUE(child.ok()) << child;
  EXPECT_FALSE(m.try_lock());
  m.unlock();
}

}  // namespace
