// SPDX-License-Identifier: Apache-2.0
// Claims of certain places, and teams.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "nopal/async/claim.hpp"
#include "nopal/nopal.hpp"
#include "runtime/owned_scheduler.hpp"
#include "scheduler/scheduler.hpp"
#include "support/scheduler_run.hpp"
#include "support/thread_state.hpp"

namespace {

using nopal::claim;
using nopal::claim_options;
using nopal::claim_place;
using nopal::runtime;
using nopal::detail::claim_workers_of;
using nopal::detail::owned_scheduler;

using indices = std::set<unsigned>;

/// Ends only if as many workers as wanted run it at once, and knows them.
class meeting {
 public:
  explicit meeting(unsigned wanted) : wanted_(wanted) {}

  indices workers() {
    invite(wanted_);
    return workers_;
  }

 private:
  void invite(unsigned n) {
    if (n == 0) return;
    nopal::parallel_invoke([this] { come(); }, [this, n] { invite(n - 1); });
  }
  void come() {
    {
      const std::lock_guard lock(mutex_);
      workers_.insert(nopal::current_worker().value());
    }
    ++here_;
    while (here_.load() != wanted_) std::this_thread::yield();
  }

  unsigned wanted_;
  std::atomic<unsigned> here_{0};
  std::mutex mutex_;
  indices workers_;
};

indices workers_of(claim& c, unsigned n) {
  return c.run([n] { return meeting(n).workers(); });
}

indices workers_of(nopal::detail::scheduler& s, unsigned n) {
  return nopal_test::run_in(s, [n] { return meeting(n).workers(); });
}

/// Two packages of two NUMA nodes, each of two CPUs, with a worker on each CPU.
class machine_of_eight {
 public:
  machine_of_eight()
      : workers({.workers = 8, .caller_works = false},
                nopal::detail::machine{.synthetic_topology = "package:2 numa:2 core:2 pu:1"}) {}

  /// The workers that begin on these CPUs.
  [[nodiscard]] indices on(const std::vector<unsigned>& cpus) const {
    indices found;
    for (unsigned i = 0; i < 8; ++i)
      if (std::ranges::find(cpus, workers.cpu_of(i)) != cpus.end()) found.insert(i);
    return found;
  }
  claim make(const claim_options& o) { return claim_workers_of(workers, o); }

