// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "nopal/async/claim.hpp"
#include "nopal/nopal.hpp"
#include "support/build.hpp"
#include "support/child_process.hpp"
#include "support/everywhere.hpp"
#include "support/scheduler_run.hpp"

namespace {

using nopal::claim;
using nopal::claim_options;
using nopal::runtime;
using nopal_test::until;
using thread_ids = std::set<std::thread::id>;

/// Ends only if as many workers as wanted run it at once.
class meeting {
 public:
  explicit meeting(unsigned wanted) : wanted_(wanted) {}

  thread_ids threads() {
    invite(wanted_);
    return threads_;
  }

 private:
  void invite(unsigned n) {
    if (n == 0) return;
    nopal::parallel_invoke([this] { come(); }, [this, n] { invite(n - 1); });
  }
  void come() {
    {
      const std::lock_guard lock(mutex_);
      threads_.insert(std::this_thread::get_id());
    }
    ++here_;
    while (here_.load() != wanted_) std::this_thread::yield();
  }

  unsigned wanted_;
  std::atomic<unsigned> here_{0};
  std::mutex mutex_;
  thread_ids threads_;
};

/// The threads of `n` workers of a runtime or a claim.
template <class Where>
thread_ids threads_of(Where& w, unsigned n) {
  return w.run([n] { return meeting(n).threads(); });
}

thread_ids both(thread_ids a, const thread_ids& b) {
  a.insert(b.begin(), b.end());
  return a;
}

std::uint64_t fib(unsigned n) {
  if (n < 2) return n;
  std::uint64_t a = 0, b = 0;
  nopal::parallel_invoke([&] { a = fib(n - 1); }, [&] { b = fib(n - 2); });
  return a + b;
}

template <class E, class F>
std::string message_of(F&& f) {
  try {
    f();
  } catch (const E& e) {
    return e.what();
  }
  return "nothing was thrown";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Claim, HasWorkersOfItsOwn) {
  runtime r({.workers = 4, .caller_works = false});
  const thread_ids all = threads_of(r, 4);
  ASSERT_EQ(all.size(), 4U);
  {
    claim one = r.claim({.at_most = 1});
    claim two = r.claim({.at_least = 2, .at_most = 2});
    EXPECT_EQ(one.workers(), 1U);
    EXPECT_EQ(two.workers(), 2U);
    const thread_ids in_one = threads_of(one, 1);
    const thread_ids in_two = threads_of(two, 2);
    const thread_ids in_runtime = threads_of(r, 1);
    EXPECT_EQ(both(both(in_one, in_two), in_runtime), all);  // so no two have one in common
  }
  EXPECT_EQ(threads_of(r, 4), all);
}

TEST(Claim, GetsWhatIsFreeUpToWhatItAskedFor) {
  runtime r({.workers = 4, .caller_works = false});
  EXPECT_EQ(r.claim({.at_most = 2}).workers(), 2U);
  EXPECT_EQ(r.claim({.at_most = 3}).workers(), 3U);
  EXPECT_EQ(r.claim({.at_most = 8}).workers(), 3U);
  EXPECT_EQ(r.claim({}).workers(), 3U);
  const claim two = r.claim({.at_most = 2});
  EXPECT_EQ(r.claim({.at_least = 1, .at_most = 2}).workers(), 1U);
}

TEST(Claim, IsRefusedWithAMessageIfTooFewAreFree) {
  runtime r({.workers = 4, .caller_works = false});
  EXPECT_TRUE(
      contains(message_of<std::runtime_error>([&] { return r.claim({.at_least = 4}).workers(); }),
               "4 workers are claimed, and 3 of the 4 of the runtime are free"));
  claim two = r.claim({.at_most = 2});
  EXPECT_TRUE(
      contains(message_of<std::runtime_error>([&] { return r.claim({.at_least = 2}).workers(); }),
               "1 of the 4 of the runtime is free: one stays in the runtime always, and 2 are in "
               "claims. Ask for fewer, make the runtime with more workers"));
  EXPECT_THROW(two.grow(2), std::runtime_error);
  EXPECT_EQ(two.workers(), 2U);
  EXPECT_EQ(threads_of(two, 2).size(), 2U);
  EXPECT_EQ(threads_of(r, 2).size(), 2U);

  runtime alone({.workers = 1});
  const std::string refused =
      message_of<std::runtime_error>([&] { return alone.claim({}).workers(); });
  EXPECT_TRUE(contains(refused, "1 worker is claimed, and 0 of the 1 of the runtime are free"));
  EXPECT_FALSE(contains(refused, "fewer")) << "fewer than one there are not";
  EXPECT_EQ(alone.run([] { return 1; }), 1);
}

TEST(Claim, RefusesOptionsThatMakeNoSense) {
  runtime r({.workers = 2, .caller_works = false});
  EXPECT_TRUE(contains(
      message_of<std::invalid_argument>([&] { return r.claim({.at_least = 0}).workers(); }),
      "at_least is 0"));
  EXPECT_THROW(static_cast<void>(r.claim({.at_least = 2, .at_most = 1})), std::invalid_argument);
}

TEST(Claim, GrowsAndShrinks) {
  runtime r({.workers = 4, .caller_works = false});
  claim c = r.claim({.at_most = 1});
  c.grow(2);
  EXPECT_EQ(c.workers(), 3U);
  const thread_ids three = threads_of(c, 3);
  EXPECT_EQ(threads_of(r, 1).size(), 1U);
  c.shrink(2);
  EXPECT_EQ(c.workers(), 1U);
  const thread_ids rest = threads_of(r, 3);  // first: after it those that leave have left
  const thread_ids one = threads_of(c, 1);
  EXPECT_TRUE(std::ranges::includes(three, one));
  EXPECT_EQ(both(one, rest).size(), 4U);
  EXPECT_TRUE(contains(message_of<std::invalid_argument>([&] { c.shrink(1); }), "one stays"));
  EXPECT_THROW(c.shrink(100), std::invalid_argument);
  EXPECT_EQ(c.workers(), 1U);
  c.grow(0);
  c.shrink(0);
  EXPECT_EQ(c.workers(), 1U);
}

TEST(Claim, LosesNoWorkWhenItGrowsAndShrinks) {
  runtime r({.workers = 4});
  claim c = r.claim({.at_most = 3});
  std::atomic<bool> over{false};
  std::thread computes([&] {
    for (int i = 0; i < 20; ++i) EXPECT_EQ(c.run(fib, 18U), 2584U);
    over = true;
  });
  while (!over) {
    c.shrink(2);
    EXPECT_EQ(r.run(fib, 8U), 21U);
    c.grow(1);
    c.grow(1);
  }
  computes.join();
  EXPECT_EQ(threads_of(c, 3).size(), 3U);
  EXPECT_TRUE(nopal_test::frees_all_stacks(c));
}

TEST(Claim, RunsWhatItsWorkersHaveSpawnedAndLeft) {
  runtime r({.workers = 3, .caller_works = false});
  claim c = r.claim({.at_least = 2});
  for (int i = 0; i < 20; ++i) {
    const thread_ids in_c = threads_of(c, 2);
    std::atomic<unsigned> n{0};
    c.run([&] {
      nopal::task_scope s;
      for (int spawned = 0; spawned < 1000; ++spawned)
        s.spawn([&] { n += in_c.contains(std::this_thread::get_id()) ? 1 : 0; });
      c.shrink(1);  // of either worker, whatever it has
      s.join();
    });
    EXPECT_EQ(n, 1000U);
    c.grow(1);
  }
}

/// A function that spawns itself: its worker has always another one to run.
struct again {
  nopal::task_scope* scope;
  const std::atomic<bool>* over;
  void operator()() const {
    if (!over->load()) scope->spawn(*this);
  }
};

TEST(Claim, GetsWorkersThatRunOneSpawnedFunctionAfterAnother) {
  runtime r({.workers = 2, .caller_works = false});
  std::atomic<bool> over{false};
  nopal::task_scope s(r);
  std::atomic<unsigned> busy{0};
  for (int i = 0; i < 2; ++i)
    s.spawn([&] {
      ++busy;
      while (busy.load() != 2) std::this_thread::yield();
      s.spawn(again{&s, &over});
    });
  while (busy.load() != 2) std::this_thread::yield();
  EXPECT_EQ(r.claim({}).run([] { return 42; }), 42);
  over = true;
  s.join();
}

TEST(Claim, WorkersThatAreBusyArriveLater) {
  runtime r({.workers = 3, .caller_works = false});
  std::atomic<bool> began{false}, go{false};
  std::thread blocks([&] {
    r.run([&] {
      began = true;
      until(go);
    });
  });
  until(began);
  claim c = r.claim({.at_least = 2});
  EXPECT_EQ(c.workers(), 2U);
  EXPECT_EQ(c.run(fib, 10U), 55U);  // by the one that has arrived, or both
  go = true;
  blocks.join();
  EXPECT_EQ(threads_of(c, 2).size(), 2U);
}

TEST(Claim, RunReturnsAndThrowsAsARuntimeDoes) {
  runtime r({.workers = 2});
  claim c = r.claim({});
  int x = 1;
  EXPECT_EQ(&c.run([&]() -> int& { return x; }), &x);
  EXPECT_EQ(c.run([](int a, int b) { return a - b; }, 5, 3), 2);
  EXPECT_EQ(*c.run([] { return std::make_unique<int>(4); }), 4);
  EXPECT_EQ(
      message_of<std::runtime_error>([&] { c.run([] { throw std::runtime_error("this"); }); }),
      "this");
  EXPECT_EQ(c.run([]() -> nopal::task<int> { co_return 7; }), 7);
}

TEST(Claim, RunOnItsOwnWorkerIsAPlainCall) {
  runtime r({.workers = 2, .caller_works = false});
  claim c = r.claim({});
  c.run([&] {
    const auto thread = std::this_thread::get_id();
    int x = 0;
    c.run([&] {
      x = 1;
      EXPECT_EQ(std::this_thread::get_id(), thread);
    });
    nopal::run([&] { EXPECT_EQ(std::this_thread::get_id(), thread); });
    EXPECT_EQ(x, 1);
  });
}

TEST(Claim, AStrandGoesOnWhereItCameFrom) {
  runtime r({.workers = 3, .caller_works = false});
  claim a = r.claim({.at_most = 1});
  claim b = r.claim({.at_most = 1});
  const thread_ids in_a = threads_of(a, 1);
  const thread_ids in_b = threads_of(b, 1);
  const thread_ids in_r = threads_of(r, 1);
  const auto on = [](const thread_ids& t) { return t.contains(std::this_thread::get_id()); };
  for (int i = 0; i < 20; ++i) {
    r.run([&] {
      EXPECT_TRUE(on(in_r));
      a.run([&] {
        EXPECT_TRUE(on(in_a));
        r.run([&] { EXPECT_TRUE(on(in_r)); });  // its one worker has not been blocked
        EXPECT_TRUE(on(in_a));
        b.run([&] {
          EXPECT_TRUE(on(in_b));
          a.run([&] { EXPECT_TRUE(on(in_a)); });
          EXPECT_TRUE(on(in_b));
        });
        EXPECT_TRUE(on(in_a));
      });
      EXPECT_TRUE(on(in_r));
    });
  }
}

TEST(Claim, MayBeMadeByAWorkerWhichThenCannotLeave) {
  for (const bool caller_works : {false, true}) {
    runtime r({.workers = 4, .caller_works = caller_works});
    r.run([&] {
      EXPECT_THROW(static_cast<void>(r.claim({.at_least = 4})), std::runtime_error);
      claim c = r.claim({.at_least = 3});
      EXPECT_EQ(threads_of(c, 3).size(), 3U);
      c.shrink(2);
      EXPECT_EQ(threads_of(r, 3).size(), 3U);
    });
    EXPECT_EQ(threads_of(r, 4).size(), 4U);
  }
}

TEST(Claim, IsNotNested) {
  runtime r({.workers = 4, .caller_works = false});
  claim c = r.claim({.at_most = 1});
  c.run([&] {
    EXPECT_TRUE(contains(message_of<std::logic_error>([&] { return r.claim({}).workers(); }),
                         "claims are not nested"));
    c.grow(1);
    EXPECT_EQ(threads_of(c, 2).size(), 2U);
    runtime other({.workers = 2});
    EXPECT_EQ(other.claim({}).run(fib, 10U), 55U);
  });
}

TEST(Claim, MayBeMoved) {
  runtime r({.workers = 3, .caller_works = false});
  claim a = r.claim({.at_most = 1});
  claim b = std::move(a);
  EXPECT_EQ(b.run(fib, 10U), 55U);
  b = r.claim({.at_least = 1});  // beside the one that it had, which goes back then
  EXPECT_EQ(b.workers(), 1U);
  EXPECT_EQ(r.claim({}).workers(), 1U);
}

TEST(Claim, DestructorWaitsForWorkAndBlocksNoWorker) {
  runtime r({.workers = 2, .caller_works = false});
  std::optional<claim> c = r.claim({});
  std::atomic<bool> began{false}, go{false}, ended{false}, gone{false};
  std::thread works([&] {
    c->run([&] {
      began = true;
      until(go);
      ended = true;
    });
  });
  until(began);
  std::thread destroys([&] {
    r.run([&] {
      c.reset();
      EXPECT_TRUE(ended);
      gone = true;
    });
  });
  for (int i = 0; i < 10; ++i) {
    r.run([] {});  // by the worker whose strand waits
    EXPECT_FALSE(gone);
  }
  go = true;
  works.join();
  destroys.join();
  EXPECT_TRUE(gone);
  EXPECT_EQ(threads_of(r, 2).size(), 2U);
}

nopal::task<std::thread::id> thread_of(unsigned worker) {
  co_await nopal::resume_on(worker);
  co_return std::this_thread::get_id();
}

TEST(Claim, WhatIsMeantForAWorkerThatIsElsewhereRunsOnAnother) {
  runtime r({.workers = 3, .caller_works = false});
  claim c = r.claim({.at_most = 1});
  const thread_ids in_c = threads_of(c, 1);
  const thread_ids in_r = threads_of(r, 2);
  for (unsigned i = 0; i < 3; ++i) {
    EXPECT_TRUE(in_r.contains(r.run(thread_of, i)));
    EXPECT_TRUE(in_c.contains(c.run(thread_of, i)));
  }
}

/// Runs on whatever thread, and says so.
struct noted : nopal::detail::continuation {
  noted() : continuation(run) {}
  static void run(continuation& c, nopal::detail::worker& /*where*/) noexcept {
    static_cast<noted&>(c).has_run = true;
  }
  std::atomic<bool> has_run{false};
};

TEST(Claim, ASleepingWorkerRunsWhatIsMeantForOneElsewhere) {
  using namespace std::chrono_literals;
  nopal::detail::owned_scheduler s({.workers = 3});
  nopal::detail::owned_scheduler c(s.lent());
  s.lent()->open(c, 1, 1);
  for (unsigned i = 0; i < 3; ++i) {
    std::this_thread::sleep_for(20ms);  // all sleep by now
    noted in_s, in_c;
    s.submit_to(s.worker_at(i), in_s);
    c.submit_to(c.worker_at(i), in_c);
    until(in_s.has_run);
    until(in_c.has_run);
  }
}

TEST(Claim, WorkersOfSeveralNodesComeAndGo) {
  using namespace nopal::detail;
  owned_scheduler s({.workers = 6, .caller_works = false},
                    machine{.synthetic_topology = "numa:3 core:2 pu:1"});
  const auto in = [](scheduler& x, unsigned n) {
    return nopal_test::run_in(x, [n] { return meeting(n).threads(); });
  };
  // The one to which workers go comes first, so that they have come.
  const auto all_of = [&](scheduler& first, unsigned n, scheduler& second, unsigned m) {
    const thread_ids in_first = in(first, n);
    return both(in_first, in(second, m)).size();
  };
  for (int i = 0; i < 10; ++i) {
    owned_scheduler c(s.lent());
    s.lent()->open(c, 1, 3);
    EXPECT_EQ(all_of(c, 3, s, 3), 6U);
    s.lent()->grow(c, 2);
    EXPECT_EQ(all_of(c, 5, s, 1), 6U);
    s.lent()->shrink(c, 4);
    EXPECT_EQ(all_of(s, 5, c, 1), 6U);
  }
  EXPECT_EQ(in(s, 6).size(), 6U);
}

TEST(Claim, BusyWorkersComeAndGo) {
  runtime r({.workers = 3, .idle = nopal::idle_policy::busy});
  for (int i = 0; i < 10; ++i) {
    claim c = r.claim({.at_most = 1 + static_cast<unsigned>(i % 2)});
    EXPECT_EQ(threads_of(c, c.workers()).size(), c.workers());
  }
  EXPECT_EQ(threads_of(r, 3).size(), 3U);
}

TEST(Claim, RunsWhatIsSpawnedInItAndInItsScopes) {
  runtime r({.workers = 4, .caller_works = false});
  std::atomic<int> ran{0}, elsewhere{0};
  {
    claim c = r.claim({.at_least = 2, .at_most = 2});
    const thread_ids members = c.run([] { return meeting(2).threads(); });
    const auto here = [&] {
      ++ran;
      if (!members.contains(std::this_thread::get_id())) ++elsewhere;
    };
    nopal::task_scope s(c);
    for (int i = 0; i < 100; ++i) {
      s.spawn(here);
      c.spawn(here);
    }
    r.run([&] {
      for (int i = 0; i < 100; ++i) s.spawn(here);
      nopal::task_scope of_the_runtime;
      of_the_runtime.spawn([&] { s.join(); });
      of_the_runtime.join();
    });
    s.join();
  }
  EXPECT_EQ(ran.load(), 300);
  EXPECT_EQ(elsewhere.load(), 0);
}

/// Strands of a claim and of its runtime wait for each other. Each goes on where it belongs.
TEST(Claim, WhatWaitsInItGoesOnInIt) {
  runtime r({.workers = 3, .caller_works = false});
  claim one = r.claim({.at_most = 1});
  const std::thread::id thread_of_claim = *threads_of(one, 1).begin();
  nopal::channel<int> to_claim, to_runtime;
  nopal::mutex m;
  constexpr int messages = 200;
  const auto answers = [&] {
    for (int i = 0; i < messages; ++i) {
      const std::optional<int> got = to_claim.receive();
      EXPECT_EQ(got, i);
      EXPECT_EQ(std::this_thread::get_id(), thread_of_claim);
      const std::unique_lock held(m);
      EXPECT_EQ(std::this_thread::get_id(), thread_of_claim);
      to_runtime.send(i);
    }
  };
  const std::jthread in_claim([&] { one.run(answers); });
  r.run([&] {
    for (int i = 0; i < messages; ++i) {
      to_claim.send(i);
      const std::optional<int> got = to_runtime.receive();
      EXPECT_EQ(got, i);
      const std::unique_lock held(m);
      EXPECT_NE(std::this_thread::get_id(), thread_of_claim);
    }
  });
}

TEST(Claim, DoesNotWaitForOneThatIsLateInAnotherClaim) {
  runtime r({.workers = 4, .caller_works = false});
  std::atomic<bool> go{false};
  std::atomic<int> begun{0};
  claim late = r.claim({.at_least = 2, .at_most = 2});
  for (int i = 0; i < 2; ++i)
    late.spawn([&] {
      ++begun;
      while (!go.load()) std::this_thread::yield();
    });
  while (begun.load() != 2) std::this_thread::yield();
  late.shrink(1);
  claim soon = r.claim({.at_least = 1, .at_most = 1});
  EXPECT_EQ(soon.run([] { return 7; }), 7) << "while two workers of the runtime have nothing to do";
  EXPECT_EQ(r.run([] { return 8; }), 8);
  go = true;
}

// A leak checker finds what is not freed. The worker is held until all are spawned, so every
// function runs by its hint, and the ways through the queue are left when the scope is joined.
TEST(Claim, HintsLeftAtItsEndAreFreed) {
  constexpr int many = 20'000;
  std::atomic<bool> held{false}, go{false};
  std::atomic<int> ran{0};
  runtime r({.workers = 2, .caller_works = false});
  claim c = r.claim({.at_least = 1, .at_most = 1});
  const unsigned member = c.run([] { return nopal::current_worker().value(); });
  c.spawn([&] {
    held = true;
    while (!go.load()) std::this_thread::yield();
  });
  until(held);
  nopal::task_scope s(c);
  for (int i = 0; i < many; ++i) s.spawn(nopal::near(member), [&] { ++ran; });
  go = true;
  s.join();
  EXPECT_EQ(ran.load(), many);
}

TEST(Claim, MustEndBeforeItsRuntime) {
  const auto p = nopal_test::in_child([] {
    std::optional<claim> c;
    runtime r({.workers = 2, .caller_works = false});
    c = r.claim({});
    return 0;
  });
  EXPECT_FALSE(p.exited) << p;
  EXPECT_TRUE(contains(p.errors, "while a claim of it lives")) << p;
}

TEST(Claim, IsNotDestroyedByItsOwnWorker) {
  const auto p = nopal_test::in_child([] {
    runtime r({.workers = 2, .caller_works = false});
    std::optional<claim> c = r.claim({});
    c->run([&] { c.reset(); });
    return 0;
  });
  EXPECT_FALSE(p.exited) << p;
  EXPECT_TRUE(contains(p.errors, "by one of its own workers")) << p;
}

TEST(Claim, IsRefusedInAChildOfFork) {
  if (nopal_test::with_tsan || nopal_test::with_emulator)
    GTEST_SKIP()
        << "neither ThreadSanitizer nor qemu-user supports threads in a child of a process "
           "with threads";
  std::optional<runtime> r(std::in_place, nopal::options{.workers = 3});
  std::optional<claim> c = r->claim({.at_most = 1});
  EXPECT_EQ(c->run(fib, 10U), 55U);
  const auto p = nopal_test::in_child([&] {
    const auto refused = [](auto&& f) {
      return contains(message_of<std::logic_error>(f), "fork(2)") ? 0 : 1;
    };
    int wrong = refused([&] { return r->claim({}).workers(); });
    wrong += refused([&] { c->run([] {}); });
    wrong += refused([&] { c->grow(1); });
    wrong += refused([&] { c->shrink(1); });
    c.reset();  // waits for nobody
    r.reset();
    runtime own({.workers = 2});
    return wrong + (own.claim({}).run(fib, 10U) == 55 ? 0 : 1);
  });
  EXPECT_TRUE(p.ok()) << p;
}

}  // namespace
