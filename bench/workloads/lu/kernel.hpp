// SPDX-License-Identifier: Apache-2.0
#include "harness/runtimes/kernel.hpp"
#include "lu.hpp"

namespace nopal_bench {
namespace {

BENCH_KERNEL(void, subtract_product, (passed<lu_product> p)) {
  if (is_leaf(p)) {
    multiply(p);
    BENCH_RETURN;
  }
  if (p.splits_inner()) {
    BENCH_CALL(subtract_product, (p.first_half()));
    BENCH_CALL(subtract_product, (p.second_half()));
    BENCH_RETURN;
  }
  BENCH_FORK_TWO(subtract_product, (p.first_half()), subtract_product, (p.second_half()));
}

// Solves L·X = m; X takes the place of m.
BENCH_KERNEL(void, solve_lower, (passed<lu_part> l, passed<lu_part> m)) {
  if (is_block(l) && is_block(m)) {
    solve_lower_block<lu_block>(l.at, m.at);
    BENCH_RETURN;
  }
  if (m.cols >= l.cols) {
    BENCH_FORK_TWO(solve_lower, (l, m.left(m.cols / 2)), solve_lower,
                   (l, m.right(m.cols - m.cols / 2)));
    BENCH_RETURN;
  }
  const lu_quadrants q(l);
  const lu_part top = m.top(q.first);
  const lu_part bottom = m.bottom(q.rest);
  BENCH_CALL(solve_lower, (q.m00, top));
  BENCH_CALL(subtract_product, (lu_product_of(bottom, q.m10, top)));
  BENCH_CALL(solve_lower, (q.m11, bottom));
}

// Solves X·U = m; X takes the place of m.
BENCH_KERNEL(void, solve_upper, (passed<lu_part> u, passed<lu_part> m)) {
  if (is_block(u) && is_block(m)) {
    solve_upper_block<lu_block>(u.at, m.at);
    BENCH_RETURN;
  }
  if (m.rows >= u.rows) {
    BENCH_FORK_TWO(solve_upper, (u, m.top(m.rows / 2)), solve_upper,
                   (u, m.bottom(m.rows - m.rows / 2)));
    BENCH_RETURN;
  }
  const lu_quadrants q(u);
  const lu_part left = m.left(q.first);
  const lu_part right = m.right(q.rest);
  BENCH_CALL(solve_upper, (q.m00, left));
  BENCH_CALL(subtract_product, (lu_product_of(right, left, q.m01)));
  BENCH_CALL(solve_upper, (q.m11, right));
}

BENCH_KERNEL(void, lu, (passed<lu_part> m)) {
  if (is_block(m)) {
    factor_block<lu_block>(m.at);
    BENCH_RETURN;
  }
  const lu_quadrants q(m);
  BENCH_CALL(lu, (q.m00));
  BENCH_FORK_TWO(solve_lower, (q.m00, q.m01), solve_upper, (q.m00, q.m10));
  BENCH_CALL(subtract_product, (lu_product_of(q.m11, q.m10, q.m01)));
  BENCH_CALL(lu, (q.m11));
}

[[maybe_unused]] const bool enrolled =
    enroll_kernel<lu_problem, widest::two>([](auto& session, auto& p) {
      session.run(lu, p.whole());
      p.result = true;
    });

}  // namespace
}  // namespace nopal_bench
