// SPDX-License-Identifier: Apache-2.0
// A mesh is refined until no angle is small: Ruppert's algorithm (Journal of Algorithms 18, 1995).
// Written from the description of STAMP's yada (Cao Minh, Chung, Kozyrakis and Olukotun, IISWC
// 2008). The mesh to begin with is the Delaunay triangulation of random points in a square.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <stdexcept>
#include <vector>

#include "stm/random.hpp"
#include "stm/tm.hpp"
#include "stm/yada/geometry.hpp"
#include "stm/yada/mesh.hpp"
#include "stm/yada/work_heap.hpp"

namespace nopal_bench {

struct yada_load {
  double smallest_angle;  ///< In degrees, at most 20: then the algorithm ends.
  unsigned points;
  std::uint64_t seed;
};

class yada {
 public:
  explicit yada(const yada_load& l) : most_narrow_(square_of_cosine(l.smallest_angle)) {
    triangle* near = mesh_.any_now();
    for (const point p : random_points(l)) near = put_in(p, near);
    for (triangle* bad : mesh_.all_now()) {
      unsigned at_sides = 0;
      for (unsigned k = 0; k < 3; ++k)
        if (bad->neighbour[k].value() == nullptr) at_sides |= 1U << k;
      const double urgency = urgency_of(*bad, at_sides);
      if (urgency == 0) continue;
      bad->is_in_heap.set_value(true);
      tm::atomically([&](tm::transaction& t) {
        work_.push(t, bad, urgency);
        return 0;
      });
    }
  }

  /// Ends when there is nothing to do; others may then find more, and do it.
  void run(unsigned, unsigned) {
    while (triangle* bad = tm::atomically([&](tm::transaction& t) { return work_.pop(t); })) {
      found_bad found;
      const outcome came_to =
          tm::atomically([&](tm::transaction& t) { return refine(t, bad, found); });
      if (came_to == outcome::gone) continue;
      if (came_to == outcome::failed) {
        failed_ = true;
        return;
      }
      tm::atomically([&](tm::transaction& t) {
        for (unsigned i = 0; i < found.size; ++i)
          work_.push(t, found.triangles[i], found.urgency[i]);
        return 0;
      });
    }
  }

  /// \throws std::runtime_error if the mesh is no Delaunay triangulation, or has a small angle.
  void check() const {
    if (failed_) throw std::runtime_error("wrong: a triangle that could not be improved");
    mesh_.check();
    for (const triangle* t : mesh_.all_now()) {
      if (t->is_in_heap.value()) throw std::runtime_error("wrong: work is left");
      if (narrowness(t->corner[0], t->corner[1], t->corner[2]) > most_narrow_)
        throw std::runtime_error("wrong: an angle is too small");
    }
  }

 private:
  enum class outcome { refined, gone, failed };
  static constexpr double encroached = 2;  // more than any square of a cosine

  /// Triangles that are to be refined next.
  struct found_bad {
    std::array<triangle*, cavity::most + 3> triangles;
    std::array<double, cavity::most + 3> urgency;
    unsigned size = 0;

    void add(triangle* bad, double how_urgent) {
      triangles[size] = bad;
      urgency[size++] = how_urgent;
    }
  };

  static double square_of_cosine(double degrees) {
    const double cosine = std::cos(degrees * std::numbers::pi / 180);
    return cosine * cosine;
  }

  /// Different ones, in such an order that most are near the one before.
  static std::vector<point> random_points(const yada_load& l) {
    random_numbers random(l.seed);
    const auto below = [&random] {
      return 1 + static_cast<std::int32_t>(random.below(side_of_square - 1));
    };
    std::vector<point> all(l.points);
    for (point& p : all) p = {below(), below()};
    const std::int32_t strip = side_of_square / (1 + static_cast<int>(std::sqrt(l.points)));
    std::ranges::sort(all, [strip](point a, point b) {
      const std::int32_t at = a.x / strip, other = b.x / strip;
      if (at != other) return at < other;
      if (a.y != b.y) return (a.y < b.y) == (at % 2 == 0);
      return a.x < b.x;
    });
    all.erase(std::ranges::unique(all).begin(), all.end());
    return all;
  }

