// SPDX-License-Identifier: Apache-2.0
// Cholesky decomposition, A = L·Lᵀ, of a sparse n × n matrix with n elements on the diagonal and
// 10·n elsewhere in its lower triangle, at random; some of them coincide. The algorithm works by
// quadrants of a quad tree: decompose the first; solve for the one below it; subtract that one's
// product with itself from the last, and decompose the last. Nodes that L has and A has not are
// allocated when the first product comes to them.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "harness/enroll.hpp"
#include "quad_tree.hpp"
#include "small_trees.hpp"
#include "workloads/linear_algebra/keep_freed_memory.hpp"
#include "workloads/linear_algebra/residual.hpp"

namespace nopal_bench {

/// Trees up to this level, 32 × 32 elements, are not forked: a product of two takes up to 10 µs.
constexpr unsigned cholesky_cutoff = 3;

/// c -= a·bᵀ for trees of one level.
struct cholesky_update {
  [[nodiscard]] bool is_empty() const { return a == nullptr || b == nullptr; }

  /// A quadrant of c is a sum of two products; this is the one with column k of a and b.
  [[nodiscard]] cholesky_update of_quadrant(unsigned q, unsigned k) const {
    const unsigned i = q / 2;
    const unsigned j = q % 2;
    return {c->child[q], a->at(i, k), b->at(j, k), level - 1, i == j ? part : quad_part::whole};
  }

  quad_node* c;
  const quad_node* a;
  const quad_node* b;
  unsigned level;
  quad_part part;
};

inline quad_node* subtract_small(const cholesky_update& u) {
  return subtract_small(u.c, u.a, u.b, u.level, u.part);
}

struct cholesky_problem {
  static constexpr std::string_view name = "cholesky";
  static constexpr std::array sizes{problem_size{"smoke", 400}, problem_size{"quick", 3000},
                                    problem_size{"paper", 4000}};

  explicit cholesky_problem(std::uint64_t n) : level(level_of(n)), diagonal(quad_side(level), 1) {
    keep_freed_memory();
    std::mt19937_64 random(1);
    for (std::uint64_t k = 0; k < 10 * n && n > 1; ++k) {
      const std::size_t i = 1 + random() % (n - 1);
      const std::size_t j = random() % i;
      const double value = static_cast<double>(random() >> 11) * 0x1p-52 - 1;  // from -1 to 1
      below.push_back({i, j, value});
      diagonal[i] += std::abs(value);  // more than all others of its row together
      diagonal[j] += std::abs(value);
    }
    for (std::size_t i = 0; i < diagonal.size(); ++i) {
      quad_element(original, level, i, i) = diagonal[i];
    }
    for (const auto& [i, j, value] : below) {
      quad_element(original, level, i, j) += value;
    }
  }
  cholesky_problem(const cholesky_problem&) = delete;
  cholesky_problem& operator=(const cholesky_problem&) = delete;
  ~cholesky_problem() {
    quad_delete(original, level);
    quad_delete(root, level);
  }

  void prepare() {
    quad_delete(root, level);
    root = quad_copy(original, level);
    result = false;
  }

  // The check compares L·(Lᵀ·x) with A·x, which is formed from the elements that A was made of.
  [[nodiscard]] std::string error() const {
    const std::vector<double> x = random_signs(diagonal.size());
    std::vector<double> ltx(x.size());
    std::vector<double> lltx(x.size());
    for_each_of_lower([&](std::size_t i, std::size_t j, double value) { ltx[j] += value * x[i]; });
    for_each_of_lower(
        [&](std::size_t i, std::size_t j, double value) { lltx[i] += value * ltx[j]; });
    std::vector<double> ax(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      ax[i] = diagonal[i] * x[i];
    }
    for (const auto& [i, j, value] : below) {
      ax[i] += value * x[j];
      ax[j] += value * x[i];
    }
    return residual_error(lltx, ax, *std::max_element(diagonal.begin(), diagonal.end()));
  }

  unsigned level;
  quad_node* root = nullptr;
  bool result = false;  // set once decomposed, for the record

 private:
  struct element {
    std::size_t i;
    std::size_t j;
    double value;
  };

  template <class F>
  void for_each_of_lower(const F& f) const {
    quad_for_each(root, level, 0, 0, [&](std::size_t i, std::size_t j, double value) {
      if (i >= j) {
        f(i, j, value);
      }
    });
  }

  // The tree has more rows than the matrix, unless n is 4 times a power of 2; their diagonal is 1.
  static unsigned level_of(std::uint64_t n) {
    if (n == 0 || n > 1'000'000) {
      throw std::invalid_argument("cholesky: n is " + std::to_string(n) +
                                  ", allowed are 1 to 1000000");
    }
    unsigned level = 0;
    while (quad_side(level) < n) {
      ++level;
    }
    return level;
  }

  std::vector<double> diagonal;
  std::vector<element> below;
  quad_node* original = nullptr;
};

}  // namespace nopal_bench
