// SPDX-License-Identifier: Apache-2.0
// Claims that come and go, grow and shrink, beside each other and under load, with delays at every
// step of every protocol. No worker may run what belongs to another claim, and nothing may be lost.
#include "nopal/async/claim.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <new>
#include <optional>
#include <ostream>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "nopal/nopal.hpp"
#include "platform/subscription.hpp"
#include "runtime/owned_scheduler.hpp"
#include "runtime/root_call.hpp"
#include "support/all_events.hpp"
#include "support/build.hpp"
#include "support/delays.hpp"
#include "support/everywhere.hpp"
#include "support/random_tree.hpp"
#include "support/scheduler_run.hpp"
#include "support/seed.hpp"
#include "support/watchdog.hpp"

namespace {

using namespace std::chrono_literals;
using nopal::claim;
using nopal::runtime;
using nopal::task;
using nopal_test::random_numbers;

/// Where the calling strand runs. Not inlined: a strand changes threads.
[[gnu::noinline]] const nopal::detail::scheduler* here() {
  return nopal::detail::this_scheduler_worker().belongs_to;
}

/// The leaves of a tree that ran in `in`, of 2^depth. A strand now and then calls into `elsewhere`
/// and comes back.
std::uint64_t leaves(const nopal::detail::scheduler* in, runtime* elsewhere, unsigned depth,
                     std::uint64_t seed) {
  random_numbers random(seed);
  if (elsewhere != nullptr && random.one_in(64)) elsewhere->run([] {});
  if (here() != in) return 0;
  if (depth == 0) return 1;
  std::uint64_t a = 0, b = 0;
  const std::uint64_t left = random.next(), right = random.next();
  nopal::parallel_invoke([&] { a = leaves(in, elsewhere, depth - 1, left); },
                         [&] { b = leaves(in, elsewhere, depth - 1, right); });
  return here() == in ? a + b : 0;
}

/// The same as tasks, which go from worker to worker, whether these are here or in another claim.
task<std::uint64_t> wander(const nopal::detail::scheduler* in, unsigned workers, unsigned depth,
                           std::uint64_t seed) {
  random_numbers random(seed);
  if (random.one_in(3)) co_await nopal::resume_on(random.below(workers));
  if (here() != in) co_return 0;
  if (depth == 0) co_return 1;
  std::uint64_t a = 0, b = 0;
  co_await nopal::fork(&a, wander, in, workers, depth - 1, random.next());
  co_await nopal::call(&b, wander, in, workers, depth - 1, random.next());
  co_await nopal::join();
  if (random.one_in(8)) co_await nopal::resume_on(random.below(workers));
  co_return here() == in ? a + b : 0;
}

/// The same number of leaves, spawned by a few functions that were spawned.
std::uint64_t spawned(const nopal::detail::scheduler* in, unsigned workers, unsigned depth) {
  std::atomic<std::uint64_t> n{0};
  nopal::task_scope s;
  const auto leaf = [&n, in] {
    if (here() == in) ++n;
  };
  for (unsigned i = 0; i < 4; ++i)
    s.spawn(nopal::near(i % workers), [&s, leaf, depth] {
      for (unsigned j = 0; j < 1U << (depth - 2); ++j) s.spawn(leaf);
    });
  s.join();
  return here() == in ? n.load() : 0;
}

constexpr unsigned depth = 7;

/// One computation in `where`, which is a claim or the runtime `whole`.
template <class Where>
void compute(Where& where, runtime& whole, random_numbers& random) {
  const std::uint64_t seed = random.next();
  const unsigned kind = random.below(3);
  const unsigned workers = whole.workers();
  runtime* const elsewhere = static_cast<void*>(&where) != &whole ? &whole : nullptr;
  const std::uint64_t n = where.run([&] {
    switch (kind) {
      case 0:
        return leaves(here(), elsewhere, depth, seed);
      case 1:
        return nopal::wait(wander(here(), workers, depth, seed));
      default:
        return spawned(here(), workers, depth);
    }
  });
  ASSERT_EQ(n, 1U << depth) << "kind " << kind;
}

/// Grows or shrinks, by what may be.
void change(claim& c, random_numbers& random) {
  try {
    if (random.one_in(2))
      c.grow(1 + random.below(2));
    else
      c.shrink(1 + random.below(2));
  } catch (const std::runtime_error&) {
    // none is free just now
  } catch (const std::invalid_argument&) {
    // one stays
  }
}

/// Any place, or the CPUs of one worker or two.
nopal::claim_place some_place(const runtime& r, random_numbers& random) {
  nopal::claim_place place;
  for (unsigned n = random.below(3); n != 0; --n)
    place.cpus.push_back(nopal::detail::scheduler_of(r).cpu_of(random.below(r.workers())));
  return place;
}

/// A claim for a few computations, which another thread changes meanwhile.
void use_claim(runtime& r, std::uint64_t seed, unsigned computations) {
  random_numbers random(seed);
  try {
    const unsigned most = 1 + random.below(r.workers());
    claim c = r.claim({.at_most = most, .place = some_place(r, random)});
    std::atomic<bool> over{false};
    std::thread changes([&] {
      random_numbers own(seed + 1);
      while (!over.load()) {
        change(c, own);
        std::this_thread::sleep_for(std::chrono::microseconds(own.below(200)));
      }
    });
    for (unsigned i = 0; i < computations; ++i) compute(c, r, random);
    over = true;
    changes.join();
    ASSERT_GE(c.workers(), 1U);
  } catch (const std::runtime_error&) {
    std::this_thread::yield();  // none is free
  }
}

class Claims : public testing::TestWithParam<unsigned> {};

TEST_P(Claims, ComeAndGoUnderLoad) {
  const std::uint64_t first = nopal_test::seed_or(220000 + 1000 * GetParam());
  const nopal_test::random_delays delays(first);
  for (const nopal::idle_policy idle : {nopal::idle_policy::lazy, nopal::idle_policy::busy}) {
    runtime r({.workers = GetParam(), .idle = idle, .seed = first});
    for (std::uint64_t seed = first; seed < first + 1 + 10 / nopal_test::work_divisor; ++seed) {
      const nopal_test::watchdog w(30s, "claims that come and go", seed);
      SCOPED_TRACE("NOPAL_TEST_SEED=" + std::to_string(seed));
      std::vector<std::thread> users;
      for (unsigned user = 0; user < 3; ++user)
        users.emplace_back([&r, s = seed * 100 + user * 10] { use_claim(r, s, 5); });
      random_numbers random(seed);
      for (int i = 0; i < 5; ++i) compute(r, r, random);
      for (std::thread& u : users) u.join();
    }
    ASSERT_TRUE(nopal_test::frees_all_stacks(r));
  }
}

/// Made, used and given back by strands of the runtime, which wait for each other only so.
TEST_P(Claims, OfStrands) {
  const std::uint64_t first = nopal_test::seed_or(230000 + 1000 * GetParam());
  const nopal_test::random_delays delays(first);
  runtime r({.workers = GetParam(), .seed = first});
  for (std::uint64_t seed = first; seed < first + 1 + 20 / nopal_test::work_divisor; ++seed) {
    const nopal_test::watchdog w(30s, "claims of strands", seed);
    r.run([&] {
      nopal::for_each(0U, 8U, [&](unsigned i) {
        random_numbers random(seed * 100 + i);
        try {
          claim c = r.claim({.at_most = 2, .place = some_place(r, random)});
          change(c, random);
          compute(c, r, random);
          change(c, random);
        } catch (const std::runtime_error&) {  // none is free
          compute(r, r, random);
        } catch (const std::bad_alloc&) {  // the system has refused the claim's first stack
          compute(r, r, random);
        }
      });
    });
  }
}

INSTANTIATE_TEST_SUITE_P(Workers, Claims, testing::Values(2U, 3U, 4U, 8U),
                         testing::PrintToStringParamName());

/// Groups that come to have no worker, and one.
TEST(ClaimsOfNodes, ComeAndGo) {
  using namespace nopal::detail;
  const std::uint64_t first = nopal_test::seed_or(240000);
  const nopal_test::random_delays delays(first);
  owned_scheduler s({.workers = 6, .seed = first}, {.synthetic_topology = "numa:3 core:2 pu:1"});
  for (std::uint64_t seed = first; seed < first + 1 + 100 / nopal_test::work_divisor; ++seed) {
    const nopal_test::watchdog w(30s, "claims on several nodes", seed,
                                 [&](std::ostream& out) { nopal_test::print_state(out, s); });
    random_numbers random(seed);
    owned_scheduler c(s.lent());
    s.lent()->open(c, 1, 1 + random.below(5));
    const auto computes = [&](scheduler& in) {
      const std::uint64_t from = random.next();
      ASSERT_EQ(nopal_test::run_in(in, [&] { return leaves(&in, nullptr, depth, from); }),
                1U << depth);
    };
    for (int i = 0; i < 4; ++i) {
      computes(c);
      const unsigned n = s.lent()->wanted(c);
      if (random.one_in(2) && n < 5)
        s.lent()->grow(c, 1 + random.below(5 - n));
      else if (n > 1)
        s.lent()->shrink(c, 1 + random.below(n - 1));
      computes(s);
    }
  }
}

/// Stops the worker that leaves before it takes itself off the searchers. Others rely on it there.
class stopped_worker {
 public:
  stopped_worker() {
    steps = 0;
    go_on = false;
  }
  ~stopped_worker() { go_on = true; }
  static void wait_until_others_sleep() {
    while (steps.load() < 2) std::this_thread::yield();
    std::this_thread::sleep_for(20ms);
  }