  /// \param near  the search for its place begins here.
  /// \return a triangle that has p as a corner.
  triangle* put_in(point p, triangle* near) {
    triangle* made = tm::atomically([&](tm::transaction& t) -> triangle* {
      cavity c;
      triangle* last = nullptr;
      if (mesh::dig(t, c, mesh::find(t, near, p), p))
        mesh_.fill(
            t, c, p, [&last](triangle* m, unsigned) { last = m; },
            [&t](triangle* old) { t.destroy(old); });
      return last;
    });
    if (made == nullptr) throw std::runtime_error("a point has too many triangles around it");
    return made;
  }

  /// 0 if there is nothing to improve. An edge at a side is encroached by the corner that it does
  /// not have or by none.
  [[nodiscard]] double urgency_of(const triangle& x, unsigned at_sides) const {
    const auto& c = x.corner;
    for (unsigned k = 0; k < 3; ++k)
      if ((at_sides >> k & 1) != 0 && encroaches(c[k], c[(k + 1) % 3], c[(k + 2) % 3]))
        return encroached;
    const double narrow = narrowness(c[0], c[1], c[2]);
    return narrow > most_narrow_ ? narrow : 0;
  }

  /// Makes the bad triangle go away, or what keeps it from going.
  outcome refine(tm::transaction& t, triangle* bad, found_bad& found) {
    found.size = 0;
    if (!t.get(*bad, bad->is_in_mesh)) {
      t.destroy(bad);
      return outcome::gone;
    }
    cavity c;
    point p;
    if (!choose_point(t, *bad, c, p)) return outcome::failed;
    bool is_left = true;
    mesh_.fill(
        t, c, p,
        [&](triangle* made, unsigned at_sides) {
          const double urgency = urgency_of(*made, at_sides);
          if (urgency == 0) return;
          made->is_in_heap.set_value(true);
          found.add(made, urgency);
        },
        [&](triangle* old) {
          if (old == bad) is_left = false;
          if (old != bad && t.get(*old, old->is_in_heap))
            t.set(*old, old->is_in_mesh, false);  // whoever pops it destroys it
          else
            t.destroy(old);
        });
    if (is_left) found.add(bad, 1);  // after what has kept it
    return outcome::refined;
  }

  /// The point that is to be put in, and its cavity: the centre of the bad triangle's circle, or
  /// the middle of an edge at a side that it would encroach upon.
  bool choose_point(tm::transaction& t, triangle& bad, cavity& c, point& p) const {
    const auto& corner = bad.corner;
    for (unsigned k = 0; k < 3; ++k) {
      const point from = corner[k], to = corner[(k + 1) % 3];
      if (encroaches(from, to, corner[(k + 2) % 3]) && t.get(bad, bad.neighbour[k]) == nullptr)
        return dig_at_middle(t, {from, to, &bad, nullptr}, c, p);
    }
    p = centre_in_square(corner[0], corner[1], corner[2]);
    if (!bad.has_in_circle(p) || !mesh::dig(t, c, &bad, p)) return false;
    for (unsigned i = 0; i < c.edges_around; ++i) {
      const cavity::edge& e = c.edges[i];
      if (e.beyond == nullptr && (encroaches(e.from, e.to, p) || cross(e.from, e.to, p) <= 0))
        return dig_at_middle(t, cavity::edge(e), c, p);
    }
    return true;
  }
  static bool dig_at_middle(tm::transaction& t, cavity::edge e, cavity& c, point& p) {
    p = middle(e.from, e.to);
    return !(p == e.from) && !(p == e.to) && mesh::dig(t, c, e.of, p);
  }

  double most_narrow_;
  mesh mesh_;
  work_heap<triangle> work_;
  std::atomic<bool> failed_{false};
};

}  // namespace nopal_bench
