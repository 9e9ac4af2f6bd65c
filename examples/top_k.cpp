// SPDX-License-Identifier: Apache-2.0
// The best of many, without a sort of all: partial_sort finds the first ones in order, nth_element
// the one in a certain place, such as the median. Usage: top_k [players]
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <nopal/algorithm/nth_element.hpp>
#include <nopal/algorithm/partial_sort.hpp>
#include <nopal/nopal.hpp>
#include <random>
#include <vector>

namespace {

struct player {
  unsigned number = 0;
  double score = 0;
};

constexpr std::ptrdiff_t k = 10;

}  // namespace

int main(int argc, char** argv) {
  const auto count = static_cast<std::size_t>(argc > 1 ? std::atoll(argv[1]) : 200'000);
  std::mt19937 random(1);
  std::normal_distribution<double> score(100, 15);
  std::vector<player> players(std::max<std::size_t>(count, k));
  unsigned number = 0;
  for (player& p : players) p = {number++, score(random)};
  std::vector<player> expected = players;
  std::ranges::sort(expected, std::greater{}, &player::score);
  std::vector<double> scores(players.size());
  nopal::map(players, scores.begin(), &player::score);

  nopal::partial_sort(players, players.begin() + k, std::greater{}, &player::score);
  for (std::ptrdiff_t i = 0; i < k; ++i)
    std::printf("player %u has %.2f\n", players[static_cast<std::size_t>(i)].number,
                players[static_cast<std::size_t>(i)].score);

  const auto median = scores.begin() + std::ssize(scores) / 2;
  nopal::nth_element(scores, median, std::greater{});
  std::printf("half of the players have %.2f or more\n", *median);

  // Two players with the same score may come in any order.
  const bool right = std::equal(players.begin(), players.begin() + k, expected.begin(),
                                [](player a, player b) { return a.score == b.score; }) &&
                     *median == expected[expected.size() / 2].score;
  return right ? 0 : 1;
}