  owned_scheduler workers;
};

TEST(ClaimPlace, HasTheWorkersOfAPackageOfANodeOrOfCpus) {
  machine_of_eight m;
  for (int i = 0; i < 10; ++i) {
    claim package = m.make({.place = {.package = 1}});
    EXPECT_EQ(package.workers(), 4U);
    claim node = m.make({.place = {.numa_node = 1}});
    EXPECT_EQ(node.workers(), 2U);
    claim cpu = m.make({.place = {.cpus = {1}}});
    EXPECT_EQ(cpu.workers(), 1U);
    EXPECT_EQ(workers_of(package, 4), m.on({4, 5, 6, 7}));
    EXPECT_EQ(workers_of(node, 2), m.on({2, 3}));
    EXPECT_EQ(workers_of(cpu, 1), m.on({1}));
    EXPECT_EQ(workers_of(m.workers, 1), m.on({0}));
  }
  EXPECT_EQ(workers_of(m.workers, 8).size(), 8U);
}

TEST(ClaimPlace, HasToBeInAllThatIsNamed) {
  machine_of_eight m;
  claim c = m.make({.place = {.package = 0, .numa_node = 1, .cpus = {0, 2, 3, 4}}});
  EXPECT_EQ(c.workers(), 2U);
  EXPECT_EQ(workers_of(c, 2), m.on({2, 3}));
  EXPECT_THROW(static_cast<void>(m.make({.place = {.package = 1, .numa_node = 0}})),
               std::runtime_error);
}

TEST(ClaimPlace, TakesWorkersFromClaimsOfAnyPlaceWhichGetOthers) {
  machine_of_eight m;
  for (int i = 0; i < 20; ++i) {
    claim any = m.make({.at_least = 5, .at_most = 5});
    static_cast<void>(workers_of(any, 5));
    claim node = m.make({.at_least = 2, .place = {.numa_node = static_cast<unsigned>(i) % 4}});
    const unsigned first = static_cast<unsigned>(i) % 4 * 2;
    EXPECT_EQ(workers_of(node, 2), m.on({first, first + 1}));
    indices all = workers_of(any, 5);
    EXPECT_EQ(all.size(), 5U);
    all.merge(m.on({first, first + 1}));
    EXPECT_EQ(all.size(), 7U);
  }
}

TEST(ClaimPlace, GrowsAndShrinksThere) {
  machine_of_eight m;
  claim c = m.make({.at_most = 1, .place = {.package = 1}});
  EXPECT_EQ(c.workers(), 1U);
  c.grow(3);
  EXPECT_EQ(workers_of(c, 4), m.on({4, 5, 6, 7}));
  EXPECT_THROW(c.grow(1), std::runtime_error);
  c.shrink(3);
  EXPECT_EQ(c.workers(), 1U);
  EXPECT_EQ(workers_of(m.workers, 7).size(), 7U);
  const indices one = workers_of(c, 1);
  EXPECT_TRUE(std::ranges::includes(m.on({4, 5, 6, 7}), one));
  claim rest = m.make({.at_least = 3, .place = {.package = 1}});
  indices all = workers_of(rest, 3);
  all.merge(indices(one));
  EXPECT_EQ(all, m.on({4, 5, 6, 7}));
}

TEST(ClaimPlace, GoesFromOneToTheOther) {
  machine_of_eight m;
  for (unsigned i = 0; i < 20; ++i) {
    const unsigned cpu = i % 8;
    auto before = std::make_unique<claim>(m.make({.place = {.cpus = {cpu, (cpu + 1) % 8}}}));
    EXPECT_EQ(before->run([] { return 1; }), 1);
    before.reset();
    claim after = m.make({.place = {.cpus = {(cpu + 1) % 8, (cpu + 2) % 8}}});
    EXPECT_EQ(workers_of(after, 2), m.on({(cpu + 1) % 8, (cpu + 2) % 8}));
  }
}

std::uint64_t fib(unsigned n) {
  if (n < 2) return n;
  std::uint64_t a = 0, b = 0;
  nopal::parallel_invoke([&] { a = fib(n - 1); }, [&] { b = fib(n - 2); });
  return a + b;
}

TEST(ClaimPlace, ComesAndGoesBesideWork) {
  machine_of_eight m;
  std::atomic<bool> over{false};
  claim any = m.make({.at_least = 3, .at_most = 3});
  std::thread computes([&] {
    while (!over.load()) EXPECT_EQ(any.run(fib, 15U), 610U);
  });
  std::thread computes_too([&] {
    while (!over.load()) EXPECT_EQ(nopal_test::run_in(m.workers, [] { return fib(15); }), 610U);
  });
  for (unsigned i = 0; i < 200; ++i) {
    claim c = m.make({.place = {.cpus = {i % 8, (i + 3) % 8}}});
    EXPECT_EQ(c.run(fib, 10U), 55U);
    if (i % 3 == 0 && c.workers() == 2) c.shrink(1);
    EXPECT_EQ(c.run(fib, 10U), 55U);
  }
  over = true;
  computes.join();
  computes_too.join();
}

/// Functions that keep their workers until they are let go.
class busy_functions {
 public:
  /// Returns what is to run.
  auto one() {
    return [this](unsigned /*number*/ = 0) {
      {
        const std::lock_guard lock(mutex_);
        on_.insert(nopal::current_worker().value());
      }
      while (!over_.load()) std::this_thread::sleep_for(std::chrono::microseconds(200));
    };
  }
  /// Returns the workers that have begun, when they are `n`.
  indices until_begun(unsigned n) {
    for (;; std::this_thread::yield()) {
      const std::lock_guard lock(mutex_);
      if (on_.size() == n) return on_;
    }
  }
  void let_go() { over_ = true; }

