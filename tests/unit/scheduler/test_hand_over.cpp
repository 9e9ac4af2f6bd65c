// SPDX-License-Identifier: Apache-2.0
// A strand that suspends with forks outstanding hands them over: to any worker, in one batch, and
// without memory.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "nopal/async.hpp"
#include "nopal/parallel_invoke.hpp"
#include "nopal/runtime.hpp"

namespace {

std::atomic<unsigned> allocations{0};

}  // namespace

void* operator new(std::size_t bytes) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  if (void* p = std::malloc(bytes)) return p;
  throw std::bad_alloc();
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }

namespace {

constexpr unsigned depth = 2000;

/// Calls `leaf` under `depth` outstanding forks; every fork then counts in `joined`.
template <class F>
void nest(unsigned level, std::atomic<unsigned>& joined, const F& leaf) {
  if (level == depth) return leaf();
  nopal::parallel_invoke([&] { nest(level + 1, joined, leaf); },
                         [&] { joined.fetch_add(1, std::memory_order_relaxed); });
}

TEST(HandOver, NeedsNoMemory) {
  nopal::runtime here({.workers = 1, .stack_bytes = std::size_t{32} << 20, .caller_works = false});
  nopal::runtime there({.workers = 1});
  std::atomic<unsigned> joined{0};
  unsigned made = ~0U;
  here.run([&] {
    nest(0, joined, [&] {
      const unsigned before = allocations.load(std::memory_order_relaxed);
      there.run([] {});
      made = allocations.load(std::memory_order_relaxed) - before;
    });
  });
  EXPECT_EQ(made, 0U);
  EXPECT_EQ(joined.load(), depth);
  EXPECT_EQ(here.stats().total.steals, 0U) << "what was handed over came from the inbox";
}

TEST(HandOver, OfAStrandThatWaitsForSignalsNeedsNoMemory) {
  nopal::runtime one({.workers = 1, .stack_bytes = std::size_t{32} << 20, .caller_works = false});
  nopal::countdown d(depth);
  unsigned made = ~0U;
  const auto nest_waiting = [&](const auto& self, unsigned level) -> void {
    if (level < depth) {
      nopal::parallel_invoke([&] { self(self, level + 1); }, [&] { d.signal(); });
    } else {
      const unsigned before = allocations.load(std::memory_order_relaxed);
      d.wait();
      made = allocations.load(std::memory_order_relaxed) - before;
    }
  };
  one.run([&] { nest_waiting(nest_waiting, 0); });
  EXPECT_EQ(made, 0U);
  EXPECT_EQ(one.stats().total.steals, 0U) << "what was handed over came from the inbox";
}

TEST(HandOver, OtherWorkersTakePart) {
  nopal::runtime of_workers({.workers = 4, .caller_works = false}), of_callers({.workers = 4});
  nopal::runtime there({.workers = 1});
  for (int round = 0; round < 40; ++round) {
    nopal::runtime& here = round % 2 == 0 ? of_workers : of_callers;
    std::atomic<unsigned> joined{0};
    here.run([&] {
      nopal::parallel_invoke(
          [&] { nopal::parallel_invoke([&] { there.run([] {}); }, [&] { ++joined; }); },
          [&] { ++joined; });
    });
    EXPECT_EQ(joined.load(), 2U);
  }
}

}  // namespace
