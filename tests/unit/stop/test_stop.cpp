// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <coroutine>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <system_error>
#include <thread>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "nopal/nopal.hpp"
#include "support/everywhere.hpp"
#include "support/io.hpp"
#include "support/scheduler_run.hpp"

namespace {

using namespace std::chrono_literals;
using nopal_test::on_workers;

/// Calls f on a thread, and on runtimes of one worker and more.
template <class F>
void everywhere(F&& f) {
  f();
  for (const unsigned workers : {1U, 2U, 4U}) on_workers(workers, f);
}

/// Whether f throws nopal::stopped.
template <class F>
bool is_stopped(F&& f) {
  try {
    f();
  } catch (const nopal::stopped& s) {
    EXPECT_EQ(s.code(), std::errc::operation_canceled);
    return true;
  }
  return false;
}

TEST(Stop, OutsideOfAllNothingIsStopped) {
  everywhere([] {
    EXPECT_FALSE(nopal::stop_requested());
    EXPECT_FALSE(nopal::current_stop_token().stop_possible());
    nopal::check_stop();
  });
}

TEST(Stop, ComesToTheFunctionAndNotBehindIt) {
  everywhere([] {
    std::stop_source source;
    const int result = nopal::with_stop(
        source.get_token(),
        [&](int x) {
          EXPECT_FALSE(nopal::stop_requested());
          source.request_stop();
          EXPECT_TRUE(nopal::stop_requested());
          EXPECT_TRUE(is_stopped([] { nopal::check_stop(); }));
          return x + 1;
        },
        41);
    EXPECT_EQ(result, 42);
    EXPECT_FALSE(nopal::stop_requested());
    EXPECT_FALSE(nopal::current_stop_token().stop_possible());
  });
}

TEST(Stop, ComesToWhatIsWithinAndNotToWhatIsAround) {
  everywhere([] {
    std::stop_source outer;
    std::stop_source inner;
    nopal::with_stop(outer.get_token(), [&] {
      nopal::with_stop(inner.get_token(), [&] {
        inner.request_stop();
        EXPECT_TRUE(nopal::stop_requested());
      });
      EXPECT_FALSE(nopal::stop_requested());
      nopal::with_stop(std::stop_token(), [&] {
        outer.request_stop();
        EXPECT_TRUE(nopal::stop_requested());
        nopal::without_stop([&] {
          EXPECT_FALSE(nopal::stop_requested());
          nopal::check_stop();
        });
        EXPECT_TRUE(nopal::stop_requested());
      });
    });
  });
}

TEST(Stop, GivesBackWhatTheFunctionGivesAndThrows) {
  int x = 1;
  const auto reference = [&]() -> int& { return x; };
  static_assert(std::is_same_v<decltype(nopal::with_stop({}, reference)), int&>);
  static_assert(std::is_same_v<decltype(nopal::with_deadline(1h, reference)), int&>);
  static_assert(std::is_same_v<decltype(nopal::without_stop(reference)), int&>);
  EXPECT_EQ(&nopal::with_deadline(1h, reference), &x);
  EXPECT_EQ(*nopal::with_stop({}, [] { return std::make_unique<int>(2); }), 2);
  const auto fails = [] { throw std::runtime_error("no"); };
  EXPECT_THROW(nopal::with_stop({}, fails), std::runtime_error);
  EXPECT_THROW(nopal::with_deadline(1h, fails), std::runtime_error);
  EXPECT_THROW(nopal::without_stop(fails), std::runtime_error);
  EXPECT_FALSE(nopal::current_stop_token().stop_possible());
  const auto as_task = []() -> nopal::task<int> { co_return nopal::stop_requested() ? 1 : 0; };
  std::stop_source stopped;
  stopped.request_stop();
  EXPECT_EQ(nopal::with_stop(stopped.get_token(), as_task), 1);
}

/// What lets a fork be stolen: the one that has it waits until another worker has begun.
struct meeting {
  std::atomic<bool> begun{false};
  void wait() const {
    while (!begun) std::this_thread::yield();
  }
};

TEST(Stop, ComesToClosuresThatAreStolen) {
  on_workers(2, [] {
    std::stop_source source;
    nopal::with_stop(source.get_token(), [&] {
      const std::stop_token mine = nopal::current_stop_token();
      meeting m;
      nopal::parallel_invoke(
          [&] {
            m.wait();
            source.request_stop();
          },
          [&] {
            m.begun = true;
            EXPECT_EQ(nopal::current_stop_token(), mine);
            while (!nopal::stop_requested()) std::this_thread::yield();
          });
    });
  });
}

/// The thief has gone on with the function when the victim is already behind it, in another scope.
TEST(Stop, EachForkKeepsTheScopeInWhichItWasMade) {
  on_workers(2, [] {
    std::stop_source outer;
    std::stop_source inner;
    nopal::with_stop(outer.get_token(), [&] {
      const std::stop_token of_outer = nopal::current_stop_token();
      meeting m;
      nopal::parallel_invoke(
          [&] {
            nopal::with_stop(inner.get_token(), [&] {
              inner.request_stop();
              m.wait();
            });
          },
          [&] {
            EXPECT_EQ(nopal::current_stop_token(), of_outer);
            EXPECT_FALSE(nopal::stop_requested());
            m.begun = true;
          });
    });
  });
}

/// A strand that is suspended between a fork and its join leaves the fork to all workers.
TEST(Stop, ComesToForksThatAreLeftToOthers) {
  for (const unsigned workers : {1U, 3U})
    on_workers(workers, [] {
      nopal::flag go;
      nopal::with_stop(std::stop_token(), [&] {
        const std::stop_token mine = nopal::current_stop_token();
        nopal::parallel_invoke(
            [&] {
              nopal::with_stop(std::stop_token(), [&] {
                const std::stop_token inner = nopal::current_stop_token();
                nopal::parallel_invoke([&] { go.wait(); },
                                       [&] { EXPECT_EQ(nopal::current_stop_token(), inner); },
                                       [&] { EXPECT_EQ(nopal::current_stop_token(), inner); });
                EXPECT_EQ(nopal::current_stop_token(), inner);
              });
            },
            [&] {
              EXPECT_EQ(nopal::current_stop_token(), mine);
              go.set();
            });
      });
    });
}

TEST(Stop, AClosureThatAThiefHasIsNotBegun) {
  on_workers(2, [] {
    std::stop_source source;
    bool begun = false;
    EXPECT_TRUE(is_stopped([&] {
      nopal::with_stop(source.get_token(), [&] {
        source.request_stop();
        nopal::flag never;
        nopal::parallel_invoke([&] { nopal::io::sleep_for(1ms); },  // throws
                               [&] { begun = true; });
      });
    }));
    EXPECT_FALSE(begun);
  });
}

TEST(Stop, EndsALoopBetweenItsBlocks) {
  everywhere([] {
    std::stop_source source;
    std::atomic<int> visited = 0;
    EXPECT_TRUE(is_stopped([&] {
      nopal::with_stop(source.get_token(), [&] {
        nopal::for_each(nopal::grain{10}, 0, 1'000'000, [&](int) {
          if (++visited == 100) source.request_stop();
        });
      });
    }));
    EXPECT_LT(visited, 1'000'000);
  });
}

TEST(Stop, ASearchThatChecksEnds) {
  everywhere([] {
    std::stop_source source;
    std::atomic<int> visited = 0;
    const auto visit = [&](auto&& self, int depth) -> void {
      nopal::check_stop();
      if (++visited == 1000) source.request_stop();
      if (depth != 0)
        nopal::parallel_invoke([&] { self(self, depth - 1); }, [&] { self(self, depth - 1); });
    };
    EXPECT_TRUE(
        is_stopped([&] { nopal::with_stop(source.get_token(), [&] { visit(visit, 40); }); }));
  });
}

template <class F>
void expect_wait_ends(F wait) {
  everywhere([&] {
    for (const bool before : {true, false}) {
      std::stop_source source;
      if (before) source.request_stop();
      std::jthread stops([&] {
        std::this_thread::sleep_for(2ms);
        source.request_stop();
      });
      EXPECT_TRUE(is_stopped([&] { nopal::with_stop(source.get_token(), wait); }));
    }
  });
}

TEST(Stop, EndsWaitsOfSync) {
  expect_wait_ends([] {
    nopal::channel<int> ch;
    static_cast<void>(std::optional<int>(ch.receive()));
  });
  expect_wait_ends([] {
    nopal::channel<int> ch;
    ch.send(1);
  });
  expect_wait_ends([] { nopal::semaphore(0).acquire(); });
  expect_wait_ends([] { nopal::flag().wait(); });
  expect_wait_ends([] { nopal::latch(1).wait(); });
  expect_wait_ends([] {
    nopal::channel<int> ch;
    std::optional<int> x;
    static_cast<void>(int(nopal::select(ch.receiving(x), nopal::after(1h))));
  });
  expect_wait_ends([] {
    nopal::mutex m;
    nopal::condition c;
    std::unique_lock held(m);
    try {
      c.wait(held);
    } catch (const nopal::stopped&) {
      EXPECT_TRUE(held.owns_lock());
      EXPECT_FALSE(m.try_lock());
      throw;
    }
  });
  expect_wait_ends([] {
    nopal::mutex m;
    nopal::condition c;
    std::unique_lock held(m);
    c.wait(held, [] { return false; });
  });
}

TEST(Stop, GivesAnErrorCode) {
  everywhere([] {
    std::stop_source source;
    source.request_stop();
    nopal::with_stop(source.get_token(), [] {
      std::error_code error;
      nopal::semaphore none(0);
      none.acquire(error, 1h);
      EXPECT_EQ(error, std::errc::operation_canceled);
      nopal::io::sleep_for(1h, error);
      EXPECT_EQ(error, std::errc::operation_canceled);
    });
  });
}

TEST(Stop, DoesNotEndALockOrAJoin) {
  on_workers(2, [] {
    nopal::mutex m;
    std::stop_source source;
    std::unique_lock held(m);
    nopal::parallel_invoke(
        [&] {
          nopal::with_stop(source.get_token(), [&] {
            source.request_stop();
            const std::unique_lock mine(m);
          });
        },
        [&] {
          while (!source.stop_requested()) std::this_thread::yield();
          held.unlock();
        });
  });
}

TEST(Stop, EndsCallsOfIo) {
  expect_wait_ends([] { nopal::io::sleep_for(1h); });
  expect_wait_ends([] {
    const nopal_test::pipe_ends p;
    std::array<std::byte, 1> one{};
    nopal::io::read(p.out(), one);
  });
}

TEST(Stop, EndsWaitsOfTasks) {
  expect_wait_ends([]() -> nopal::task<> {
    nopal::semaphore none(0);
    co_await none.acquire();
  });
  expect_wait_ends([]() -> nopal::task<> {
    nopal::mutex m;
    nopal::condition c;
    std::unique_lock held(m);
    co_await c.wait(held);
  });
  expect_wait_ends([]() -> nopal::task<> { co_await nopal::io::async_sleep_for(1h); });
}

/// A worker of another runtime, or another thread, resumes the handle.
struct resumed_elsewhere {
  std::optional<std::jthread>& thread;

