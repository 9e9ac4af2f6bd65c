// SPDX-License-Identifier: Apache-2.0
// The shortest tour through some cities, by branch and bound: a partial tour that is longer than
// the shortest tour known is not followed. A rank that finds a shorter one tells all others.
//   mpiexec -n 2 example_mpi_tour
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <vector>

#include "nopal/mpi.hpp"

namespace {

constexpr int cities = 11;

double distance(int a, int b) {
  const auto x = [](int c) { return (c * 37) % 101; };
  const auto y = [](int c) { return (c * 71) % 97; };
  return std::hypot(x(a) - x(b), y(a) - y(b));
}

/// A tour from city 0 that has come to a city.
struct partial_tour {
  std::uint32_t visited;
  int at;
  double length;
};

/// The length of the shortest tour that this rank knows of.
std::atomic<double> shortest = std::numeric_limits<double>::infinity();

/// Returns whether the length is a shorter one.
bool shorten(double length) {
  double known = shortest;
  while (length < known)
    if (shortest.compare_exchange_weak(known, length)) return true;
  return false;
}

/// The shortest tour, by the shortest ways through each set of cities (Bellman 1962; Held and Karp
/// 1962).
double by_sets() {
  constexpr std::uint32_t sets = 1U << cities;
  std::vector<double> to(std::size_t{sets} * cities, std::numeric_limits<double>::infinity());
  to[cities] = 0;  // the set of city 0, at city 0
  for (std::uint32_t set = 1; set < sets; set += 2)
    for (int at = 0; at < cities; ++at)
      for (int next = 1; next < cities; ++next)
        if ((set >> next & 1) == 0) {
          double& length = to[(set | 1U << next) * cities + static_cast<std::uint32_t>(next)];
          length = std::min(length,
                            to[set * cities + static_cast<std::uint32_t>(at)] + distance(at, next));
        }
  double best = std::numeric_limits<double>::infinity();
  for (int at = 1; at < cities; ++at)
    best =
        std::min(best, to[(sets - 1) * cities + static_cast<std::uint32_t>(at)] + distance(at, 0));
  return best;
}

}  // namespace

int main(int argc, char** argv) {
  nopal::mpi::world world(argc, argv);
  const double best = world.fold_tree(
      partial_tour{1, 0, 0},
      [&world](const partial_tour& t, const auto& emit) {
        if (t.visited == (1U << cities) - 1) {
          const double length = t.length + distance(t.at, 0);
          if (shorten(length))
            for (int r = 0; r < world.size(); ++r)
              if (r != world.rank()) world.run_on(r, nopal::mpi::function<&shorten>, length);
          return length;
        }
        for (int next = 1; next < cities; ++next)
          if ((t.visited >> next & 1) == 0) {
            const double length = t.length + distance(t.at, next);
            if (length < shortest) emit(partial_tour{t.visited | 1U << next, next, length});
          }
        return std::numeric_limits<double>::infinity();
      },
      [](double a, double b) { return std::min(a, b); });
  if (world.rank() == 0) std::printf("the shortest tour through %d cities: %.6f\n", cities, best);
  return std::abs(best - by_sets()) < 1e-9 ? 0 : 1;
}
