// SPDX-License-Identifier: Apache-2.0
// Groups points around centres: each step gives every point to the nearest centre, and moves each
// centre to the mean of its points. One fold does both. Its partial results are a struct, which is
// made of a single element or of two partial results.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <nopal/nopal.hpp>
#include <random>
#include <vector>

namespace {

constexpr std::size_t groups = 4;

struct point {
  double x = 0, y = 0;
};
using points = std::array<point, groups>;

double distance(point a, point b) { return std::hypot(a.x - b.x, a.y - b.y); }

/// A point and the number of its centre.
struct member {
  point where;
  std::size_t group = 0;
};

member nearest(point p, const points& centres) {
  const auto of_p = [p](point centre) { return distance(p, centre); };
  const auto centre = std::ranges::min_element(centres, {}, of_p);
  return {p, static_cast<std::size_t>(centre - centres.begin())};
}

/// The sums over the points of each group.
struct sums {
  std::array<point, groups> of;
  std::array<double, groups> number{};

  sums() = default;
  explicit sums(const member& m) { add(m.group, m.where, 1); }

  void add(std::size_t group, point sum, double count) {
    of[group].x += sum.x;
    of[group].y += sum.y;
    number[group] += count;
  }
  friend sums operator+(sums left, const member& right) {
    left.add(right.group, right.where, 1);
    return left;
  }
  friend sums operator+(sums left, const sums& right) {
    for (std::size_t g = 0; g < groups; ++g) left.add(g, right.of[g], right.number[g]);
    return left;
  }
};

points means(const std::vector<point>& data, const points& centres) {
  const sums s =
      nopal::fold(data, sums(), std::plus{}, [&](point p) { return nearest(p, centres); });
  points moved = centres;
  for (std::size_t g = 0; g < groups; ++g)
    if (s.number[g] > 0) moved[g] = {s.of[g].x / s.number[g], s.of[g].y / s.number[g]};
  return moved;
}

}  // namespace

int main() {
  const points origins{{{0, 0}, {10, 0}, {0, 10}, {10, 10}}};
  std::mt19937 random(1);
  std::uniform_real_distribution<double> beside(-1, 1);
  std::vector<point> data;
  for (std::size_t i = 0; i < 50'000; ++i) {
    const point origin = origins[random() % groups];
    data.push_back({origin.x + beside(random), origin.y + beside(random)});
  }
  points centres{{{3, 3}, {7, 3}, {3, 7}, {7, 7}}};
  for (int step = 0; step < 5; ++step) centres = means(data, centres);

  bool right = true;
  for (std::size_t g = 0; g < groups; ++g) {
    std::printf("a group around (%.3f, %.3f)\n", centres[g].x, centres[g].y);
    right = right && distance(centres[g], origins[g]) < 0.03;
  }
  return right ? 0 : 1;
}
