// SPDX-License-Identifier: Apache-2.0
// The convex hull of points by quickhull: the point farthest from a line is on the hull, and what
// is left lies beyond one of the two new lines. filter and max_element look at all points at the
// same time, and the two lines are forks.
#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdio>
#include <nopal/algorithm/filter.hpp>
#include <nopal/algorithm/min_element.hpp>
#include <nopal/nopal.hpp>
#include <random>
#include <tuple>
#include <vector>

namespace {

struct point {
  long x = 0, y = 0;
  friend auto operator<=>(const point&, const point&) = default;
};

/// Returns twice the area of a triangle: positive if p is on the left of the way from a to b.
long area(point a, point b, point p) {
  return (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x);
}

std::vector<point> left_of(point a, point b, const std::vector<point>& points) {
  return nopal::filter(points, [=](point p) { return area(a, b, p) > 0; });
}

/// Returns the corners of the hull from a, without b, on the left of the way from a to b.
/// \param points  all points that lie there.
std::vector<point> hull_between(point a, point b, const std::vector<point>& points) {
  if (points.empty()) return {a};
  // Of points that are as far away, the largest is a corner, and those between others are none.
  const point c =
      *nopal::max_element(points, {}, [=](point p) { return std::tuple(area(a, b, p), p.x, p.y); });
  auto [first, second] =
      nopal::parallel_invoke([&] { return hull_between(a, c, left_of(a, c, points)); },
                             [&] { return hull_between(c, b, left_of(c, b, points)); });
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

/// Returns the corners clockwise, from the smallest point on.
std::vector<point> convex_hull(const std::vector<point>& points) {
  const auto [low, high] = nopal::minmax_element(points);
  const point a = *low, b = *high;
  auto [upper, lower] =
      nopal::parallel_invoke([&] { return hull_between(a, b, left_of(a, b, points)); },
                             [&] { return hull_between(b, a, left_of(b, a, points)); });
  upper.insert(upper.end(), lower.begin(), lower.end());
  return upper;
}

/// Returns the same by Andrew's monotone chain.
std::vector<point> serial_convex_hull(std::vector<point> points) {
  std::vector<point> hull;
  std::ranges::sort(points);
  for (int side = 0; side < 2; ++side, std::ranges::reverse(points)) {
    const std::size_t base = hull.size();
    for (const point p : points) {
      while (hull.size() >= base + 2 && area(hull[hull.size() - 2], hull.back(), p) >= 0)
        hull.pop_back();
      hull.push_back(p);
    }
    hull.pop_back();  // the other side begins with it
  }
  return hull;
}

}  // namespace

int main() {
  std::mt19937 random(1);
  std::vector<point> points;
  while (points.size() < 100'000) {
    const point p{static_cast<long>(random() % 2001) - 1000,
                  static_cast<long>(random() % 2001) - 1000};
    if (p.x * p.x + p.y * p.y <= 1'000'000) points.push_back(p);
  }
  const std::vector<point> hull = convex_hull(points);
  const bool right = hull == serial_convex_hull(points);
  std::printf("%zu corners are %s\n", hull.size(), right ? "right" : "WRONG");
  return right ? 0 : 1;
}