 private:
  struct stops {
    void operator()(const nopal_test::scheduler_events::moving& /*event*/) const {
      if (++steps == 2) nopal_test::until(go_on);
    }
  };
  static inline std::atomic<unsigned> steps{0};
  static inline std::atomic<bool> go_on{false};
  nopal::detail::subscription<nopal_test::scheduler_events::moving> subscription_{stops{}};
};

TEST(ClaimsStepByStep, ASubmissionDoesNotWaitForASearcherThatLeaves) {
  runtime r({.workers = 3});
  for (int i = 0; i < 3; ++i) {
    const nopal_test::watchdog w(10s, "a submission while a worker leaves", 0);
    std::optional<stopped_worker> stopped(std::in_place);
    const claim c = r.claim({.at_most = 1});
    stopped_worker::wait_until_others_sleep();
    std::thread submits([&] { r.run([] {}); });
    std::this_thread::sleep_for(20ms);
    stopped.reset();
    submits.join();
  }
}

TEST(ClaimsStepByStep, AForkFindsAThiefAfterTheLastSearcherHasLeft) {
  runtime r({.workers = 3});
  for (int i = 0; i < 3; ++i) {
    const nopal_test::watchdog w(10s, "a fork while a worker leaves", 0);
    std::atomic<bool> works{false}, forks{false}, stolen{false};
    std::thread computes([&] {
      r.run([&] {
        works = true;
        nopal_test::until(forks);
        nopal::parallel_invoke([&] { nopal_test::until(stolen); }, [&] { stolen = true; });
      });
    });
    nopal_test::until(works);
    std::optional<stopped_worker> stopped(std::in_place);
    const claim c = r.claim({.at_most = 1});
    stopped_worker::wait_until_others_sleep();
    stopped.reset();
    std::this_thread::sleep_for(20ms);
    forks = true;
    computes.join();
  }
}

}  // namespace
