// SPDX-License-Identifier: Apache-2.0
// wait_for() and the waiter: threads, strands and tasks wait for the smallest event that there is.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <coroutine>
#include <thread>

#include "nopal/detail/scheduler/submission.hpp"
#include "nopal/detail/task/task_waiter.hpp"
#include "nopal/detail/wait/waiter.hpp"
#include "nopal/parallel_invoke.hpp"
#include "nopal/runtime.hpp"
#include "nopal/task.hpp"
#include "scheduler/scheduler.hpp"

namespace {

using nopal::parallel_invoke;
using nopal::runtime;
using nopal::task;
using nopal::detail::task_promise;
using nopal::detail::task_waiter;
using nopal::detail::wait_for;
using nopal::detail::waiter;

/// Is set once, and one waits for it.
class event {
 public:
  void set() noexcept {
    if (waiter* w = take_waiter()) w->go_on();
  }
  void set_and_end() noexcept {
    nopal::detail::last_act(
        [](void* self) noexcept {
          if (waiter* w = static_cast<event*>(self)->take_waiter()) w->go_on_here();
        },
        this);
  }
  void wait() noexcept {
    wait_for([this](waiter& w) noexcept { return add(w); });
  }
  bool add(waiter& w) noexcept {
    void* unset = nullptr;
    return state_.compare_exchange_strong(unset, &w, std::memory_order_acq_rel,
                                          std::memory_order_acquire);
  }

 private:
  waiter* take_waiter() noexcept {
    return static_cast<waiter*>(state_.exchange(this, std::memory_order_acq_rel));
  }

  std::atomic<void*> state_{nullptr};  ///< The waiter, or this once it is set.
};

/// A task awaits this in the place of an event.
struct by_task {
  event& of;

  struct awaiter : std::suspend_always {
    task_waiter waits;
    event& of;
    awaiter(task_promise& t, event& e) noexcept : waits(t), of(e) {}
    bool await_suspend(std::coroutine_handle<>) noexcept {
      return waits.wait_for([e = &of](waiter& w) noexcept { return e->add(w); });
    }
  };
  [[nodiscard]] awaiter awaiter_in(task_promise& t) const noexcept { return {t, of}; }
};

task<int> task_that_waits(event& e, int& written) {
  co_await by_task{e};
  co_return written;
}

/// Waits for an event in each way, and returns what was written before it.
class ways_to_wait {
 public:
  static constexpr unsigned number = 6;

  int operator()(unsigned way, event& e, int& written) {
    const auto wait = [&] {
      e.wait();
      return written;
    };
    switch (way) {
      case 0:
        return wait();
      case 1:
        return one_.run(wait);
      case 2:
        return two_.run(wait);
      case 3:
        return two_.run([&] { return nopal::wait(task_that_waits(e, written)); });
      case 4:
        return callers_.run(wait);
      default:
        return callers_.run([&] { return nopal::wait(task_that_waits(e, written)); });
    }
  }

