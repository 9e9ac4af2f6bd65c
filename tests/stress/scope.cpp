// SPDX-License-Identifier: Apache-2.0
// Random trees of spawned functions, with delays at every step. A function spawns, forks, waits,
// throws, and makes scopes of its own, on more workers than CPUs.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <stop_token>
#include <system_error>
#include <thread>
#include <vector>

#include "nopal/nopal.hpp"
#include "support/build.hpp"
#include "support/delays.hpp"
#include "support/scheduler_run.hpp"
#include "support/watchdog.hpp"

namespace {

using namespace std::chrono_literals;
using nopal::countdown;
using nopal::task_scope;

constexpr unsigned depth = 6;
constexpr unsigned rounds = nopal_test::with_sanitizer ? 20 : 150 / nopal_test::work_divisor;

/// How the children of a node are run.
enum class way { spawned, hinted, closures, frame, scope, async, awaited, signalled, detached };
constexpr unsigned ways = 9;

/// A node is a function of its seed.
struct node {
  static constexpr unsigned widest = 4;

  std::uint64_t value;
  unsigned children = 0;
  way by;
  bool throws;
  std::array<std::uint64_t, widest> child{};

  node(std::uint64_t seed, unsigned levels) {
    nopal_test::random_numbers random(seed);
    value = random.next();
    by = static_cast<way>(random.below(ways));
    throws = random.one_in(8);
    if (levels != 0 && !random.one_in(8)) children = 1 + random.below(widest);
    for (std::uint64_t& c : child) c = random.next();
  }
};

std::uint64_t sum_of_tree(std::uint64_t seed, unsigned levels) {
  const node n(seed, levels);
  std::uint64_t sum = n.value;
  for (unsigned i = 0; i < n.children; ++i) sum += sum_of_tree(n.child[i], levels - 1);
  return sum;
}

/// What all nodes of a run share.
struct shared {
  nopal::runtime& workers;
  std::atomic<std::uint64_t> sum{0};  ///< The sum of the nodes that have run.
};

/// A scope that knows whether its join must throw.
struct counted_scope {
  explicit counted_scope(nopal::runtime& r) : functions(r) {}

  task_scope functions;
  std::atomic<unsigned> thrown{0};

  void join() {
    unsigned caught = 0;
    try {
      std::error_code error;
      functions.join(error, std::chrono::microseconds(50));
      if (error) functions.join();
    } catch (std::uint64_t) {
      caught = 1;
    }
    EXPECT_EQ(caught, thrown.exchange(0) != 0 ? 1 : 0);
  }
};

void run_tree(std::uint64_t seed, unsigned levels, shared& all, counted_scope& s);

/// A tree as a function of a scope; now and then it throws.
struct spawned_tree {
  std::uint64_t seed;
  unsigned levels;
  shared* all;
  counted_scope* scope;
  std::unique_ptr<std::uint64_t> owned = std::make_unique<std::uint64_t>(seed);

