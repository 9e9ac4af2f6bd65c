// SPDX-License-Identifier: Apache-2.0
// A Delaunay triangulation of a square that transactions change: each puts a point in, by which the
// triangles around it are replaced (Bowyer 1981, Watson 1981).
#pragma once

#include <array>
#include <cstdint>
#include <stdexcept>
#include <unordered_set>
#include <vector>

#include "stm/tm.hpp"
#include "stm/yada/geometry.hpp"

namespace nopal_bench {

/// The neighbour of edge k, which goes from corner k to the next, lies beyond it; there is none at
/// a side of the square.
struct triangle : tm::object {
  triangle(point a, point b, point c) : corner{a, b, c} {}

  [[nodiscard]] bool has_in_circle(point p) const {
    return is_in_circle(corner[0], corner[1], corner[2], p);
  }
  /// The number of the edge that begins at a corner.
  [[nodiscard]] unsigned edge_from(point p) const {
    return corner[0] == p ? 0 : corner[1] == p ? 1 : 2;
  }

  const std::array<point, 3> corner;  // in counter-clockwise order
  std::array<tm::field<triangle*>, 3> neighbour;
  tm::field<bool> is_in_mesh{true};
  tm::field<bool> is_in_heap{false};
};

/// What a new point replaces: the triangles that have it in their circles, and what is around them.
struct cavity {
  struct edge {
    point from, to;
    triangle* of;      ///< In the cavity.
    triangle* beyond;  ///< Outside.
  };
  static constexpr unsigned most = 128;

  std::array<triangle*, most> triangles;
  std::array<edge, most + 2> edges;
  unsigned size = 0, edges_around = 0;
};

class mesh {
 public:
  /// Two triangles that share a diagonal.
  mesh() {
    constexpr point a{0, 0}, b{side_of_square, 0}, c{side_of_square, side_of_square},
        d{0, side_of_square};
    auto* below = new triangle(a, b, c);
    auto* above = new triangle(a, c, d);
    below->neighbour[2].set_value(above);
    above->neighbour[0].set_value(below);
    root_.any.set_value(below);
  }
  ~mesh() {
    for (triangle* t : all_now()) delete t;
  }
  mesh(const mesh&) = delete;
  mesh& operator=(const mesh&) = delete;

  /// The triangle in which p lies, or on whose edge.
  /// \param at  the search begins here.
  static triangle* find(tm::transaction& t, triangle* at, point p) {
    for (unsigned k = 0; k < 3;) {
      if (cross(at->corner[k], at->corner[(k + 1) % 3], p) < 0) {
        at = t.get(*at, at->neighbour[k]);
        k = 0;
      } else {
        ++k;
      }
    }
    return at;
  }

  /// Sets c to what p replaces. Returns false if that is too large.
  /// \param start  has p in its circle.
  static bool dig(tm::transaction& t, cavity& c, triangle* start, point p) {
    c.triangles[0] = start;
    c.size = 1;
    c.edges_around = 0;
    for (unsigned i = 0; i < c.size; ++i) {
      triangle* in = c.triangles[i];
      for (unsigned k = 0; k < 3; ++k) {
        triangle* beyond = t.get(*in, in->neighbour[k]);
        if (beyond != nullptr && has(c, beyond)) continue;
        if (beyond == nullptr || !beyond->has_in_circle(p)) {
          c.edges[c.edges_around++] = {in->corner[k], in->corner[(k + 1) % 3], in, beyond};
          continue;
        }
        if (c.size == cavity::most) return false;
        c.triangles[c.size++] = beyond;
      }
    }
    return true;
  }

