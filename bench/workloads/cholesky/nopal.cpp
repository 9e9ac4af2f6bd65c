// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/nopal.hpp"

#include <functional>

#include "cholesky.hpp"

namespace nopal_bench {
namespace {

quad_node* subtract_invoke(cholesky_update u);

void subtract_in_quadrant_invoke(const cholesky_update& u, unsigned q) {
  u.c->child[q] = subtract_invoke(u.of_quadrant(q, 0));
  u.c->child[q] = subtract_invoke(u.of_quadrant(q, 1));
}

quad_node* subtract_invoke(cholesky_update u) {
  if (u.level <= cholesky_cutoff) {
    return subtract_small(u);
  }
  if (u.is_empty()) {
    return u.c;
  }
  if (u.c == nullptr) {
    u.c = quad_node::make(u.level);
  }
  if (u.part == quad_part::lower) {
    nopal::parallel_invoke([&] { subtract_in_quadrant_invoke(u, 0); },
                           [&] { subtract_in_quadrant_invoke(u, 2); },
                           [&] { subtract_in_quadrant_invoke(u, 3); });
  } else {
    nopal::parallel_invoke(
        [&] { subtract_in_quadrant_invoke(u, 0); }, [&] { subtract_in_quadrant_invoke(u, 1); },
        [&] { subtract_in_quadrant_invoke(u, 2); }, [&] { subtract_in_quadrant_invoke(u, 3); });
  }
  return u.c;
}

void solve_invoke(quad_node* a, const quad_node* l, unsigned level);

void solve_row_invoke(quad_node* a, const quad_node* l, unsigned level, unsigned i) {
  solve_invoke(a->at(i, 0), l->at(0, 0), level - 1);
  a->at(i, 1) =
      subtract_invoke({a->at(i, 1), a->at(i, 0), l->at(1, 0), level - 1, quad_part::whole});
  solve_invoke(a->at(i, 1), l->at(1, 1), level - 1);
}

// a = X, X·Lᵀ = a.
void solve_invoke(quad_node* a, const quad_node* l, unsigned level) {
  if (level <= cholesky_cutoff) {
    solve_small(a, l, level);
    return;
  }
  if (a == nullptr) {
    return;
  }
  nopal::parallel_invoke([=] { solve_row_invoke(a, l, level, 0); },
                         [=] { solve_row_invoke(a, l, level, 1); });
}

void cholesky_invoke(quad_node* a, unsigned level) {
  if (level <= cholesky_cutoff) {
    factor_small(a, level);
    return;
  }
  if (a->at(1, 0) == nullptr) {
    nopal::parallel_invoke([=] { cholesky_invoke(a->at(0, 0), level - 1); },
                           [=] { cholesky_invoke(a->at(1, 1), level - 1); });
    return;
  }
  cholesky_invoke(a->at(0, 0), level - 1);
  solve_invoke(a->at(1, 0), a->at(0, 0), level - 1);
  a->at(1, 1) =
      subtract_invoke({a->at(1, 1), a->at(1, 0), a->at(1, 0), level - 1, quad_part::lower});
  cholesky_invoke(a->at(1, 1), level - 1);
}

quad_node* subtract_frame(cholesky_update u);

void subtract_in_quadrant_frame(const cholesky_update& u, unsigned q) {
  u.c->child[q] = subtract_frame(u.of_quadrant(q, 0));
  u.c->child[q] = subtract_frame(u.of_quadrant(q, 1));
}

NOPAL_FORKS quad_node* subtract_frame(cholesky_update u) {
  if (u.level <= cholesky_cutoff) {
    return subtract_small(u);
  }
  if (u.is_empty()) {
    return u.c;
  }
  if (u.c == nullptr) {
    u.c = quad_node::make(u.level);
  }
  nopal::fork_frame frame;
  frame.fork(subtract_in_quadrant_frame, std::cref(u), 0U);
  if (u.part == quad_part::whole) {
    frame.fork(subtract_in_quadrant_frame, std::cref(u), 1U);
  }
  frame.fork(subtract_in_quadrant_frame, std::cref(u), 2U);
  subtract_in_quadrant_frame(u, 3);
  frame.join();
  return u.c;
}

void solve_frame(quad_node* a, const quad_node* l, unsigned level);

void solve_row_frame(quad_node* a, const quad_node* l, unsigned level, unsigned i) {
  solve_frame(a->at(i, 0), l->at(0, 0), level - 1);
  a->at(i, 1) =
      subtract_frame({a->at(i, 1), a->at(i, 0), l->at(1, 0), level - 1, quad_part::whole});
  solve_frame(a->at(i, 1), l->at(1, 1), level - 1);
}

// a = X, X·Lᵀ = a.
NOPAL_FORKS void solve_frame(quad_node* a, const quad_node* l, unsigned level) {
  if (level <= cholesky_cutoff) {
    solve_small(a, l, level);
    return;
  }
  if (a == nullptr) {
    return;
  }
  nopal::fork_frame frame;
  frame.fork(solve_row_frame, a, l, level, 0U);
  solve_row_frame(a, l, level, 1);
  frame.join();
}

NOPAL_FORKS void cholesky_frame(quad_node* a, unsigned level) {
  if (level <= cholesky_cutoff) {
    factor_small(a, level);
    return;
  }
  if (a->at(1, 0) == nullptr) {
    nopal::fork_frame frame;
    frame.fork(cholesky_frame, a->at(0, 0), level - 1);
    cholesky_frame(a->at(1, 1), level - 1);
    frame.join();
    return;
  }
  cholesky_frame(a->at(0, 0), level - 1);
  solve_frame(a->at(1, 0), a->at(0, 0), level - 1);
  a->at(1, 1) =
      subtract_frame({a->at(1, 1), a->at(1, 0), a->at(1, 0), level - 1, quad_part::lower});
  cholesky_frame(a->at(1, 1), level - 1);
}

template <auto decompose>
constexpr auto kernel = [](auto& session, auto& p) {
  session.run(decompose, p.root, p.level);
  p.result = true;
};

[[maybe_unused]] const bool enrolled =
    enroll<cholesky_problem, nopal_session>("invoke", kernel<cholesky_invoke>) &&
    enroll<cholesky_problem, nopal_session>("frame", kernel<cholesky_frame>);

}  // namespace
}  // namespace nopal_bench