  static bool await_ready() noexcept { return false; }
  void await_suspend(std::coroutine_handle<> h) {
    thread.emplace([h] { h.resume(); });
  }
  static void await_resume() noexcept {}
};
struct scheduler_elsewhere {
  std::optional<std::jthread>& thread;
  void schedule(std::coroutine_handle<> h) const {
    thread.emplace([h] { h.resume(); });
  }
};

nopal::task<> expect_in(std::stop_token scope) {
  std::optional<std::jthread> thread;
  EXPECT_EQ(nopal::current_stop_token(), scope);
  co_await resumed_elsewhere{thread};
  EXPECT_EQ(nopal::current_stop_token(), scope);
  const scheduler_elsewhere s{thread};
  co_await nopal::schedule_on(s);
  EXPECT_EQ(nopal::current_stop_token(), scope);
  co_await nopal::resume_on(0);
  EXPECT_EQ(nopal::current_stop_token(), scope);
}

nopal::task<> expect_children_in(std::stop_token scope) {
  nopal::eventual<void> e;
  nopal::try_eventual<void> t;
  co_await nopal::fork(&e, expect_in, scope);
  co_await nopal::fork(&t, expect_in, scope);
  co_await nopal::join();
  EXPECT_TRUE(e.has_value());
  EXPECT_TRUE(t.has_value());
  EXPECT_EQ(nopal::current_stop_token(), scope);
  co_await nopal::all(expect_in(scope), expect_in(scope));
  EXPECT_EQ(nopal::current_stop_token(), scope);
}

TEST(Stop, ATaskStaysInItsScopeWhereverItGoesOn) {
  everywhere([] {
    std::stop_source source;
    nopal::with_stop(source.get_token(),
                     [] { nopal::wait(expect_children_in(nopal::current_stop_token())); });
    EXPECT_FALSE(nopal::current_stop_token().stop_possible());
  });
}

TEST(Stop, ATaskThatIsStartedIsInNoScope) {
  everywhere([] {
    std::stop_source source;
    nopal::flag ended;
    nopal::with_stop(source.get_token(), [&] {
      source.request_stop();
      nopal::start(expect_children_in({}), [&](nopal::outcome<void> o) {
        EXPECT_TRUE(o.has_value());
        EXPECT_FALSE(nopal::stop_requested());
        ended.set();
      });
    });
    ended.wait();
  });
}

TEST(Stop, ComesToWhatAScopeSpawns) {
  everywhere([] {
    nopal::task_scope s;
    std::atomic<int> stopped = 0;
    for (int i = 0; i < 3; ++i)
      s.spawn([&] {
        EXPECT_EQ(nopal::current_stop_token(), s.get_stop_token());
        try {
          nopal::io::sleep_for(1h);
        } catch (const nopal::stopped&) {
          ++stopped;
        }
      });
    s.request_stop();
    s.join();
    EXPECT_EQ(stopped, 3);
  });
}

TEST(Stop, ComesToAScopeThatWasMadeInIt) {
  everywhere([] {
    std::stop_source source;
    nopal::with_stop(source.get_token(), [&] {
      nopal::task_scope s;
      s.spawn([] { nopal::io::sleep_for(1h); });
      source.request_stop();
      EXPECT_TRUE(is_stopped([&] { s.join(); }));
    });
  });
}

TEST(Stop, ComesToAnotherRuntime) {
  nopal::runtime other({.workers = 2});
  everywhere([&] {
    std::stop_source source;
    nopal::with_stop(source.get_token(), [&] {
      const std::stop_token mine = nopal::current_stop_token();
      other.run([&] { EXPECT_EQ(nopal::current_stop_token(), mine); });
      nopal::blocking([&] {
        EXPECT_EQ(nopal::current_stop_token(), mine);
        other.run([&] { EXPECT_EQ(nopal::current_stop_token(), mine); });
      });
      EXPECT_EQ(nopal::current_stop_token(), mine);
    });
  });
}

TEST(Stop, ADeadlineSaysThatItWasOne) {
  everywhere([] {
    const auto spin = [] {
      for (;;) nopal::check_stop();
    };
    for (const auto& f : {+[] { nopal::io::sleep_for(1h); }, +spin}) {
      try {
        nopal::with_deadline(2ms, f);
        ADD_FAILURE();
      } catch (const nopal::stopped&) {
        ADD_FAILURE();
      } catch (const std::system_error& e) {
        EXPECT_EQ(e.code(), std::errc::timed_out);
        EXPECT_NE(std::string(e.what()).find("nopal::with_deadline ended by its deadline"),
                  std::string::npos);
      }
    }
    std::stop_source source;
    source.request_stop();
    EXPECT_TRUE(is_stopped(
        [&] { nopal::with_stop(source.get_token(), [&] { nopal::with_deadline(0ms, spin); }); }));
    EXPECT_TRUE(is_stopped([&] { nopal::with_deadline({source.get_token(), 1h}, spin); }));
    EXPECT_TRUE(is_stopped([&] {
      nopal::with_deadline({source.get_token(), 1ms}, [] {
        std::this_thread::sleep_for(5ms);  // so that the moment comes, too
        nopal::check_stop();
      });
    })) << "the stop came first";
    EXPECT_EQ(nopal::with_deadline(std::chrono::system_clock::now() + 1h, [] { return 1; }), 1);
  });
}

TEST(Stop, TheFirstResultStopsTheOthers) {
  everywhere([] {
    const auto never = [] {
      nopal::io::sleep_for(1h);
      return 1;
    };
    EXPECT_EQ(nopal::first_of(never, [] { return 2; }, never), 2);
    EXPECT_EQ(nopal::first_of([] { return 3; }), 3);
    EXPECT_EQ(nopal::first_of([]() -> int { throw std::runtime_error("no"); }, [] { return 4L; }),
              4);
    nopal::first_of([] { nopal::io::sleep_for(1h); }, [] {});
    EXPECT_EQ(*nopal::first_of([] { return std::make_unique<int>(5); }), 5);
    EXPECT_EQ(nopal::first_of([]() -> nopal::task<int> { co_return 6; }), 6);
    EXPECT_FALSE(nopal::stop_requested());
  });
}

TEST(Stop, IfNoneReturnsTheFirstErrorCounts) {
  everywhere([] {
    EXPECT_THROW(nopal::first_of([]() -> int { throw nopal::stopped("by itself"); },
                                 []() -> int { throw std::runtime_error("a"); },
                                 []() -> int { throw std::logic_error("b"); }),
                 std::runtime_error);
    std::stop_source source;
    source.request_stop();
    EXPECT_TRUE(is_stopped([&] {
      nopal::with_stop(source.get_token(), [] {
        nopal::first_of([] { nopal::io::sleep_for(1h); }, [] { nopal::io::sleep_for(1h); });
      });
    }));
  });
}

TEST(Stop, AnErrorStopsTheOthers) {
  everywhere([] {
    const auto never = [] { nopal::io::sleep_for(1h); };
    EXPECT_THROW(nopal::any_error_stops(
                     never, [] { throw std::runtime_error("no"); }, never),
                 std::runtime_error);
    const auto [a, b] = nopal::any_error_stops([] { return 1; }, [] { return 2L; });
    static_assert(std::is_same_v<decltype(b), const long>);
    EXPECT_EQ(a + b, 3);
    EXPECT_FALSE(nopal::stop_requested());
  });
}

/// As deep as the deque of a worker has to grow.
TEST(Stop, ComesToDeepRecursion) {
  on_workers(2, [] {
    nopal::with_stop(std::stop_token(), [] {
      const std::stop_token mine = nopal::current_stop_token();
      std::atomic<int> wrong = 0;
      const auto visit = [&](auto&& self, int depth) -> void {
        if (depth == 0) return nopal::io::sleep_for(2ms);
        nopal::parallel_invoke([&] { self(self, depth - 1); },
                               [&] { wrong += nopal::current_stop_token() != mine; });
      };
      visit(visit, 3000);
      EXPECT_EQ(wrong, 0);
    });
  });
}

}  // namespace