  /// Replaces the triangles of the cavity by those that the edges around it make with p. What is
  /// written to these is plain memory: nobody else has them before the transaction commits.
  /// \param is_new  called as is_new(triangle, its edges at sides of the square, as bits).
  /// \param is_old  called with each triangle that is no part of the mesh any more.
  template <class New, class Old>
  void fill(tm::transaction& t, const cavity& c, point p, New&& is_new, Old&& is_old) {
    std::array<triangle*, cavity::most + 2> made;
    for (unsigned i = 0; i < c.edges_around; ++i) {
      const cavity::edge& e = c.edges[i];
      const bool is_split = cross(e.from, e.to, p) == 0;
      made[i] = is_split ? nullptr : t.template make<triangle>(e.from, e.to, p);
      if (is_split || e.beyond == nullptr) continue;
      made[i]->neighbour[0].set_value(e.beyond);
      t.set(*e.beyond, e.beyond->neighbour[e.beyond->edge_from(e.to)], made[i]);
    }
    std::array<unsigned, cavity::most + 2> at_sides;
    for (unsigned i = 0; i < c.edges_around; ++i)
      at_sides[i] = c.edges[i].beyond == nullptr ? 1 : 0;
    for (unsigned i = 0; i < c.edges_around; ++i) {
      unsigned next = 0;
      while (!(c.edges[next].from == c.edges[i].to)) ++next;
      link(made[i], made[next], at_sides[i], at_sides[next]);
    }
    bool had_root = false;
    for (unsigned i = 0; i < c.size; ++i) {
      if (c.triangles[i] == t.get(root_, root_.any)) had_root = true;
      is_old(c.triangles[i]);
    }
    if (had_root) t.set(root_, root_.any, made[0] != nullptr ? made[0] : made[1]);
    for (unsigned i = 0; i < c.edges_around; ++i)
      if (made[i] != nullptr) is_new(made[i], at_sides[i]);
  }

  /// Some triangle, when no transaction runs.
  [[nodiscard]] triangle* any_now() const { return root_.any.value(); }
  /// Every triangle, when no transaction runs.
  [[nodiscard]] std::vector<triangle*> all_now() const {
    std::vector<triangle*> found{any_now()};
    std::unordered_set<const triangle*> seen{found[0]};
    for (std::size_t i = 0; i < found.size(); ++i)
      for (const auto& n : found[i]->neighbour)
        if (n.value() != nullptr && seen.insert(n.value()).second) found.push_back(n.value());
    return found;
  }

  /// \throws std::runtime_error if it is no Delaunay triangulation of the square.
  void check() const {
    std::int64_t area = 0;
    for (const triangle* t : all_now()) {
      area += cross(t->corner[0], t->corner[1], t->corner[2]);
      if (!t->is_in_mesh.value()) throw std::runtime_error("wrong: a triangle that was replaced");
      for (unsigned k = 0; k < 3; ++k) check_edge(*t, k);
    }
    if (area != std::int64_t{2} * side_of_square * side_of_square)
      throw std::runtime_error("wrong: the triangles do not cover the square");
  }

 private:
  struct entrance : tm::object {
    tm::field<triangle*> any{nullptr};
  };

  static bool has(const cavity& c, const triangle* x) {
    for (unsigned i = 0; i < c.size; ++i)
      if (c.triangles[i] == x) return true;
    return false;
  }

  /// Two new triangles of which the second is the next in counter-clockwise order around the point.
  static void link(triangle* a, triangle* b, unsigned& a_at_sides, unsigned& b_at_sides) {
    if (a == nullptr)
      b_at_sides |= 4;
    else if (b == nullptr)
      a_at_sides |= 2;
    if (a == nullptr || b == nullptr) return;
    a->neighbour[1].set_value(b);
    b->neighbour[2].set_value(a);
  }

  static void check_edge(const triangle& t, unsigned k) {
    const point from = t.corner[k], to = t.corner[(k + 1) % 3];
    const triangle* n = t.neighbour[k].value();
    if (n == nullptr) {
      const bool at_side = (from.x == to.x && from.x % side_of_square == 0) ||
                           (from.y == to.y && from.y % side_of_square == 0);
      if (!at_side) throw std::runtime_error("wrong: a triangle without a neighbour");
      return;
    }
    const unsigned back = n->edge_from(to);
    if (n->neighbour[back].value() != &t || !(n->corner[(back + 1) % 3] == from))
      throw std::runtime_error("wrong: neighbours that do not know each other");
    if (t.has_in_circle(n->corner[(back + 2) % 3]))
      throw std::runtime_error("wrong: not the Delaunay triangulation");
  }

  entrance root_;
};

}  // namespace nopal_bench
