// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/libfork.hpp"

#include "cholesky.hpp"

namespace nopal_bench {
namespace {

// Coroutines that call each other: of each pair one has to be declared before it is defined, which
// a lambda cannot be.
struct subtract_function {
  template <class Self>
  lf::task<quad_node*> operator()(Self, cholesky_update u) const;
};
constexpr subtract_function subtract;

constexpr auto subtract_in_quadrant = [](auto, cholesky_update u, unsigned q)
                                          LF_STATIC_CALL -> lf::task<void> {
  co_await lf::call(&u.c->child[q], subtract)(u.of_quadrant(q, 0));
  co_await lf::call(&u.c->child[q], subtract)(u.of_quadrant(q, 1));
};

template <class Self>
lf::task<quad_node*> subtract_function::operator()(Self, cholesky_update u) const {
  if (u.level <= cholesky_cutoff) {
    co_return subtract_small(u);
  }
  if (u.is_empty()) {
    co_return u.c;
  }
  if (u.c == nullptr) {
    u.c = quad_node::make(u.level);
  }
  co_await lf::fork(subtract_in_quadrant)(u, 0U);
  if (u.part == quad_part::whole) {
    co_await lf::fork(subtract_in_quadrant)(u, 1U);
  }
  co_await lf::fork(subtract_in_quadrant)(u, 2U);
  co_await lf::call(subtract_in_quadrant)(u, 3U);
  co_await lf::join;
  co_return u.c;
}

struct solve_function {
  template <class Self>
  lf::task<void> operator()(Self, quad_node* a, const quad_node* l, unsigned level) const;
};
constexpr solve_function solve;

constexpr auto solve_row = [](auto, quad_node* a, const quad_node* l, unsigned level, unsigned i)
                               LF_STATIC_CALL -> lf::task<void> {
  co_await lf::call(solve)(a->at(i, 0), l->at(0, 0), level - 1);
  const cholesky_update u{a->at(i, 1), a->at(i, 0), l->at(1, 0), level - 1, quad_part::whole};
  co_await lf::call(&a->at(i, 1), subtract)(u);
  co_await lf::call(solve)(a->at(i, 1), l->at(1, 1), level - 1);
};

// a = X, X·Lᵀ = a.
template <class Self>
lf::task<void> solve_function::operator()(Self, quad_node* a, const quad_node* l,
                                          unsigned level) const {
  if (level <= cholesky_cutoff) {
    solve_small(a, l, level);
    co_return;
  }
  if (a == nullptr) {
    co_return;
  }
  co_await lf::fork(solve_row)(a, l, level, 0U);
  co_await lf::call(solve_row)(a, l, level, 1U);
  co_await lf::join;
}

constexpr auto cholesky = [](auto cholesky, quad_node* a, unsigned level)
                              LF_STATIC_CALL -> lf::task<void> {
  if (level <= cholesky_cutoff) {
    factor_small(a, level);
    co_return;
  }
  if (a->at(1, 0) == nullptr) {
    co_await lf::fork(cholesky)(a->at(0, 0), level - 1);
    co_await lf::call(cholesky)(a->at(1, 1), level - 1);
    co_await lf::join;
    co_return;
  }
  co_await lf::call(cholesky)(a->at(0, 0), level - 1);
  co_await lf::call(solve)(a->at(1, 0), a->at(0, 0), level - 1);
  const cholesky_update u{a->at(1, 1), a->at(1, 0), a->at(1, 0), level - 1, quad_part::lower};
  co_await lf::call(&a->at(1, 1), subtract)(u);
  co_await lf::call(cholesky)(a->at(1, 1), level - 1);
};

constexpr auto kernel = [](auto& session, cholesky_problem& p) {
  session.run(cholesky, p.root, p.level);
  p.result = true;
};

[[maybe_unused]] const bool enrolled = enroll<cholesky_problem, libfork_lazy>("lazy", kernel) &&
                                       enroll<cholesky_problem, libfork_busy>("busy", kernel);

}  // namespace
}  // namespace nopal_bench
