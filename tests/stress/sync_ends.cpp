// SPDX-License-Identifier: Apache-2.0
// The ends of waits, with delays at every step: whoever has waited destroys what it has waited for,
// and stops are requested while others serve. Nobody may touch what is gone, wait for ever, or lose
// what it is given.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <stop_token>
#include <system_error>
#include <thread>

#include "nopal/nopal.hpp"
#include "nopal/sync.hpp"
#include "support/seed.hpp"
#include "support/sync_run.hpp"

namespace {

using namespace nopal_test;

// Whoever has waited destroys what it has waited for, while those that have ended the wait may
// not have returned yet.

struct waited_semaphore {
  static constexpr unsigned signals = 1;
  nopal::semaphore s{0};

  void begin() noexcept {}
  auto wait(std::error_code& e, const nopal::limits& l) { return s.acquire(e, l); }
  void end() noexcept {}
  void signal() noexcept { s.release(); }
};

struct waited_latch {
  static constexpr unsigned signals = 3;
  nopal::latch l{signals};

  void begin() noexcept {}
  auto wait(std::error_code& e, const nopal::limits& within) { return l.wait(e, within); }
  void end() noexcept {}
  void signal() noexcept { l.count_down(); }
};

struct waited_flag {
  static constexpr unsigned signals = 1;
  nopal::flag f;

  void begin() noexcept {}
  auto wait(std::error_code& e, const nopal::limits& l) { return f.wait(e, l); }
  void end() noexcept {}
  void signal() noexcept { f.set(); }
};

struct waited_barrier {
  static constexpr unsigned signals = 2;
  nopal::barrier<> b{signals + 1};
  std::optional<nopal::barrier<>::arrival_token> token;

  void begin() noexcept { token.emplace(b.arrive()); }
  auto wait(std::error_code& e, const nopal::limits& l) { return b.wait(*token, e, l); }
  void end() noexcept {}
  void signal() noexcept { (void)b.arrive(); }
};

struct waited_mutex {
  static constexpr unsigned signals = 1;
  nopal::mutex m;

  waited_mutex() { m.lock(); }
  void begin() noexcept {}
  auto wait(std::error_code& e, const nopal::limits& l) { return m.lock(e, l); }
  void end() noexcept { m.unlock(); }
  void signal() noexcept { m.unlock(); }
};

struct waited_shared_mutex {
  static constexpr unsigned signals = 2;
  nopal::shared_mutex m;

  waited_shared_mutex() {
    for (unsigned i = 0; i < signals; ++i) m.lock_shared();
  }
  void begin() noexcept {}
  auto wait(std::error_code& e, const nopal::limits& l) { return m.lock(e, l); }
  void end() noexcept { m.unlock(); }
  void signal() noexcept { m.unlock_shared(); }
};

struct waited_condition {
  static constexpr unsigned signals = 2;
  struct all_have_come {
    const unsigned* came;
    bool operator()() const noexcept { return *came == signals; }
  };

  nopal::mutex m;
  nopal::condition c;
  unsigned came = 0;
  all_have_come all{&came};
  std::unique_lock<nopal::mutex> held{m, std::defer_lock};

