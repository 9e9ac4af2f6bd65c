// SPDX-License-Identifier: Apache-2.0
// Counts the triangles of a graph. Each edge goes from the smaller of its ends to the larger, so
// that each triangle a < b < c is counted once: at the edge from a to b, where c is in both lists
// of neighbours.
#include <algorithm>
#include <bitset>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <nopal/algorithm/sort.hpp>
#include <nopal/algorithm/unique.hpp>
#include <nopal/nopal.hpp>
#include <random>
#include <span>
#include <utility>
#include <vector>

namespace {

using vertex = unsigned;
using edge = std::pair<vertex, vertex>;

/// The number of elements that two sorted lists have in common.
std::size_t in_common(std::span<const edge> a, std::span<const edge> b) {
  std::size_t number = 0;
  for (auto i = a.begin(), j = b.begin(); i != a.end() && j != b.end();) {
    const vertex left = i->second, right = j->second;
    if (left == right) ++number;
    if (left <= right) ++i;
    if (right <= left) ++j;
  }
  return number;
}

/// \param edges  each goes from a smaller vertex to a larger one.
std::size_t triangles(std::vector<edge> edges) {
  nopal::sort(edges);
  const auto doubles = nopal::unique(edges);
  edges.erase(doubles.begin(), doubles.end());
  const auto from = [&](vertex v) { return std::ranges::equal_range(edges, v, {}, &edge::first); };
  return nopal::fold(edges, std::size_t{0}, std::plus{},
                     [&](const edge& e) { return in_common(from(e.first), from(e.second)); });
}

constexpr std::size_t vertices = 1000;

/// Counts the same by a matrix that says of every two vertices whether they have an edge.
std::size_t serial_triangles(const std::vector<edge>& edges) {
  std::vector<std::bitset<vertices>> has_edge(vertices);
  for (const auto& [a, b] : edges) has_edge[a].set(b);
  std::size_t number = 0;
  for (vertex a = 0; a < vertices; ++a)
    for (vertex b = 0; b < vertices; ++b)
      if (has_edge[a][b]) number += (has_edge[a] & has_edge[b]).count();
  return number;
}

}  // namespace

int main() {
  std::mt19937 random(1);
  std::vector<edge> edges;
  while (edges.size() < 30'000) {
    const auto a = static_cast<vertex>(random() % vertices);
    const auto b = static_cast<vertex>(random() % vertices);
    if (a < b) edges.emplace_back(a, b);
  }
  const std::size_t number = triangles(edges);
  std::printf("%zu triangles\n", number);
  return number > 0 && number == serial_triangles(edges) ? 0 : 1;
}
