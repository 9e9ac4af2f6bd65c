// SPDX-License-Identifier: Apache-2.0
// PageRank by repeated multiplication: the graph is an array of edges in the order of their ends,
// and an array that says where the edges of each page begin. map gives each page a new rank from
// those that link to it, and a fold says how far all ranks have moved.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <nopal/nopal.hpp>
#include <random>
#include <span>
#include <vector>

namespace {

constexpr double damping = 0.85;

struct graph {
  std::vector<std::size_t> first;       // where the links to each page begin; one more at the end
  std::vector<std::size_t> links_to;    // the pages that link, by the page that they link to
  std::vector<std::size_t> out_degree;  // how many links each page has

  [[nodiscard]] std::size_t pages() const { return out_degree.size(); }
  [[nodiscard]] std::span<const std::size_t> to(std::size_t page) const {
    return std::span(links_to).subspan(first[page], first[page + 1] - first[page]);
  }
};

/// A graph in which every page has links, most of them to pages with small numbers.
graph random_graph(std::size_t pages) {
  std::mt19937 random(1);
  std::vector<std::vector<std::size_t>> to(pages);
  graph g{{0}, {}, std::vector<std::size_t>(pages)};
  for (std::size_t page = 0; page < pages; ++page)
    for (std::size_t link = 0; link < 1 + page % 15; ++link, ++g.out_degree[page])
      to[random() % pages / (1 + page % 7)].push_back(page);
  for (const std::vector<std::size_t>& from : to) {
    g.links_to.insert(g.links_to.end(), from.begin(), from.end());
    g.first.push_back(g.links_to.size());
  }
  return g;
}

std::vector<double> page_rank(const graph& g, double tolerance) {
  const double all = static_cast<double>(g.pages());
  std::vector<double> ranks(g.pages(), 1 / all), next(g.pages()), shares(g.pages());
  for (double moved = 1; moved > tolerance; ranks.swap(next)) {
    nopal::map(ranks, g.out_degree, shares.begin(),
               [](double rank, std::size_t links) { return rank / static_cast<double>(links); });
    nopal::map(0, g.pages(), next.begin(), [&](std::size_t page) {
      double sum = 0;
      for (const std::size_t from : g.to(page)) sum += shares[from];
      return (1 - damping) / all + damping * sum;
    });
    moved = nopal::fold(0, g.pages(), 0.0, std::plus{},
                        [&](std::size_t page) { return std::abs(next[page] - ranks[page]); });
  }
  return ranks;
}

}  // namespace

int main() {
  const graph g = random_graph(20'000);
  const std::vector<double> ranks = page_rank(g, 1e-10);

  // The ranks are probabilities, and one more step, from each page to those that it links to, does
  // not change them.
  std::vector<double> again(g.pages(), (1 - damping) / static_cast<double>(g.pages()));
  for (std::size_t page = 0; page < g.pages(); ++page)
    for (const std::size_t from : g.to(page))
      again[page] += damping * ranks[from] / static_cast<double>(g.out_degree[from]);
  double sum = 0, moved = 0;
  for (std::size_t page = 0; page < g.pages(); ++page) {
    sum += ranks[page];
    moved += std::abs(again[page] - ranks[page]);
  }
  const auto best = std::ranges::max_element(ranks) - ranks.begin();
  std::printf("page %td has the highest rank, %.5f\n", best, ranks[static_cast<std::size_t>(best)]);
  return std::abs(sum - 1) < 1e-9 && moved < 1e-9 ? 0 : 1;
}
