// SPDX-License-Identifier: Apache-2.0
// What a checking build says of workers that are blocked, and of waits that nobody ends.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iostream>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "nopal/async.hpp"
#include "nopal/io.hpp"
#include "nopal/nopal.hpp"
#include "nopal/sync.hpp"
#include "runtime/owned_scheduler.hpp"
#include "runtime/root_call.hpp"
#include "scheduler/watch/noted_waits.hpp"
#include "support/build.hpp"
#include "support/child_process.hpp"

namespace {

using namespace std::chrono_literals;
using nopal_test::ended_process;
using nopal_test::in_child;

/// Something that a strand blocks its worker on.
class door {
 public:
  void wait() {
    std::unique_lock lock(mutex_);
    opened_.wait(lock, [this] { return open_; });
  }
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    opened_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable opened_;
  bool open_ = false;
};

template <class F>
void run_on(nopal::detail::scheduler& s, F&& f) {
  nopal::detail::run_on(
      s, [](void* call) { (*static_cast<std::remove_reference_t<F>*>(call))(); }, &f);
}

/// Calls `occupy` on each worker, and hands one more call to them. `until` says when the door is
/// opened.
template <class F, class U>
void with_all_workers(F occupy, U until) {
  constexpr unsigned workers = 2;
  nopal::options o;
  o.workers = workers;
  o.caller_works = false;
  nopal::detail::owned_scheduler s(o, {.patience = 100ms});
  door d;
  std::vector<std::jthread> callers;
  for (unsigned i = 0; i <= workers; ++i)
    callers.emplace_back([&] { run_on(s, [&] { occupy(d); }); });
  until();
  d.open();
}

/// What was written to stderr since this was made.
class caught_errors {
 public:
  caught_errors() : stderr_(dup(STDERR_FILENO)) {
    if (pipe(ends_.data()) != 0) std::abort();
    dup2(ends_[1], STDERR_FILENO);
    close(ends_[1]);
  }

  /// Waits for something.
  void read_some() {
    std::array<char, 4096> buffer;
    const ssize_t n = read(ends_[0], buffer.data(), buffer.size());
    if (n > 0) text_.append(buffer.data(), static_cast<std::size_t>(n));
  }

  /// Writes it to where it would have gone.
  void hand_on_at_once() {
    dup2(stderr_, STDERR_FILENO);
    std::cerr << text_ << std::flush;
  }

  /// The same, with all that is still to be read.
  void hand_on() {
    dup2(stderr_, STDERR_FILENO);
    for (std::size_t before = std::string::npos; before != text_.size();) {
      before = text_.size();
      read_some();
    }
    std::cerr << text_ << std::flush;
  }

