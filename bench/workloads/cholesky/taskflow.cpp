// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/taskflow.hpp"

#include "cholesky.hpp"

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
  tf::TaskGroup group = taskflow_group();
  group.silent_async([&u] { subtract_in_quadrant(u, 0); });
  if (u.part == quad_part::whole) {
    group.silent_async([&u] { subtract_in_quadrant(u, 1); });
  }
  group.silent_async([&u] { subtract_in_quadrant(u, 2); });
  subtract_in_quadrant(u, 3);
  group.corun();
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
  tf::TaskGroup group = taskflow_group();
  group.silent_async([=] { solve_row(a, l, level, 0); });
  solve_row(a, l, level, 1);
  group.corun();
}

void cholesky(quad_node* a, unsigned level) {
  if (level <= cholesky_cutoff) {
    factor_small(a, level);
    return;
  }
  if (a->at(1, 0) == nullptr) {
    tf::TaskGroup group = taskflow_group();
    group.silent_async([=] { cholesky(a->at(0, 0), level - 1); });
    cholesky(a->at(1, 1), level - 1);
    group.corun();
    return;
  }
  cholesky(a->at(0, 0), level - 1);
  solve(a->at(1, 0), a->at(0, 0), level - 1);
  a->at(1, 1) = subtract({a->at(1, 1), a->at(1, 0), a->at(1, 0), level - 1, quad_part::lower});
  cholesky(a->at(1, 1), level - 1);
}

[[maybe_unused]] const bool enrolled =
    enroll<cholesky_problem, taskflow_session>("group", [](auto& session, auto& p) {
      session.run(cholesky, p.root, p.level);
      p.result = true;
    });

}  // namespace
}  // namespace nopal_bench
