// SPDX-License-Identifier: Apache-2.0
// Points on a grid, and what is asked of them. The predicates are exact, so that a mesh never
// contradicts itself.
#pragma once

#include <cstdint>

namespace nopal_bench {

struct point {
  std::int32_t x, y;
  friend bool operator==(const point&, const point&) = default;
};

/// Points have coordinates of 0 to this. Then the predicates below do not overflow.
inline constexpr std::int32_t side_of_square = 1 << 26;

/// Twice the area of a triangle; positive if its corners are in counter-clockwise order.
inline std::int64_t cross(point a, point b, point c) {
  return std::int64_t{b.x - a.x} * (c.y - a.y) - std::int64_t{b.y - a.y} * (c.x - a.x);
}

/// Whether p lies in the circle whose diameter is the edge from a to b.
inline bool encroaches(point a, point b, point p) {
  return std::int64_t{a.x - p.x} * (b.x - p.x) + std::int64_t{a.y - p.y} * (b.y - p.y) < 0;
}

/// Whether p lies in the circle through three points in counter-clockwise order.
inline bool is_in_circle(point a, point b, point c, point p) {
  __extension__ using wide = __int128;
  const auto square = [p](point q) {
    const std::int64_t x = q.x - p.x, y = q.y - p.y;
    return x * x + y * y;
  };
  return wide{square(a)} * cross(p, b, c) + wide{square(b)} * cross(p, c, a) +
             wide{square(c)} * cross(p, a, b) >
         0;
}

inline double square_of_length(point a, point b) {
  const double x = b.x - a.x, y = b.y - a.y;
  return x * x + y * y;
}

/// The square of the cosine of the smallest angle of a triangle.
inline double narrowness(point a, point b, point c) {
  const double ab = square_of_length(a, b), bc = square_of_length(b, c),
               ca = square_of_length(c, a);
  const double shortest = ab < bc ? (ab < ca ? ab : ca) : (bc < ca ? bc : ca);
  const double sum = ab + bc + ca - 2 * shortest;  // of the squares of the others, less its own
  return shortest * sum * sum / (4 * ab * bc * ca);
}

/// The point of the grid in the middle of an edge. It lies on the edge if that is a part of a side
/// of the square.
inline point middle(point a, point b) { return {(a.x + b.x) / 2, (a.y + b.y) / 2}; }

/// The centre of the circle through three points or, if that lies outside of the square, where the
/// way there from within the triangle leaves the square.
inline point centre_in_square(point a, point b, point c) {
  const double bx = b.x - a.x, by = b.y - a.y;
  const double cx = c.x - a.x, cy = c.y - a.y;
  const double b2 = bx * bx + by * by, c2 = cx * cx + cy * cy, d = 2 * (bx * cy - by * cx);
  const double from_x = a.x + (bx + cx) / 3, from_y = a.y + (by + cy) / 3;
  const double way_x = a.x + (cy * b2 - by * c2) / d - from_x;
  const double way_y = a.y + (bx * c2 - cx * b2) / d - from_y;
  double share = 1;
  const auto leave = [&share](double from, double way) {
    if (from + share * way < 0) share = -from / way;
    if (from + share * way > side_of_square) share = (side_of_square - from) / way;
  };
  leave(from_x, way_x);
  leave(from_y, way_y);
  const auto on_grid = [](double x) {
    const auto rounded = static_cast<std::int32_t>(x + 0.5);
    return rounded < side_of_square ? rounded : side_of_square;
  };
  return {on_grid(from_x + share * way_x), on_grid(from_y + share * way_y)};
}

}  // namespace nopal_bench