  void operator()(const std::stop_token& stop) const {
    EXPECT_FALSE(stop.stop_requested());
    run_tree(*owned, levels, *all, *scope);
    if (!node(seed, levels).throws) return;
    ++scope->thrown;
    throw seed;
  }
};

nopal::task<int> awaits(std::vector<nopal::pending<int>>& results) {
  int sum = 0;
  for (auto& r : results) sum += co_await r;
  co_return sum;
}

NOPAL_FORKS void run_by_frame(const node& n, unsigned levels, shared& all, counted_scope& s) {
  nopal::fork_frame frame;
  for (unsigned i = 0; i < n.children; ++i)
    frame.fork(run_tree, n.child[i], levels, std::ref(all), std::ref(s));
  frame.join();
}

void run_pending(const node& n, unsigned levels, shared& all, counted_scope& s) {
  std::vector<nopal::pending<int>> results;
  for (unsigned i = 0; i < n.children; ++i)
    results.push_back(s.functions.async([&, i] {
      run_tree(n.child[i], levels, all, s);
      return 1;
    }));
  unsigned sum = 0;
  if (n.by == way::awaited)
    sum = static_cast<unsigned>(nopal::wait(awaits(results)));
  else
    for (auto& r : results) sum += static_cast<unsigned>(r.get());
  EXPECT_EQ(sum, n.children);
}

/// The node waits for children that are counted by the scope as well.
void run_signalled(const node& n, unsigned levels, shared& all, counted_scope& s) {
  countdown ended(n.children);
  for (unsigned i = 0; i < n.children; ++i)
    s.functions.spawn([&, i] {
      run_tree(n.child[i], levels, all, s);
      i % 2 == 0 ? ended.signal() : ended.signal_and_end();
    });
  ended.wait();
}

void run_in_own_scope(const node& n, unsigned levels, shared& all) {
  counted_scope own(all.workers);
  for (unsigned i = 0; i < n.children; ++i)
    own.functions.spawn(spawned_tree{n.child[i], levels, &all, &own});
  own.join();
}

void run_detached(const node& n, unsigned levels, shared& all) {
  for (unsigned i = 0; i < n.children; ++i)
    all.workers.spawn_detached([&all, seed = n.child[i], levels] {
      counted_scope own(all.workers);
      run_tree(seed, levels, all, own);
      own.join();
    });
}

void run_tree(std::uint64_t seed, unsigned levels, shared& all, counted_scope& s) {
  const node n(seed, levels);
  all.sum += n.value;
  if (n.children == 0) return;
  const auto child = [&](unsigned i) {
    return [&, i] {
      if (i < n.children) run_tree(n.child[i], levels - 1, all, s);
    };
  };
  switch (n.by) {
    case way::spawned:
      for (unsigned i = 0; i < n.children; ++i)
        s.functions.spawn(spawned_tree{n.child[i], levels - 1, &all, &s});
      return;
    case way::hinted:
      for (unsigned i = 0; i < n.children; ++i)
        s.functions.spawn(nopal::near(i % all.workers.workers()),
                          spawned_tree{n.child[i], levels - 1, &all, &s});
      return;
    case way::closures:
      return nopal::parallel_invoke(child(0), child(1), child(2), child(3));
    case way::frame:
      return run_by_frame(n, levels - 1, all, s);
    case way::scope:
      return run_in_own_scope(n, levels - 1, all);
    case way::async:
    case way::awaited:
      return run_pending(n, levels - 1, all, s);
    case way::signalled:
      return run_signalled(n, levels - 1, all, s);
    case way::detached:
      return run_detached(n, levels - 1, all);
  }
}

/// `roots` trees at once, each in a way of its own: in a scope that a strand joins, in one that a
/// thread joins, or spawned by a thread into a scope that another thread joins meanwhile.
void run_roots(nopal::runtime& r, shared& all, std::uint64_t seed, unsigned roots) {
  counted_scope common(r);
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < roots; ++i)
    threads.emplace_back([&, i] {
      if (i % 3 == 0) {
        common.functions.spawn(spawned_tree{seed + i, depth, &all, &common});
      } else if (i % 3 == 1) {
        counted_scope own(r);
        own.functions.spawn(spawned_tree{seed + i, depth, &all, &own});
        own.join();
      } else {
        r.run([&] {
          counted_scope own(r);
          run_tree(seed + i, depth, all, own);
          own.join();
        });
      }
    });
  for (int i = 0; i < 3; ++i) try {
      common.functions.join();
    } catch (std::uint64_t) {
    }
  for (std::thread& t : threads) t.join();
  try {
    common.functions.join();
  } catch (std::uint64_t) {
  }
}

void run_rounds(nopal::options o, unsigned roots) {
  const std::uint64_t first = nopal_test::seed_or(o.seed);
  o.seed = first;
  const nopal_test::random_delays delays(first);
  for (std::uint64_t seed = first; seed < first + rounds; ++seed) {
    std::optional<nopal::runtime> r(std::in_place, o);
    shared all{*r};
    const nopal_test::watchdog w(60s, "scopes with delays", seed, [&](std::ostream& out) {
      if (r) nopal_test::print_state(out, nopal::detail::scheduler_of(*r));
    });
    const std::uint64_t trees = seed * 100;
    run_roots(*r, all, trees, roots);
    r.reset();  // waits for what is detached
    std::uint64_t right = 0;
    for (unsigned i = 0; i < roots; ++i) right += sum_of_tree(trees + i, depth);
    ASSERT_EQ(all.sum, right) << o.workers << " workers, NOPAL_TEST_SEED=" << seed;
  }
}

class Scopes : public testing::TestWithParam<unsigned> {};

TEST_P(Scopes, RandomTrees) { run_rounds({.workers = GetParam(), .seed = 900 + GetParam()}, 4); }
TEST_P(Scopes, RandomTreesOnBusyWorkers) {
  run_rounds({.workers = GetParam(), .idle = nopal::idle_policy::busy, .seed = 950 + GetParam()},
             2);
}

INSTANTIATE_TEST_SUITE_P(Workers, Scopes, testing::Range(1U, 9U),
                         testing::PrintToStringParamName());

// Many short functions, so that rows are long and thieves take many: threads outside spawn them
// while others join, and every other one names a worker.
TEST_P(Scopes, ShortFunctions) {
  constexpr unsigned each = 1 + 20'000 / nopal_test::work_divisor;
  const std::uint64_t seed = nopal_test::seed_or(980 + GetParam());
  const nopal_test::random_delays delays(seed);
  nopal::runtime r({.workers = GetParam(), .seed = seed});
  const nopal_test::watchdog w(60s, "short functions", seed, [&](std::ostream& out) {
    nopal_test::print_state(out, nopal::detail::scheduler_of(r));
  });
  std::atomic<unsigned> ran{0}, spawning{3};
  task_scope s(r);
  const auto spawn_all = [&] {
    for (unsigned i = 0; i < each; ++i)
      if (i % 2 == 0)
        s.spawn([&] { ++ran; });
      else
        s.spawn(nopal::near(i % GetParam()), [&] { ++ran; });
  };
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t)
    threads.emplace_back([&] {
      spawn_all();
      --spawning;
    });
  threads.emplace_back([&] {
    r.run(spawn_all);
    --spawning;
  });
  for (bool last = false; !last; s.join()) last = spawning == 0;
  EXPECT_EQ(ran.load(), 3 * each);
  for (std::thread& t : threads) t.join();
}

}  // namespace
