// SPDX-License-Identifier: Apache-2.0
// How loops are cut: into blocks that take some microseconds, and by steals.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "nopal/detail/platform/ticks.hpp"
#include "nopal/nopal.hpp"
#include "support/everywhere.hpp"

namespace {

using namespace nopal::algorithm_detail;
using namespace std::chrono_literals;
using nopal_test::spin_for;

/// The blocks of a loop, whose leaves do `work`, in the order in which they began.
template <class Work>
std::vector<part> blocks_of(unsigned workers, std::ptrdiff_t n, std::size_t by_hand, Work work) {
  nopal::runtime r({.workers = workers});
  std::mutex m;
  std::vector<part> blocks;
  r.run([&] {
    for_each_block({0, n}, by_hand, [&](part p) {
      {
        const std::lock_guard lock(m);
        blocks.push_back(p);
      }
      work(p);
    });
  });
  return blocks;
}

void expect_all(std::vector<part> blocks, std::ptrdiff_t n) {
  std::sort(blocks.begin(), blocks.end(), [](part a, part b) { return a.from < b.from; });
  std::ptrdiff_t at = 0;
  for (const part& p : blocks) {
    EXPECT_EQ(p.from, at);
    EXPECT_LT(p.from, p.to);
    at = p.to;
  }
  EXPECT_EQ(at, n);
}

TEST(Blocks, OfWhatIsCheapAreLong) {
  constexpr std::ptrdiff_t n = 10'000'000;
  const auto blocks = blocks_of(1, n, 0, [](part) {});
  expect_all(blocks, n);
  EXPECT_EQ(blocks.front().size(), 1);
  EXPECT_LT(blocks.size(), std::size_t{n / 1000});
  for (std::size_t i = 1; i < blocks.size(); ++i)
    EXPECT_EQ(blocks[i].from, blocks[i - 1].to) << "in order on one worker";
}

TEST(Blocks, OfWhatIsDearAreShort) {
  const auto blocks = blocks_of(1, 500, 0, [](part p) { spin_for(p.size() * 20us); });
  expect_all(blocks, 500);
  EXPECT_EQ(blocks.size(), 500U);
}

TEST(Blocks, GetShorterAndLongerOnTheWay) {
  constexpr std::ptrdiff_t cheap = 1'000'000;
  constexpr std::ptrdiff_t dear = cheap + 50'000;
  constexpr std::ptrdiff_t n = dear + cheap;
  const auto blocks = blocks_of(1, n, 0, [](part p) {
    for (std::ptrdiff_t i = p.from; i < p.to; ++i)
      if (i >= cheap && i < dear) spin_for(4us);
  });
  expect_all(blocks, n);
  std::ptrdiff_t among_dear = 0;
  std::ptrdiff_t after = 0;
  for (const part& p : blocks) {
    if (p.from >= cheap && p.to <= dear) ++among_dear;
    if (p.from >= dear) ++after;
  }
  EXPECT_GT(among_dear, (dear - cheap) / 50) << "a block that begins before has some of them";
  EXPECT_LT(after, cheap / 100);
}

TEST(Blocks, HaveAtMostASixteenthOrAnEighthOfWhatIsCheap) {
  for (const std::ptrdiff_t n : {1, 15, 16, 31, 32, 100, 1000, 10'000}) {
    const auto cheap = blocks_of(1, n, 0, [](part) {});
    expect_all(cheap, n);
    for (const part& p : cheap) EXPECT_LE(p.size(), std::max<std::ptrdiff_t>(n / 8, 1));
    const auto dear = blocks_of(1, n, 0, [](part p) { spin_for(p.size() * 1us); });
    expect_all(dear, n);
    for (const part& p : dear) EXPECT_LE(p.size(), std::max<std::ptrdiff_t>(n / 16, 1));
  }
}

/// How many blocks of a loop have been pushed, of how many that count.
struct pushed_blocks {
  int pushed = 0;
  int all = 0;
};

/// Counts the blocks that follow one with a dear element and are not the last. The elements before
/// `dear` take `cheap` ticks each, and those from there on two microseconds.
pushed_blocks after_a_dear_one(nopal::runtime& r, std::ptrdiff_t dear, unsigned cheap) {
  constexpr std::ptrdiff_t n = 64;
  const auto newest = [] { return nopal::detail::this_worker()->deque.newest(); };
  pushed_blocks found;
  r.run([&] {
    const auto outside = newest();
    for_each_block({0, n}, 0, [&](part p) {
      const auto begun = nopal::detail::ticks();
      while (nopal::detail::ticks() - begun < static_cast<std::uint64_t>(p.size()) * cheap) {
      }
      if (p.to > dear) spin_for(p.size() * 2us);
      if (p.from <= dear || p.to == n) return;
      ++found.all;
      found.pushed += static_cast<int>(newest() > outside);
    });
  });
  return found;
}

// What is left of a loop of cheap elements is not pushed. After a block that was dear it is,
// wherever the loop has been halved.
TEST(Blocks, ArePushedAfterADearOne) {
  nopal::runtime r({.workers = 1, .caller_works = false});
  for (unsigned cheap = 0; cheap < 200; cheap += 4)
    for (const std::ptrdiff_t dear : {10, 30}) {
      const pushed_blocks found = after_a_dear_one(r, dear, cheap);
      EXPECT_GT(found.all, 0);
      EXPECT_EQ(found.pushed, found.all) << cheap << " ticks, dear from " << dear;
    }
}

TEST(Blocks, AreOneGrainByHand) {
  for (const unsigned workers : {1U, 4U})
    for (const std::size_t grain : {1U, 7U, 64U, 5000U}) {
      const std::ptrdiff_t n = 1001;
      const auto blocks = blocks_of(workers, n, grain, [](part) {});
      expect_all(blocks, n);
      for (const part& p : blocks) {
        EXPECT_EQ(p.from % static_cast<std::ptrdiff_t>(grain), 0);
        EXPECT_TRUE(p.size() == static_cast<std::ptrdiff_t>(grain) || p.to == n);
      }
    }
}

// While a block runs, a thief finds a half first, and then the rest; but of an inner loop only the
// rest, because the outer loop has left something older.
TEST(Blocks, LeaveAHalfForThieves) {
  for (const bool caller_works : {false, true}) {
    nopal::runtime r({.workers = 1, .caller_works = caller_works});
    const auto held = [] { return nopal::detail::this_worker()->deque.newest(); };
    r.run([&] {
      const auto before = held();
      for_each_block({0, 1000}, 1, [&](part outer) {
        if (outer.from >= 400) return;
        EXPECT_EQ(held() - before, 2);
        for_each_block({0, 10}, 1, [&](part inner) {
          if (inner.to < 10) {
            EXPECT_EQ(held() - before, 3);
          }
        });
      });
    });
  }
}

// Two workers share a loop by a few steals, each of half of what is left, and not by one for each
// block.
TEST(Blocks, AreStolenByHalves) {
  for (const bool caller_works : {false, true}) {
    nopal::runtime r({.workers = 2, .caller_works = caller_works});
    std::atomic<int> blocks{0};
    const auto before = r.stats().total.steals;
    r.run([&] {
      for_each_block({0, 2000}, 1, [&](part) {
        ++blocks;
        spin_for(20us);
      });
    });
    EXPECT_EQ(blocks, 2000);
    EXPECT_LT(r.stats().total.steals - before, 500U);
  }
}

TEST(Blocks, OfLoopsWithinALoop) {
  nopal_test::everywhere([] {
    std::atomic<long> sum{0};
    for_each_block({0, 100}, 1, [&](part outer) {
      for_each_block({0, 100}, 3, [&](part inner) { sum += inner.size() * outer.size(); });
    });
    EXPECT_EQ(sum, 100 * 100);
  });
}

}  // namespace