 private:
  runtime one_{{.workers = 1, .caller_works = false}};
  runtime two_{{.workers = 2, .caller_works = false}};
  runtime callers_{{.workers = 2}};
};

TEST(Wait, ForWhatHasHappened) {
  ways_to_wait waits;
  for (unsigned way = 0; way < ways_to_wait::number; ++way) {
    event e;
    int written = 7;
    e.set();
    EXPECT_EQ(waits(way, e, written), 7) << way;
  }
}

// The event and the waiter are gone as soon as whoever waits goes on, and the next waiter has their
// memory.
TEST(Wait, ForEachOther) {
  constexpr int rounds = 200;
  ways_to_wait waits;
  for (unsigned one = 0; one < ways_to_wait::number; ++one) {
    for (unsigned other = 0; other < ways_to_wait::number; ++other) {
      std::array<std::atomic<event*>, 2> at{};
      // Each side makes an event, waits for it, and sets that of the other.
      const auto side = [&](unsigned self, unsigned way) {
        for (int i = 1; i <= rounds; ++i) {
          event mine;
          int written = 0;
          if (self == 1) {
            at[self].store(&mine, std::memory_order_release);
            EXPECT_EQ(waits(way, mine, written), 0);
          }
          event* theirs = nullptr;
          while ((theirs = at[1 - self].exchange(nullptr, std::memory_order_acquire)) == nullptr)
            std::this_thread::yield();
          theirs->set();
          if (self == 0) {
            at[self].store(&mine, std::memory_order_release);
            EXPECT_EQ(waits(way, mine, written), 0);
          }
        }
      };
      std::thread far([&] { side(1, other); });
      side(0, one);
      far.join();
    }
  }
}

TEST(Wait, SeesWhatWasDoneBefore) {
  ways_to_wait waits;
  for (unsigned way = 0; way < ways_to_wait::number; ++way) {
    for (int i = 0; i < 100; ++i) {
      event e;
      int written = 0;
      std::thread sets([&] {
        written = i + 1;
        e.set();
      });
      EXPECT_EQ(waits(way, e, written), i + 1) << way;
      sets.join();
    }
  }
}

TEST(Wait, AnnouncesWhenTheStrandHasLeftItsStack) {
  for (const bool caller_works : {false, true}) {
    runtime one({.workers = 1, .caller_works = caller_works});
    event e;
    bool ran = false;
    one.run([&] {
      parallel_invoke(
          [&] {
            const nopal::detail::stack* mine = nopal::detail::current_stack();
            const nopal::detail::stack* in_announcement = mine;
            wait_for([&](waiter& w) noexcept {
              in_announcement = nopal::detail::current_stack();
              return e.add(w);
            });
            EXPECT_NE(mine, nullptr);
            EXPECT_EQ(in_announcement, nullptr) << "it was on the scheduler stack";
            EXPECT_EQ(nopal::detail::current_stack(), mine);
            EXPECT_TRUE(ran);
          },
          [&] {
            ran = true;
            e.set();
          });
    });
  }
}

TEST(Wait, GoesOnBeforeTheAnnouncementReturns) {
  const auto goes_on_at_once = [] {
    wait_for([](waiter& w) noexcept {
      w.go_on();
      return true;
    });
  };
  goes_on_at_once();
  for (const bool caller_works : {false, true}) {
    runtime two({.workers = 2, .caller_works = caller_works});
    for (int i = 0; i < 100; ++i) two.run(goes_on_at_once);
  }
}

TEST(Wait, GoesOnInItsOwnRuntime) {
  runtime of_workers({.workers = 2, .caller_works = false}), of_callers({.workers = 2});
  for (int i = 0; i < 100; ++i) {
    event e;
    runtime& here = i / 2 % 2 == 0 ? of_workers : of_callers;
    runtime& there = i / 4 % 2 == 0 ? of_workers : of_callers;
    std::thread sets([&] { there.run([&] { i % 2 == 0 ? e.set() : e.set_and_end(); }); });
    here.run([&] {
      e.wait();
      EXPECT_TRUE(here.is_current());
    });
    sets.join();
  }
}

TEST(Wait, GoesOnHereWithoutAQueue) {
  runtime one({.workers = 1, .caller_works = false});
  event first, second;
  int order = 0;
  const auto waits = [&](event& e, int place) {
    return [&, place] {
      one.run([&] {
        e.wait();
        EXPECT_EQ(++order, place);
      });
    };
  };
  const auto until_suspended = [&](unsigned strands) {
    while (one.stats().total.suspensions < strands) std::this_thread::yield();
  };
  std::thread later(waits(first, 2));
  until_suspended(1);
  std::thread sooner(waits(second, 1));
  until_suspended(2);
  one.run([&] {
    first.set();
    second.set_and_end();
  });
  later.join();
  sooner.join();
}

}  // namespace
