// SPDX-License-Identifier: Apache-2.0
#include "cholesky.hpp"
#include "harness/sessions/opencilk.hpp"

namespace nopal_bench {
namespace {

quad_node* subtract(cholesky_update u);

void subtract_in_quadrant(const cholesky_update& u, unsigned q) {
  u.c->child[q] = subtract(u.of_quadrant(q, 0));
  u.c->child[q] = subtract(u.of_quadrant(q, 1));
}

quad_node* subtract(cholesky_update u) {
  if (u.level <= cholesky_cutoff) {
    return subtract_small(u);
  }
  if (u.is_empty()) {
    return u.c;
  }
  if (u.c == nullptr) {
    u.c = quad_node::make(u.level);
  }
  cilk_scope {
    cilk_spawn subtract_in_quadrant(u, 0);
    if (u.part == quad_part::whole) {
      cilk_spawn subtract_in_quadrant(u, 1);
    }
    cilk_spawn subtract_in_quadrant(u, 2);
    subtract_in_quadrant(u, 3);
  }
  return u.c;
}

void solve(quad_node* a, const quad_node* l, unsigned level);

void solve_row(quad_node* a, const quad_node* l, unsigned level, unsigned i) {
  solve(a->at(i, 0), l->at(0, 0), level - 1);
  a->at(i, 1) = subtract({a->at(i, 1), a->at(i, 0), l->at(1, 0), level - 1, quad_part::whole});
  solve(a->at(i, 1), l->at(1, 1), level - 1);
}

// a = X, X·Lᵀ = a.
void solve(quad_node* a, const quad_node* l, unsigned level) {
  if (level <= cholesky_cutoff) {
    solve_small(a, l, level);
    return;
  }
  if (a == nullptr) {
    return;
  }
  cilk_scope {
    cilk_spawn solve_row(a, l, level, 0);
    solve_row(a, l, level, 1);
  }
}

void cholesky(quad_node* a, unsigned level) {
  if (level <= cholesky_cutoff) {
    factor_small(a, level);
    return;
  }
  if (a->at(1, 0) == nullptr) {
    cilk_scope {
      cilk_spawn cholesky(a->at(0, 0), level - 1);
      cholesky(a->at(1, 1), level - 1);
    }
    return;
  }
  cholesky(a->at(0, 0), level - 1);
  solve(a->at(1, 0), a->at(0, 0), level - 1);
  a->at(1, 1) = subtract({a->at(1, 1), a->at(1, 0), a->at(1, 0), level - 1, quad_part::lower});
  cholesky(a->at(1, 1), level - 1);
}

[[maybe_unused]] const bool enrolled =
    enroll<cholesky_problem, opencilk_session>("", [](auto& session, auto& p) {
      session.run(cholesky, p.root, p.level);
      p.result = true;
    });

}  // namespace
}  // namespace nopal_bench
