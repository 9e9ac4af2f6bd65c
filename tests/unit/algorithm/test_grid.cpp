// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <functional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "nopal/algorithm/grid.hpp"
#include "nopal/nopal.hpp"
#include "support/everywhere.hpp"

namespace {

using nopal::grain;
using nopal::grid;
using nopal_test::everywhere;

std::size_t number(int i) { return static_cast<std::size_t>(i); }

constexpr std::pair<int, int> shapes[]{{0, 5},     {5, 0},     {1, 1},   {1, 7},      {7, 1},
                                       {3, 3},     {16, 64},   {33, 31}, {1, 100000}, {100000, 1},
                                       {300, 500}, {64, 4096}, {-1, -1}};
constexpr grain grains[]{{0}, {1}, {2}, {100}, {5000}, {1000000}};

TEST(Grid, EachCellOnce) {
  everywhere([] {
    for (const auto& [rows, columns] : shapes)
      for (const grain g : grains) {
        const std::size_t n = rows < 0 ? 0 : number(rows) * number(columns);
        if (g.elements <= 2 && g.elements != 0 && n > 10000) continue;
        std::vector<int> visits(n), in_tiles(n);
        nopal::for_each(g, grid(rows, columns),
                        [&](int i, int j) { ++visits[number(i) * number(columns) + number(j)]; });
        EXPECT_EQ(visits, std::vector<int>(n, 1)) << rows << ' ' << columns << ' ' << g.elements;
        nopal::for_each(g, grid(rows, columns), [&](const nopal::tile<int, 2>& t) {
          EXPECT_LE(t.rows().size() * t.columns().size(), g.elements == 0 ? 4096 : g.elements);
          for (const int i : t.rows())
            for (const int j : t.columns()) ++in_tiles[number(i) * number(columns) + number(j)];
        });
        EXPECT_EQ(in_tiles, visits) << rows << ' ' << columns << ' ' << g.elements;
      }
  });
}

TEST(Grid, ThreeDimensions) {
  everywhere([] {
    for (const auto& [planes, rows, columns] :
         {std::array{1, 1, 1}, std::array{2, 3, 0}, std::array{9, 17, 33}, std::array{40, 1, 500},
          std::array{64, 64, 64}})
      for (const grain g : grains) {
        if (g.elements == 1 && planes == 64) continue;
        const auto at = [&](int i, int j, int k) {
          return (number(i) * number(rows) + number(j)) * number(columns) + number(k);
        };
        const std::size_t n = number(planes) * number(rows) * number(columns);
        std::vector<int> visits(n), in_tiles(n);
        nopal::for_each(g, grid(planes, rows, columns),
                        [&](int i, int j, int k) { ++visits[at(i, j, k)]; });
        EXPECT_EQ(visits, std::vector<int>(n, 1)) << n << ' ' << g.elements;
        nopal::for_each(g, grid(planes, rows, columns), [&](const nopal::tile<int, 3>& t) {
          for (const int i : t.planes())
            for (const int j : t.rows())
              for (const int k : t.columns()) ++in_tiles[at(i, j, k)];
        });
        EXPECT_EQ(in_tiles, visits) << n << ' ' << g.elements;
      }
  });
}

TEST(Grid, TilesFollowTheCache) {
  nopal_test::on_one_worker([] {
    std::size_t tiles = 0;
    nopal::for_each(grid(1000, 1030), [&](const auto& t) {
      ++tiles;
      EXPECT_LE(t.rows().size(), 16U);
      EXPECT_LE(t.columns().size(), 256U);
      EXPECT_EQ(*t.columns().begin() % 64, 0);
    });
    EXPECT_LE(tiles, 400U);
    tiles = 0;
    nopal::for_each(grid(1, 5000), [&](const auto&) { ++tiles; });
    // Blocks are as long as fits what they cost, so a slow build has more of them.
    EXPECT_LT(tiles, 200U) << "neighbours in a row are one tile, of 264 that are not";
    tiles = 0;
    nopal::for_each(grain{1}, grid(20, 30), [&](const auto&) { ++tiles; });
    EXPECT_EQ(tiles, 600U);
  });
}

TEST(Grid, Fold) {
  everywhere([] {
    for (const auto& [rows, columns] : shapes)
      for (const grain g : {grain{0}, grain{3}, grain{1000}}) {
        long expected = 5;
        for (int i = 0; i < rows; ++i)
          for (int j = 0; j < columns; ++j) expected += 3L * i + j;
        const auto all = grid(rows, columns);
        EXPECT_EQ(nopal::fold(g, all, 5L, std::plus<>(), [](int i, int j) { return 3L * i + j; }),
                  expected);
        EXPECT_EQ(nopal::fold(g, all, 5L, std::plus<>(),
                              [](const nopal::tile<int, 2>& t) {
                                long sum = 0;
                                for (const int i : t.rows())
                                  for (const int j : t.columns()) sum += 3L * i + j;
                                return sum;
                              }),
                  expected);
      }
    const auto third = [](std::size_t i, std::size_t j, std::size_t k) {
      return 1.0F / static_cast<float>(1 + i * j + k);
    };
    const auto large = grid(std::size_t{20}, 30U, 40U);
    const float sum = nopal::fold(large, 0.0F, std::plus<>(), third);
    for (int again = 0; again < 5; ++again)
      EXPECT_EQ(nopal::fold(large, 0.0F, std::plus<>(), third), sum);
  });
}

TEST(Grid, ExceptionsAndTasks) {
  everywhere([] {
    EXPECT_THROW(nopal::for_each(grid(200, 300),
                                 [](int i, int j) {
                                   if (i == 199 && j == 299) throw std::out_of_range("the last");
                                 }),
                 std::out_of_range);
    std::atomic<int> visits = 0;
    nopal::for_each(grid(20, 30), [&](int, int) -> nopal::task<void> {
      ++visits;
      co_return;
    });
    EXPECT_EQ(visits, 600);
  });
}

// Cells that wait for each other can do so if each is a block.
TEST(Grid, CellsMayWait) {
  everywhere([] {
    nopal::latch all(6);
    nopal::for_each(grain{1}, grid(2, 3), [&](int, int) { all.arrive_and_wait(); });
  });
}

}  // namespace