 private:
  int stderr_;
  std::array<int, 2> ends_{};
  std::string text_;
};

std::size_t times(const std::string& what, const std::string& in) {
  std::size_t n = 0;
  for (auto at = in.find(what); at != std::string::npos; at = in.find(what, at + 1)) ++n;
  return n;
}

TEST(Watch, SaysOnceThatAllWorkersAreBlocked) {
  const ended_process child = in_child([] {
    caught_errors errors;
    with_all_workers([](door& d) { d.wait(); },
                     [&] {
                       errors.read_some();
                       std::this_thread::sleep_for(500ms);
                     });
    errors.hand_on();
    return 0;
  });
  EXPECT_TRUE(child.ok()) << child;
  EXPECT_EQ(times("nopal: all 2 workers of a runtime have been blocked for 100 ms", child.errors),
            1U)
      << child;
  EXPECT_EQ(times("\n  worker ", child.errors), 2U) << child;
}

TEST(Watch, SaysNothingOfWorkersThatCompute) {
  const ended_process child = in_child([] {
    const auto compute = [](door&) {
      const auto end = std::chrono::steady_clock::now() + 400ms;
      while (std::chrono::steady_clock::now() < end) {
      }
    };
    with_all_workers(compute, [] {});
    return 0;
  });
  EXPECT_TRUE(child.ok()) << child;
  EXPECT_EQ(child.errors, "");
}

TEST(Watch, SaysNothingWhileNothingWaits) {
  for (const bool caller_works : {false, true}) {
    const ended_process child = in_child([&] {
      nopal::options o;
      o.workers = 1;
      o.caller_works = caller_works;
      nopal::detail::owned_scheduler s(o, {.patience = 100ms});
      run_on(s, [] { std::this_thread::sleep_for(500ms); });
      return 0;
    });
    EXPECT_TRUE(child.ok()) << child;
    EXPECT_EQ(child.errors, "");
  }
}

enum class place { worker, guest, thread };

/// What is said while `hangs` is called on a worker of two, by a guest of these, or on a thread
/// that is neither. The child ends when something has been said, or after a second.
template <class F>
std::string said_while(F hangs, place where = place::worker) {
  const ended_process child = in_child([&] {
    caught_errors errors;
    nopal::detail::noted_waits::patience_of_threads = 100ms;
    std::thread([&] {
      if (where != place::thread) {
        nopal::options o;
        o.workers = 2;
        o.caller_works = where == place::guest;
        nopal::detail::owned_scheduler s(o, {.patience = 100ms});
        run_on(s, hangs);
      } else {
        hangs();
      }
      std::cerr << "It has ended.\n";
    }).detach();
    errors.read_some();
    errors.hand_on_at_once();
    return 0;
  });
  EXPECT_TRUE(child.ok()) << child;
  return child.errors;
}

nopal::task<void> waits_for(nopal::countdown& d) { co_await d; }

void expect_countdown_named(const std::string& errors) {
  EXPECT_EQ(times("nopal: no worker has anything to run, and these wait:", errors), 1U) << errors;
  EXPECT_EQ(times("for 2 more signals to the nopal::countdown at 0x", errors), 1U) << errors;
}

TEST(Watch, NamesACountdownThatNobodySignals) {
  for (const place where : {place::worker, place::guest})
    expect_countdown_named(said_while(
        [] {
          nopal::countdown d(3);
          d.signal();
          d.wait();
        },
        where));
  expect_countdown_named(said_while([] {
    nopal::countdown d(2);
    nopal::run(waits_for, d);
  }));
  expect_countdown_named(said_while(
      [] {
        nopal::countdown d(2);
        d.wait();
      },
      place::thread));
}

nopal::task<int> takes_one(nopal::stm::var<int>& tickets) {
  co_return co_await nopal::stm::async_atomically([&](nopal::stm::transaction& t) {
    if (t.get(tickets) == 0) t.retry();
    return t.get(tickets);
  });
}

void expect_retry_named(const std::string& errors) {
  EXPECT_EQ(times("nopal: no worker has anything to run, and these wait:", errors), 1U) << errors;
  EXPECT_EQ(times("in retry() for a change to what its transaction has read: 1 location", errors),
            1U)
      << errors;
}

TEST(Watch, NamesARetryThatNobodyWakes) {
  const auto take = [] {
    nopal::stm::var<int> tickets{0};
    nopal::stm::atomically([&](nopal::stm::transaction& t) {
      if (t.get(tickets) == 0) t.retry();
    });
  };
  for (const place where : {place::worker, place::guest, place::thread})
    expect_retry_named(said_while(take, where));
  expect_retry_named(said_while([] {
    nopal::stm::var<int> tickets{0};
    nopal::run(takes_one, tickets);
  }));
}

void expect_sync_named(const std::string& what, const std::string& errors) {
  EXPECT_EQ(times("nopal: no worker has anything to run, and these wait:", errors), 1U) << errors;
  EXPECT_EQ(times("a strand, task or thread for " + what + " at 0x", errors), 1U) << errors;
}

nopal::task<void> locks(nopal::mutex& m) { co_await m.lock(); }
nopal::task<void> receives(nopal::channel<int>& c) { co_await c.receive(); }
nopal::task<void> selects(nopal::channel<int>& c, std::optional<int>& got) {
  co_await nopal::select(c.sending(1), c.receiving(got));
}

// The serial program hangs as well: what is forked runs while its caller holds the mutex.
TEST(Watch, NamesAMutexThatWhatIsForkedLocksWhileItsParentHoldsIt) {
  for (const place where : {place::worker, place::guest})
    for (const bool in_task : {false, true})
      expect_sync_named("the nopal::mutex", said_while(
                                                [in_task] {
                                                  nopal::mutex m;
                                                  const std::lock_guard held(m);
                                                  nopal::parallel_invoke(
                                                      [&] {
                                                        if (in_task)
                                                          nopal::wait(locks(m));
                                                        else
                                                          m.lock();
                                                      },
                                                      [] {});
                                                },
                                                where));
  expect_sync_named("the nopal::mutex", said_while(
                                            [] {
                                              nopal::mutex m;
                                              m.lock();
                                              m.lock();
                                            },
                                            place::thread));
}

TEST(Watch, NamesMutexesThatTwoLockInDifferentOrders) {
  const std::string errors = said_while([] {
    nopal::mutex one, other;
    nopal::latch both_have_one(2);
    const auto lock_both = [&](nopal::mutex& first, nopal::mutex& second) {
      const std::lock_guard held(first);
      both_have_one.arrive_and_wait();
      second.lock();
    };
    nopal::parallel_invoke([&] { lock_both(one, other); }, [&] { lock_both(other, one); });
  });
  EXPECT_EQ(times("nopal: no worker has anything to run, and these wait:", errors), 1U) << errors;
  EXPECT_EQ(times("a strand, task or thread for the nopal::mutex at 0x", errors), 2U) << errors;
}

// A condition keeps no notification: whoever waits without a predicate may come too late for it.
TEST(Watch, NamesAConditionWhoseNotificationWasLost) {
  expect_sync_named("a notification of the nopal::condition", said_while([] {
                      nopal::mutex m;
                      nopal::condition c;
                      c.notify_one();
                      std::unique_lock held(m);
                      c.wait(held);
                    }));
}

TEST(Watch, NamesAChannelAtWhichNobodyElseIs) {
  for (const place where : {place::worker, place::guest, place::thread}) {
    expect_sync_named("an element of the nopal::channel", said_while(
                                                              [] {
                                                                nopal::channel<int> c(1);
                                                                c.receive();
                                                              },
                                                              where));
    expect_sync_named("room in the nopal::channel", said_while(
                                                        [] {
                                                          nopal::channel<int> c;
                                                          c.send(1);
                                                        },
                                                        where));
    expect_sync_named("a case of nopal::select", said_while(
                                                     [] {
                                                       nopal::channel<int> c;
                                                       std::optional<int> got;
                                                       nopal::select(c.sending(1),
                                                                     c.receiving(got));
                                                     },
                                                     where));
  }
  expect_sync_named("an element of the nopal::channel", said_while([] {
                      nopal::channel<int> c;
                      nopal::wait(receives(c));
                    }));
  expect_sync_named("a case of nopal::select", said_while([] {
                      nopal::channel<int> c;
                      std::optional<int> got;
                      nopal::wait(selects(c, got));
                    }));
}

nopal::task<> waits_for_notification(nopal::condition& c) {
  nopal::mutex m;
  std::unique_lock held(m);
  co_await c.wait(held);
}

TEST(Watch, NamesWaitsThatCouldHaveLimitsAndHaveNone) {
  expect_sync_named("a notification of the nopal::condition", said_while([] {
                      nopal::condition c;
                      nopal::wait(waits_for_notification(c));
                    }));
  expect_sync_named("an element of the nopal::pool", said_while([] {
                      nopal::pool<int> p;
                      auto out = p.consumer();
                      for (int& x : out.all()) std::cerr << x;
                    }));
}

TEST(Watch, SaysNothingOfAWaitThatALimitWillEnd) {
  const std::string errors = said_while([] {
    nopal::mutex m;
    nopal::channel<int> c;
    std::optional<int> got;
    std::error_code error;
    m.lock();
    m.lock(error, 300ms);
    c.receive(error, 300ms);
    nopal::select(c.receiving(got), nopal::after(300ms));
  });
  EXPECT_EQ(errors, "It has ended.\n");
}

TEST(Watch, NamesTheScopeWhoseFunctionWaits) {
  for (const place where : {place::worker, place::guest}) {
    const std::string errors = said_while(
        [] {
          nopal::countdown d(2);
          nopal::task_scope s;
          s.spawn([&] { d.wait(); });
          s.join();
        },
        where);
    expect_countdown_named(errors);
    EXPECT_EQ(times("for the end of 1 function of the nopal::task_scope at 0x", errors), 1U)
        << errors;
  }
}

TEST(Watch, NamesARuntimeThatIsDestroyedBeforeItsScope) {
  const std::string errors = said_while(
      [] {
        std::optional<nopal::detail::scope> scope;
        nopal::options o;
        o.workers = 1;
        nopal::detail::owned_scheduler s(o, {.patience = 100ms});
        scope.emplace(&s);
      },
      place::thread);
  EXPECT_EQ(
      times("the destructor of a runtime or claim, for 1 nopal::task_scope of it to end", errors),
      1U)
      << errors;
}

/// Calls `signals` in a spawned function, and waits for the signal that it gives after 400 ms.
template <class F>
void expect_nothing_said(F signals) {
  for (const place where : {place::worker, place::guest})
    EXPECT_EQ(said_while(
                  [&] {
                    nopal::countdown d(1);
                    nopal::task_scope s;
                    s.spawn([&] { signals(d); });
                    d.wait();
                  },
                  where),
              "It has ended.\n");
}

TEST(Watch, SaysNothingOfWhatIsGoingToBeSignalled) {
  expect_nothing_said([](nopal::countdown& d) {
    nopal::io::sleep_for(400ms);
    d.signal();
  });
  expect_nothing_said([](nopal::countdown& d) {
    nopal::blocking([] { std::this_thread::sleep_for(400ms); });
    d.signal();
  });
  expect_nothing_said([](nopal::countdown& d) {
    std::this_thread::sleep_for(400ms);
    d.signal();
  });
  expect_nothing_said([](nopal::countdown& d) {
    nopal::runtime other({.workers = 1});
    other.run([] { std::this_thread::sleep_for(400ms); });
    d.signal();
  });
}

/// Whether the kernel tells what a thread sleeps in, and how long it has run.
bool kernel_tells_calls() {
  std::this_thread::sleep_for(1ms);  // a thread that has not slept yet may have no time
  std::string call;
  std::string times;
  std::getline(std::ifstream("/proc/thread-self/syscall") >> std::ws, call);
  std::getline(std::ifstream("/proc/thread-self/schedstat") >> std::ws, times);
  return !nopal_test::with_emulator && !call.empty() && !times.empty() && times[0] != '0';
}

/// Has a thread call `holds`, which calls its argument while it has something, and one of two
/// workers call `waits` for that thing. Returns what is said while it waits for longer than a
/// second. The child hangs, and is ended, if nothing is said.
template <class H, class W>
std::string said_while_held(H holds, W waits) {
  const ended_process child = in_child([&] {
    caught_errors errors;
    {
      nopal::options o;
      o.workers = 2;
      o.caller_works = false;
      nopal::detail::owned_scheduler s(o);
      std::atomic<bool> held{false};
      const std::jthread holder([&] {
        holds([&] {
          held.store(true, std::memory_order_relaxed);
          errors.read_some();
          std::this_thread::sleep_for(600ms);  // time for a second message
        });
      });
      while (!held.load(std::memory_order_relaxed)) std::this_thread::sleep_for(1ms);
      run_on(s, waits);
    }
    errors.hand_on();
    return 0;
  });
  EXPECT_TRUE(child.ok()) << child;
  return child.errors;
}

void expect_worker_named(const std::string& errors) {
  EXPECT_EQ(times("nopal: ", errors), 1U) << errors;
  EXPECT_EQ(times("of a runtime has been in one futex call outside of nopal for ", errors), 1U)
      << errors;
  EXPECT_EQ(times(" ms, at address 0x", errors), 1U) << errors;
  EXPECT_EQ(times(", in the strand whose stack pointer is 0x", errors), 1U) << errors;
}

TEST(Watch, NamesAWorkerThatALockOutsideOfNopalBlocks) {
  if (!kernel_tells_calls()) GTEST_SKIP() << "the kernel does not say what a thread sleeps in";
  std::mutex m;
  expect_worker_named(said_while_held(
      [&](auto wait) {
        const std::lock_guard held(m);
        wait();
      },
      [&] { const std::lock_guard held(m); }));
  std::once_flag once;
  expect_worker_named(said_while_held([&](auto wait) { std::call_once(once, wait); },
                                      [&] { std::call_once(once, [] {}); }));
  const auto use_static = [](const auto& initialize) {
    [[maybe_unused]] static const bool initialized = (initialize(), true);
  };
  const auto initialize_static = [&](const std::function<void()>& f) { use_static(f); };
  expect_worker_named(said_while_held(initialize_static, [&] { initialize_static([] {}); }));
}

/// Locks `m` again and again for three seconds, and keeps it for `time` each time.
void keep_locking(std::mutex& m, std::chrono::milliseconds time) {
  const auto end = std::chrono::steady_clock::now() + 3s;
  while (std::chrono::steady_clock::now() < end) {
    const std::lock_guard held(m);
    std::this_thread::sleep_for(time);
  }
}

TEST(Watch, NamesNoWorkerThatGoesOnOrWaitsInNopal) {
  const ended_process child = in_child([] {
    nopal::options o;
    o.workers = 5;  // one has nothing to do
    o.caller_works = false;
    nopal::detail::owned_scheduler s(o);
    std::vector<std::jthread> callers;
    nopal::mutex m;
    callers.emplace_back([&] {
      run_on(s, [&] {
        const std::lock_guard held(m);
        nopal::io::sleep_for(2s);
      });
    });
    callers.emplace_back([&] { run_on(s, [&] { const std::lock_guard held(m); }); });
    std::mutex of_others;
    std::unique_lock held_by_others(of_others);
    callers.emplace_back([&] {
      run_on(s, [&] { nopal::blocking([&] { const std::lock_guard held(of_others); }); });
    });
    callers.emplace_back([&] {
      run_on(s, [] {
        const auto end = std::chrono::steady_clock::now() + 2s;
        while (std::chrono::steady_clock::now() < end) {
        }
      });
    });
    std::mutex wanted;
    // This strand waits nearly all the time, in one call after the other.
    callers.emplace_back([&] { run_on(s, [&] { keep_locking(wanted, 0ms); }); });
    keep_locking(wanted, 50ms);
    held_by_others.unlock();
    return 0;
  });
  EXPECT_TRUE(child.ok()) << child;
  EXPECT_EQ(child.errors, "");
}

}  // namespace
