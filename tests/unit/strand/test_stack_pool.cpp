// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <set>
#include <thread>
#include <vector>

#include "strand/stack_cache.hpp"
#include "support/build.hpp"

namespace {

using nopal::detail::stack;
using nopal::detail::stack_cache;

constexpr std::size_t bytes = 16 << 10;

TEST(StackPool, EmptyAtFirst) {
  stack_cache a, b;
  EXPECT_EQ(a.get(), nullptr);
  EXPECT_EQ(a.get_from(b), nullptr);
}

TEST(StackPool, LastInFirstOut) {
  stack_cache p;
  stack* a = p.map(bytes);
  stack* b = p.map(bytes);
  ASSERT_TRUE(a != nullptr && b != nullptr);
  EXPECT_EQ(p.get(), nullptr) << "a mapped stack belongs to whoever asked for it";
  p.put(a);
  p.put(b);
  EXPECT_EQ(p.get(), b);
  EXPECT_EQ(p.get(), a);
  EXPECT_EQ(p.get(), nullptr);
}

TEST(StackPool, StealingTakesEverything) {
  stack_cache thief, victim;
  std::set<stack*> all;
  for (int i = 0; i < 5; ++i) {
    stack* s = victim.map(bytes);
    all.insert(s);
    victim.put(s);
  }
  stack* own = thief.map(bytes);
  thief.put(own);
  all.insert(own);
  std::set<stack*> got{thief.get_from(victim)};
  EXPECT_EQ(victim.get(), nullptr);
  while (stack* s = thief.get()) EXPECT_TRUE(got.insert(s).second);
  EXPECT_EQ(got, all);
}

TEST(StackPool, KnowsWhatItHasMapped) {
  stack_cache p, q;
  for (int i = 0; i < 3; ++i) p.put(p.map(bytes));
  q.get_from(p);
  std::size_t n = 0;
  p.for_each_mapped([&](const stack&) { ++n; });
  EXPECT_EQ(n, 3U);
  n = 0;
  q.for_each_mapped([&](const stack&) { ++n; });
  EXPECT_EQ(n, 0U);
}

// Every stack has one holder at a time, whoever takes, gives and steals; at the end all are there.
TEST(StackPool, ConcurrentTakersGetEachStackOnce) {
  constexpr unsigned workers = 4;
  constexpr unsigned each = 8;
  constexpr unsigned rounds = 50000 / nopal_test::work_divisor;
  std::array<stack_cache, workers> pools;
  std::array<std::atomic<int>, workers * each> held{};
  std::vector<stack*> all;
  for (auto& p : pools)
    for (unsigned i = 0; i < each; ++i) {
      all.push_back(p.map(bytes));
      p.put(all.back());
    }
  const auto index = [&](stack* s) {
    return static_cast<std::size_t>(std::find(all.begin(), all.end(), s) - all.begin());
  };
  std::atomic<unsigned> twice{0};
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < workers; ++t)
    threads.emplace_back([&, t] {
      std::vector<stack*> mine;
      for (unsigned i = 0; i < rounds; ++i) {
        stack* s =
            i % 3 == 0 ? pools[t].get_from(pools[(t + 1 + i / 3 % 3) % workers]) : pools[t].get();
        if (s != nullptr) {
          if (held[index(s)].fetch_add(1) != 0) twice.fetch_add(1);
          mine.push_back(s);
        }
        if (mine.size() > 3 || (s == nullptr && !mine.empty())) {
          held[index(mine.back())].fetch_sub(1);
          pools[t].put(mine.back());
          mine.pop_back();
        }
      }
      for (stack* s : mine) {
        held[index(s)].fetch_sub(1);
        pools[t].put(s);
      }
    });
  for (auto& t : threads) t.join();
  EXPECT_EQ(twice.load(), 0U);
  std::set<stack*> found;
  for (auto& p : pools)
    while (stack* s = p.get()) EXPECT_TRUE(found.insert(s).second);
  EXPECT_EQ(found.size(), all.size()) << "a stack is lost";
}

}  // namespace
