// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/toomanycooks.hpp"

#include <tmc/spawn.hpp>
#include <tmc/spawn_tuple.hpp>

#include "cholesky.hpp"

namespace nopal_bench {
namespace {

tmc::task<quad_node*> subtract(cholesky_update u);

tmc::task<void> subtract_in_quadrant(cholesky_update u, unsigned q) {
  u.c->child[q] = co_await subtract(u.of_quadrant(q, 0));
  u.c->child[q] = co_await subtract(u.of_quadrant(q, 1));
}

tmc::task<quad_node*> subtract(cholesky_update u) {
  if (u.level <= cholesky_cutoff) {
    co_return subtract_small(u);
  }
  if (u.is_empty()) {
    co_return u.c;
  }
  if (u.c == nullptr) {
    u.c = quad_node::make(u.level);
  }
  if (u.part == quad_part::lower) {
    co_await tmc::spawn_tuple(subtract_in_quadrant(u, 0), subtract_in_quadrant(u, 2),
                              subtract_in_quadrant(u, 3));
  } else {
    co_await tmc::spawn_tuple(subtract_in_quadrant(u, 0), subtract_in_quadrant(u, 1),
                              subtract_in_quadrant(u, 2), subtract_in_quadrant(u, 3));
  }
  co_return u.c;
}

tmc::task<void> solve(quad_node* a, const quad_node* l, unsigned level);

tmc::task<void> solve_row(quad_node* a, const quad_node* l, unsigned level, unsigned i) {
  co_await solve(a->at(i, 0), l->at(0, 0), level - 1);
  a->at(i, 1) =
      co_await subtract({a->at(i, 1), a->at(i, 0), l->at(1, 0), level - 1, quad_part::whole});
  co_await solve(a->at(i, 1), l->at(1, 1), level - 1);
}

// a = X, X·Lᵀ = a.
tmc::task<void> solve(quad_node* a, const quad_node* l, unsigned level) {
  if (level <= cholesky_cutoff) {
    solve_small(a, l, level);
    co_return;
  }
  if (a == nullptr) {
    co_return;
  }
  auto first = co_await tmc::fork_clang(solve_row(a, l, level, 0));
  co_await solve_row(a, l, level, 1);
  co_await std::move(first);
}

tmc::task<void> cholesky(quad_node* a, unsigned level) {
  if (level <= cholesky_cutoff) {
    factor_small(a, level);
    co_return;
  }
  if (a->at(1, 0) == nullptr) {
    auto first = co_await tmc::fork_clang(cholesky(a->at(0, 0), level - 1));
    co_await cholesky(a->at(1, 1), level - 1);
    co_await std::move(first);
    co_return;
  }
  co_await cholesky(a->at(0, 0), level - 1);
  co_await solve(a->at(1, 0), a->at(0, 0), level - 1);
  a->at(1, 1) =
      co_await subtract({a->at(1, 1), a->at(1, 0), a->at(1, 0), level - 1, quad_part::lower});
  co_await cholesky(a->at(1, 1), level - 1);
}

[[maybe_unused]] const bool enrolled =
    enroll<cholesky_problem, tmc_session>("tuple", [](auto& session, auto& p) {
      session.run(cholesky, p.root, p.level);
      p.result = true;
    });

}  // namespace
}  // namespace nopal_bench