  void begin() { held.lock(); }
  auto wait(std::error_code& e, const nopal::limits& l) { return c.wait(held, all, e, l); }
  void end() { held.unlock(); }
  void signal() noexcept {
    const std::lock_guard locked(m);
    ++came;
    c.notify_one();
  }
};

template <class Object>
nopal::task<> wait_and_destroy_as_task(std::unique_ptr<Object>& o, std::uint64_t seed) {
  random_numbers random(seed);
  o->begin();
  std::error_code error;
  do co_await o->wait(error, some_limits(random));
  while (error);
  o->end();
  o.reset();
}

template <class Object>
void wait_and_destroy(std::unique_ptr<Object>& o, std::uint64_t seed) {
  random_numbers random(seed);
  if (random.one_in(2)) return nopal::wait(wait_and_destroy_as_task(o, random.next()));
  o->begin();
  std::error_code error;
  do o->wait(error, some_limits(random));
  while (error);
  o->end();
  o.reset();
}

template <class Object>
class SyncStressDestroyed : public testing::Test {};
using waited_objects = testing::Types<waited_semaphore, waited_latch, waited_flag, waited_barrier,
                                      waited_mutex, waited_shared_mutex, waited_condition>;
TYPED_TEST_SUITE(SyncStressDestroyed, waited_objects);

TYPED_TEST(SyncStressDestroyed, RightAfterTheWait) {
  run_sync(4, "objects that are destroyed after the wait", 350000, [](std::uint64_t seed) {
    random_numbers random(seed);
    for (unsigned i = 0; i < rounds_of(1000); ++i) {
      auto o = std::make_unique<TypeParam>();
      TypeParam& object = *o;
      const std::uint64_t of_round = random.next();
      std::thread outside;
      const unsigned by_thread = random.one_in(8) ? 1 : 0;
      if (by_thread != 0) outside = std::thread([&] { object.signal(); });
      nopal::parallel_invoke([&] { wait_and_destroy(o, of_round); },
                             [&] {
                               const unsigned n = TypeParam::signals - by_thread;
                               if (n != 0) in_strands(n, [&](unsigned) { object.signal(); });
                             });
      if (outside.joinable()) outside.join();
      ASSERT_EQ(o, nullptr);
    }
  });
}

// Stops against service.

/// Calls wait(i, token) in n strands. All but the first are stopped at any moment.
template <class Wait>
void wait_with_stops(unsigned n, std::uint64_t seed, Wait&& wait) {
  in_strands(n, [&](unsigned i) {
    std::stop_source stop;
    nopal::parallel_invoke([&] { wait(i, i == 0 ? std::stop_token() : stop.get_token()); },
                           [&] {
                             random_numbers random(seed + i);
                             pass_time(random);
                             stop.request_stop();
                           });
  });
}

TEST(SyncStress, StopsLoseNoPermit) {
  static constexpr unsigned waits = 4;
  run_sync(4, "stops at a semaphore", 360000, [](std::uint64_t seed) {
    for (unsigned i = 0; i < rounds_of(300); ++i, seed += 10) {
      nopal::semaphore s(0);
      std::array<unsigned, waits> acquired{};
      nopal::parallel_invoke(
          [&] {
            wait_with_stops(waits, seed, [&](unsigned w, const std::stop_token& stop) {
              std::error_code error;
              s.acquire(error, stop);
              acquired[w] = error ? 0 : 1;
            });
          },
          [&] { in_strands(waits, [&](unsigned) { s.release(); }); });
      unsigned all = std::accumulate(acquired.begin(), acquired.end(), 0U);
      EXPECT_EQ(acquired[0], 1U);
      while (s.try_acquire()) ++all;
      ASSERT_EQ(all, waits);
    }
  });
}

TEST(SyncStress, StopsLoseNoElement) {
  static constexpr unsigned waits = 4;
  run_sync(4, "stops at a channel", 370000, [](std::uint64_t seed) {
    for (unsigned i = 0; i < rounds_of(300); ++i, seed += 10) {
      nopal::channel<unsigned> c(i % 2);
      std::array<unsigned, waits> sent{}, received{};
      nopal::parallel_invoke(
          [&] {
            wait_with_stops(waits, seed, [&](unsigned w, const std::stop_token& stop) {
              if (!stop.stop_possible()) return;
              std::error_code error;
              sent[w] = bool(c.send(1U << w, error, stop)) ? 1U << w : 0;
            });
          },
          [&] {
            wait_with_stops(waits, seed + 5, [&](unsigned w, const std::stop_token& stop) {
              if (!stop.stop_possible()) return;
              std::error_code error;
              const std::optional<unsigned> got = c.receive(error, stop);
              received[w] = got.value_or(0);
            });
          });
      unsigned in_channel = 0;
      while (const std::optional<unsigned> got = c.try_receive()) in_channel += *got;
      ASSERT_EQ(std::accumulate(sent.begin(), sent.end(), 0U),
                std::accumulate(received.begin(), received.end(), in_channel));
    }
  });
}

TEST(SyncStress, StopsLeaveLocksFree) {
  static constexpr unsigned waits = 6;
  run_sync(4, "stops at locks", 380000, [](std::uint64_t seed) {
    for (unsigned i = 0; i < rounds_of(200); ++i, seed += 10) {
      nopal::mutex m;
      nopal::shared_mutex shared;
      std::uint64_t value = 0;
      std::array<unsigned, waits> locked{};
      wait_with_stops(waits, seed, [&](unsigned w, const std::stop_token& stop) {
        random_numbers random(seed + w);
        for (unsigned n = 0; n < 4; ++n) {
          std::error_code error;
          if (random.one_in(2)) {
            shared.lock_shared(error, stop);
            if (error) continue;
            pass_time(random);
            shared.unlock_shared();
            continue;
          }
          shared.lock(error, stop);
          if (error) continue;
          m.lock(error, stop);
          if (!error) {
            ++value;
            ++locked[w];
            m.unlock();
          }
          shared.unlock();
        }
      });
      ASSERT_EQ(value, std::accumulate(locked.begin(), locked.end(), std::uint64_t{0}));
      ASSERT_TRUE(m.try_lock());
      ASSERT_TRUE(shared.try_lock());
    }
  });
}

}  // namespace