 private:
  std::mutex mutex_;
  indices on_;
  std::atomic<bool> over_{false};
};

/// Returns the directories below /proc/self/task of the workers of `s`, by index.
std::vector<std::string> threads_of(owned_scheduler& s) {
  std::vector<std::string> found(s.workers());
  std::atomic<unsigned> here{0};
  nopal::countdown done(s.workers());
  nopal::detail::spawn_team(s, s.workers(), [&](unsigned /*number*/) {
    return nopal::detail::keep_call([&] {
      found[nopal::current_worker().value()] = "/proc/self/task/" + std::to_string(gettid());
      ++here;
      while (here.load() != found.size()) std::this_thread::yield();
      done.signal_and_end();
    });
  });
  done.wait();
  return found;
}

/// Whether `holds` comes to be true within ten seconds.
template <class F>
bool comes_true(F&& holds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!holds() && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  return holds();
}

// The runtime has two workers: one is busy, and one sleeps in the stead of a guest. As long as the
// claim by place owns the first, the second has to stay, and another claim lacks a worker.
TEST(ClaimPlace, ThatEndsWakesAWorkerForAnotherClaim) {
  owned_scheduler workers(
      {.workers = 4, .idle = nopal::idle_policy::lazy, .caller_works = true},
      nopal::detail::machine{.synthetic_topology = "package:1 numa:1 core:4 pu:1"});
  const std::vector<std::string> threads = threads_of(workers);
  busy_functions in_claim, in_runtime;
  std::atomic<bool> guest_is_here{false}, over{false}, ran{false};
  claim shrinks = claim_workers_of(workers, {.at_least = 2, .at_most = 2});
  shrinks.infect(2, in_claim.one());
  indices busy = in_claim.until_begun(2);
  shrinks.shrink(1);  // it keeps both until one has nothing to run
  nopal::detail::spawn_detached(workers, in_runtime.one());
  const unsigned owned = *in_runtime.until_begun(1).begin();
  busy.insert(owned);
  std::thread guest([&] {
    nopal_test::run_in(workers, [&] {
      guest_is_here = true;
      while (!over.load()) std::this_thread::sleep_for(std::chrono::microseconds(200));
    });
  });
  while (!guest_is_here.load()) std::this_thread::yield();

  auto owner = std::make_unique<claim>(
      claim_workers_of(workers, {.place = {.cpus = {workers.cpu_of(owned)}}}));
  claim lacks_one = claim_workers_of(workers, {.at_most = 1});
  lacks_one.spawn([&] { ran = true; });
  unsigned idle = 0;
  while (busy.contains(idle)) ++idle;
  int asleep = 0;
  EXPECT_TRUE(comes_true([&] {
    asleep = nopal_test::waits(threads[idle]) ? asleep + 1 : 0;
    return asleep >= 20;
  }));
  EXPECT_FALSE(ran.load());
  owner.reset();
  EXPECT_TRUE(comes_true([&] { return ran.load(); }));
  over = true;
  in_claim.let_go();
  in_runtime.let_go();
  guest.join();
}

template <class E, class F>
std::string message_of(F&& f) {
  try {
    static_cast<void>(f());
  } catch (const E& e) {
    return e.what();
  }
  return "nothing was thrown";
}

TEST(ClaimPlace, IsRefusedWithAMessage) {
  machine_of_eight m;
  const auto message = [&](const claim_place& p, unsigned n = 1) {
    return message_of<std::exception>([&] { return m.make({.at_least = n, .place = p}); });
  };
  EXPECT_NE(message({.package = 2})
                .find("package has 2, where no worker of the runtime is; they "
                      "are at 0, 1"),
            std::string::npos);
  EXPECT_NE(message({.numa_node = 4}).find("numa_node has 4"), std::string::npos);
  EXPECT_NE(message({.cpus = {0, 8}}).find("cpus has 8"), std::string::npos);
  EXPECT_NE(message({.numa_node = 0}, 3)
                .find("3 workers are claimed of a place that 2 belong to, and 2 of the 8 of the "
                      "runtime are free there"),
            std::string::npos);
  EXPECT_EQ(workers_of(m.workers, 8).size(), 8U);
}

TEST(ClaimPlace, OfThisMachine) {
  runtime r({.workers = 2, .pin = true, .caller_works = false});
  claim c = r.claim({.place = {.package = {}, .numa_node = {}, .cpus = {}}});
  EXPECT_EQ(c.workers(), 1U);
  EXPECT_THROW(static_cast<void>(r.claim({.place = {.cpus = {100'000}}})), std::invalid_argument);
}

TEST(ClaimTeam, RunsEachNumberOnce) {
  runtime r({.workers = 4, .caller_works = false});
  claim c = r.claim({.at_least = 3});
  for (int turn = 0; turn < 50; ++turn) {
    std::vector<std::atomic<int>> called(20);
    nopal::countdown done(20);
    c.infect(
        20,
        [&](unsigned i, int by) {
          called[i] += by;
          done.signal_and_end();
        },
        3);
    done.wait();
    for (const auto& n : called) EXPECT_EQ(n.load(), 3);
  }
}

TEST(ClaimTeam, OfAsManyAsWorkersRunsOnAll) {
  runtime r({.workers = 4, .caller_works = false});
  claim c = r.claim({.at_least = 3});
  std::atomic<unsigned> here{0};
  nopal::countdown done(3);
  c.infect(3, [&](unsigned /*number*/) {
    ++here;
    while (here.load() != 3) std::this_thread::yield();  // all three at once
    done.signal_and_end();
  });
  done.wait();
}

TEST(ClaimTeam, IsStartedAsAWholeOrNotAtAll) {
  struct copied_three_times {
    std::shared_ptr<std::atomic<int>> calls = std::make_shared<std::atomic<int>>(0);
    std::shared_ptr<int> copies = std::make_shared<int>(0);
    copied_three_times() = default;
    copied_three_times(const copied_three_times& from) : calls(from.calls), copies(from.copies) {
      if (++*copies > 3) throw std::runtime_error("a fourth copy");
    }
    copied_three_times(copied_three_times&&) = default;
    void operator()(unsigned /*number*/) const { ++*calls; }
  };
  runtime r({.workers = 2});
  const copied_three_times f;
  {
    claim c = r.claim({});
    EXPECT_THROW(c.infect(10, f), std::runtime_error);
    c.infect(0, f);
  }
  EXPECT_EQ(f.calls->load(), 0);
}

}  // namespace
