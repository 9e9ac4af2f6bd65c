// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/serial.hpp"

#include "lu.hpp"

namespace nopal_bench {
namespace {

NOPAL_BENCH_CALLED void subtract_product(const lu_product& p) {
  if (is_leaf(p)) {
    multiply(p);
    return;
  }
  subtract_product(p.first_half());
  subtract_product(p.second_half());
}

// m = X, L·X = m.
NOPAL_BENCH_CALLED void solve_lower(const lu_part& l, const lu_part& m) {
  if (is_block(l) && is_block(m)) {
    solve_lower_block<lu_block>(l.at, m.at);
    return;
  }
  if (m.cols >= l.cols) {
    solve_lower(l, m.left(m.cols / 2));
    solve_lower(l, m.right(m.cols - m.cols / 2));
    return;
  }
  const lu_quadrants q(l);
  const lu_part top = m.top(q.first);
  const lu_part bottom = m.bottom(q.rest);
  solve_lower(q.m00, top);
  subtract_product(lu_product_of(bottom, q.m10, top));
  solve_lower(q.m11, bottom);
}

// m = X, X·U = m.
NOPAL_BENCH_CALLED void solve_upper(const lu_part& u, const lu_part& m) {
  if (is_block(u) && is_block(m)) {
    solve_upper_block<lu_block>(u.at, m.at);
    return;
  }
  if (m.rows >= u.rows) {
    solve_upper(u, m.top(m.rows / 2));
    solve_upper(u, m.bottom(m.rows - m.rows / 2));
    return;
  }
  const lu_quadrants q(u);
  const lu_part left = m.left(q.first);
  const lu_part right = m.right(q.rest);
  solve_upper(q.m00, left);
  subtract_product(lu_product_of(right, left, q.m01));
  solve_upper(q.m11, right);
}

NOPAL_BENCH_CALLED void lu(const lu_part& m) {
  if (is_block(m)) {
    factor_block<lu_block>(m.at);
    return;
  }
  const lu_quadrants q(m);
  lu(q.m00);
  solve_lower(q.m00, q.m01);
  solve_upper(q.m00, q.m10);
  subtract_product(lu_product_of(q.m11, q.m10, q.m01));
  lu(q.m11);
}

[[maybe_unused]] const bool enrolled =
    enroll<lu_problem, serial_session>("", [](auto& session, auto& p) {
      session.run(lu, p.whole());
      p.result = true;
    });

}  // namespace
}  // namespace nopal_bench
