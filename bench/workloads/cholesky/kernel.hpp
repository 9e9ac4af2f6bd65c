// SPDX-License-Identifier: Apache-2.0
#include "cholesky.hpp"
#include "harness/runtimes/kernel.hpp"

namespace nopal_bench {
namespace {

BENCH_DECLARE(quad_node*, subtract, (cholesky_update u));

BENCH_KERNEL(void, subtract_in_quadrant, (passed<cholesky_update> u, unsigned q)) {
  BENCH_CALL_TO(u.c->child[q], subtract, (u.of_quadrant(q, 0)));
  BENCH_CALL_TO(u.c->child[q], subtract, (u.of_quadrant(q, 1)));
}

BENCH_DEFINE(quad_node*, subtract, (cholesky_update u)) {
  if (u.level <= cholesky_cutoff) {
    BENCH_RETURN subtract_small(u);
  }
  if (u.is_empty()) {
    BENCH_RETURN u.c;
  }
  if (u.c == nullptr) {
    u.c = quad_node::make(u.level);
  }
  if (u.part == quad_part::lower) {
    BENCH_FORK_THREE(subtract_in_quadrant, (u, 0U), (u, 2U), (u, 3U));
  } else {
    BENCH_FORK_FOUR(subtract_in_quadrant, (u, 0U), (u, 1U), (u, 2U), (u, 3U));
  }
  BENCH_RETURN u.c;
}

BENCH_DECLARE(void, solve, (quad_node * a, const quad_node* l, unsigned level));

BENCH_KERNEL(void, solve_row, (quad_node * a, const quad_node* l, unsigned level, unsigned i)) {
  BENCH_CALL(solve, (a->at(i, 0), l->at(0, 0), level - 1));
  const cholesky_update u{a->at(i, 1), a->at(i, 0), l->at(1, 0), level - 1, quad_part::whole};
  BENCH_CALL_TO(a->at(i, 1), subtract, (u));
  BENCH_CALL(solve, (a->at(i, 1), l->at(1, 1), level - 1));
}

// Solves X·Lᵀ = a; X takes the place of a.
BENCH_DEFINE(void, solve, (quad_node * a, const quad_node* l, unsigned level)) {
  if (level <= cholesky_cutoff) {
    solve_small(a, l, level);
    BENCH_RETURN;
  }
  if (a == nullptr) {
    BENCH_RETURN;
  }
  BENCH_FORK_TWO(solve_row, (a, l, level, 0U), solve_row, (a, l, level, 1U));
}

BENCH_KERNEL(void, cholesky, (quad_node * a, unsigned level)) {
  if (level <= cholesky_cutoff) {
    factor_small(a, level);
    BENCH_RETURN;
  }
  if (a->at(1, 0) == nullptr) {
    BENCH_FORK_TWO(cholesky, (a->at(0, 0), level - 1), cholesky, (a->at(1, 1), level - 1));
    BENCH_RETURN;
  }
  BENCH_CALL(cholesky, (a->at(0, 0), level - 1));
  BENCH_CALL(solve, (a->at(1, 0), a->at(0, 0), level - 1));
  const cholesky_update u{a->at(1, 1), a->at(1, 0), a->at(1, 0), level - 1, quad_part::lower};
  BENCH_CALL_TO(a->at(1, 1), subtract, (u));
  BENCH_CALL(cholesky, (a->at(1, 1), level - 1));
}

[[maybe_unused]] const bool enrolled =
    enroll_kernel<cholesky_problem, widest::few>([](auto& session, auto& p) {
      session.run(cholesky, p.root, p.level);
      p.result = true;
    });

}  // namespace
}  // namespace nopal_bench
