// SPDX-License-Identifier: Apache-2.0
// Breadth-first search, one level after the other: all vertices of a level look at their neighbours
// at the same time. Of several that find the same neighbour, the one that sets its level first
// takes it along. A scan says where each vertex writes what it has found.
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <nopal/algorithm/filter.hpp>
#include <nopal/nopal.hpp>
#include <queue>
#include <random>
#include <vector>

namespace {

using vertex = unsigned;
using graph = std::vector<std::vector<vertex>>;  // the neighbours of each vertex

constexpr int unseen = -1;
constexpr vertex none = ~vertex{0};

/// Returns the neighbours of a level that no level before has seen.
std::vector<vertex> next_level(const graph& g, const std::vector<vertex>& level, int number,
                               std::vector<std::atomic<int>>& levels) {
  const auto degree = [&](vertex v) { return g[v].size(); };
  std::vector<std::size_t> first(level.size());
  nopal::exclusive_scan(level, first.begin(), std::size_t{0}, std::plus{}, degree);
  std::vector<vertex> found(first.back() + degree(level.back()), none);
  nopal::for_each(0, level.size(), [&](std::size_t i) {
    std::size_t at = first[i];
    for (const vertex v : g[level[i]]) {
      int expected = unseen;
      // Only the level itself is agreed on here; the end of the loop orders all else.
      if (levels[v].compare_exchange_strong(expected, number, std::memory_order_relaxed))
        found[at] = v;
      ++at;
    }
  });
  return nopal::filter(found, [](vertex v) { return v != none; });
}

std::vector<int> levels_from(vertex root, const graph& g) {
  std::vector<std::atomic<int>> levels(g.size());
  nopal::for_each(levels, [](std::atomic<int>& l) { l.store(unseen, std::memory_order_relaxed); });
  levels[root].store(0, std::memory_order_relaxed);
  std::vector<vertex> level{root};
  for (int number = 1; !level.empty(); ++number) level = next_level(g, level, number, levels);
  std::vector<int> result(g.size());
  nopal::map(levels, result.begin(),
             [](const std::atomic<int>& l) { return l.load(std::memory_order_relaxed); });
  return result;
}

std::vector<int> serial_levels_from(vertex root, const graph& g) {
  std::vector<int> levels(g.size(), unseen);
  levels[root] = 0;
  for (std::queue<vertex> seen({root}); !seen.empty(); seen.pop())
    for (const vertex v : g[seen.front()])
      if (levels[v] == unseen) {
        levels[v] = levels[seen.front()] + 1;
        seen.push(v);
      }
  return levels;
}

}  // namespace

int main() {
  std::mt19937 random(1);
  graph g(50'000);
  for (int edge = 0; edge < 100'000; ++edge) {
    const auto a = static_cast<vertex>(random() % g.size());
    const auto b = static_cast<vertex>(random() % g.size());
    g[a].push_back(b);
    g[b].push_back(a);
  }
  const std::vector<int> levels = levels_from(0, g);
  const bool right = levels == serial_levels_from(0, g);
  std::printf("the levels are %s\n", right ? "right" : "WRONG");
  return right ? 0 : 1;
}
