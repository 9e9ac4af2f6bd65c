// SPDX-License-Identifier: Apache-2.0
#include "cholesky.hpp"
#include "harness/sessions/nopal.hpp"

namespace nopal_bench {
namespace {

nopal::task<quad_node*> subtract_task(cholesky_update u);

nopal::task<> subtract_in_quadrant_task(cholesky_update u, unsigned q) {
  co_await nopal::call(&u.c->child[q], subtract_task, u.of_quadrant(q, 0));
  co_await nopal::call(&u.c->child[q], subtract_task, u.of_quadrant(q, 1));
}

nopal::task<quad_node*> subtract_task(cholesky_update u) {
  if (u.level <= cholesky_cutoff) {
    co_return subtract_small(u);
  }
  if (u.is_empty()) {
    co_return u.c;
  }
  if (u.c == nullptr) {
    u.c = quad_node::make(u.level);
  }
  co_await nopal::fork(subtract_in_quadrant_task, u, 0U);
  if (u.part == quad_part::whole) {
    co_await nopal::fork(subtract_in_quadrant_task, u, 1U);
  }
  co_await nopal::fork(subtract_in_quadrant_task, u, 2U);
  co_await nopal::call(subtract_in_quadrant_task, u, 3U);
  co_await nopal::join();
  co_return u.c;
}

nopal::task<> solve_task(quad_node* a, const quad_node* l, unsigned level);

nopal::task<> solve_row_task(quad_node* a, const quad_node* l, unsigned level, unsigned i) {
  co_await nopal::call(solve_task, a->at(i, 0), l->at(0, 0), level - 1);
  const cholesky_update u{a->at(i, 1), a->at(i, 0), l->at(1, 0), level - 1, quad_part::whole};
  co_await nopal::call(&a->at(i, 1), subtract_task, u);
  co_await nopal::call(solve_task, a->at(i, 1), l->at(1, 1), level - 1);
}

// a = X, X·Lᵀ = a.
nopal::task<> solve_task(quad_node* a, const quad_node* l, unsigned level) {
  if (level <= cholesky_cutoff) {
    solve_small(a, l, level);
    co_return;
  }
  if (a == nullptr) {
    co_return;
  }
  co_await nopal::fork(solve_row_task, a, l, level, 0U);
  co_await nopal::call(solve_row_task, a, l, level, 1U);
  co_await nopal::join();
}

nopal::task<> cholesky_task(quad_node* a, unsigned level) {
  if (level <= cholesky_cutoff) {
    factor_small(a, level);
    co_return;
  }
  if (a->at(1, 0) == nullptr) {
    co_await nopal::fork(cholesky_task, a->at(0, 0), level - 1);
    co_await nopal::call(cholesky_task, a->at(1, 1), level - 1);
    co_await nopal::join();
    co_return;
  }
  co_await nopal::call(cholesky_task, a->at(0, 0), level - 1);
  co_await nopal::call(solve_task, a->at(1, 0), a->at(0, 0), level - 1);
  const cholesky_update u{a->at(1, 1), a->at(1, 0), a->at(1, 0), level - 1, quad_part::lower};
  co_await nopal::call(&a->at(1, 1), subtract_task, u);
  co_await nopal::call(cholesky_task, a->at(1, 1), level - 1);
}

[[maybe_unused]] const bool enrolled =
    enroll<cholesky_problem, nopal_session>("task", [](auto& session, auto& p) {
      session.run(cholesky_task, p.root, p.level);
      p.result = true;
    });

}  // namespace
}  // namespace nopal_bench
